"""Known faults of LiteRT and of LiteRT for Microcontrollers, as rules/arithmetic/known-faults.yaml lists them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from litecheck.data import rules_dir
from litecheck.devices.outcome import Outcome
from litecheck.errors import ProfileError
from litecheck.profile.yaml_reader import MappingNode, Node, SequenceNode, entries, read_yaml, text, texts

_REQUIRED = ("operator", "types", "resolvers", "versions", "does", "evidence")
_KEYS = (*_REQUIRED, "beside", "outcome", "always", "see")
_DEVICE = "litert:"


@dataclass(frozen=True, slots=True)
class Erratum:
    """A known fault: operators for which some LiteRT versions give wrong outputs, for some types under some resolvers.

    ``beside`` are types of which another operand must have one; ``outcomes`` are the outcomes of an affected
    case. ``always`` is True if the outputs are wrong for all parameters and shapes.
    """

    operators: tuple[str, ...]
    types: tuple[str, ...]
    resolvers: tuple[str, ...]
    versions: str
    does: str
    beside: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ("mismatch",)
    always: bool = False


def known_fault(device_name: str, opcode: str, dtypes: Collection[str], outcome: Outcome) -> str:
    """Return a sentence on the known fault of a ``litert:*`` device or ``tflm`` that fits operator, types and outcome.

    Return an empty string without a known fault, and for devices without errata.
    """
    resolver = device_name.removeprefix(_DEVICE).partition(",")[0]
    if resolver != "tflm" and not device_name.startswith(_DEVICE):
        return ""
    found = [
        f
        for f in faults()
        if opcode in f.operators
        and resolver in f.resolvers
        and set(f.types) & set(dtypes)
        and (not f.beside or set(f.beside) & set(dtypes))
        and outcome.value in f.outcomes
    ]
    told = dict.fromkeys(f.versions for f in found)
    return "; ".join(
        f"{versions}: {opcode} {', and '.join(f.does for f in found if f.versions == versions)}"
        for versions in told
    )


@cache
def faults() -> tuple[Erratum, ...]:
    """Return every fault of the file. Raise ProfileError with the line for an invalid file."""
    shown = "rules/arithmetic/known-faults.yaml"
    file = read_yaml(rules_dir() / "arithmetic" / "known-faults.yaml", shown)
    listed = file.only(("faults",)).get("faults")
    if not isinstance(listed, SequenceNode):
        raise ProfileError(shown, 1, "faults is a list")
    return tuple(_fault(node, shown) for node in listed)


def _fault(node: Node, shown: str) -> Erratum:
    entry: MappingNode = entries(node, shown).only(_KEYS)
    missing = [key for key in _REQUIRED if key not in entry]
    if missing:
        raise ProfileError(shown, entry.line, f"a fault without {', '.join(missing)}")
    operators = tuple(text(entry.get("operator")).split(", "))
    types, resolvers = texts(entry.get("types")), texts(entry.get("resolvers"))
    versions, does = (text(entry.get(key)) for key in ("versions", "does"))
    outcomes = texts(entry.get("outcome")) or ("mismatch",)
    unknown = set(outcomes) - {o.value for o in Outcome}
    if unknown:
        raise ProfileError(shown, entry.line, f"there is no outcome {unknown.pop()!r}")
    always = text(entry.get("always")) == "true"
    return Erratum(operators, types, resolvers, versions, does, texts(entry.get("beside")), outcomes, always)

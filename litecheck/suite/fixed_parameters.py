"""Stated scales and zero points (rules/suite/parameters.yaml), for mutants that random parameters rarely detect."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from types import MappingProxyType

import numpy as np

from litecheck.data import rules_dir
from litecheck.errors import ProfileError
from litecheck.profile.operator_plan import Plan
from litecheck.profile.yaml_reader import MappingNode, Node, SequenceNode, entries, read_yaml, text, texts
from litecheck.suite.draft_constants import fill_constants
from litecheck.suite.free_parameters import FreeParameters
from litecheck.suite.parameter_sets import ParameterSet

_SHOWN = "rules/suite/parameters.yaml"
_KEYS = ("operators", "types", "form", "scales", "shows")
_OPTIONAL = ("zero_points", "bytes")


@dataclass(frozen=True, slots=True)
class FixedParameters:
    """For operators and types, as patterns: a form, scales and zero points by role, and the mutants that they detect.

    ``size`` is the number of input bytes; 0 for the usual number.
    """

    operators: tuple[str, ...]
    types: tuple[str, ...]
    form: str
    scales: Mapping[str, float]
    zero_points: Mapping[str, int]
    shows: tuple[str, ...]
    size: int

    def applies_to(self, opcode: str, kind: str, form: str) -> bool:
        """Return True if the parameters apply to a form of an operator on a type."""
        named = any(fnmatchcase(opcode, pattern) for pattern in self.operators)
        return named and any(fnmatchcase(kind, pattern) for pattern in self.types) and form == self.form

    def parameter_set(self, number: int) -> ParameterSet:
        """Return the parameters as a set, named after the first mutant and, from the second such set on, a number."""
        name = "shows-" + re.sub(r"[^a-z0-9]+", "-", self.shows[0]) + (f"-{number}" if number > 1 else "")
        return ParameterSet(
            name, f"parameters that show {', '.join(self.shows)}", "standard", self._make, everywhere=True,
            moves=True, sharp=True, size=self.size,
        )  # fmt: skip

    def _make(self, freedom: FreeParameters, rng: np.random.Generator, seed: int) -> Plan:
        plan = freedom.move_parameters(
            lambda role, base: np.full(base.shape, self.scales[role]) if role in self.scales else base,
            lambda role, span: self.zero_points.get(role, span[0]),
        )
        return fill_constants(freedom.draft, plan, rng)


def fixed_sets(opcode: str, kind: str, form: str) -> Iterator[ParameterSet]:
    """Yield the sets stated for a form of an operator on a type."""
    found = Counter[str]()
    for one in fixed_parameters():
        if one.applies_to(opcode, kind, form):
            found[one.shows[0]] += 1
            yield one.parameter_set(found[one.shows[0]])


@cache
def fixed_parameters() -> tuple[FixedParameters, ...]:
    """Return every entry of the file. Raise ProfileError with the line for an invalid file."""
    file = read_yaml(rules_dir() / "suite" / "parameters.yaml", _SHOWN)
    listed = file.only(("parameters",)).get("parameters")
    if not isinstance(listed, SequenceNode):
        raise ProfileError(_SHOWN, 1, "parameters is a list")
    return tuple(map(_read, listed))


def _read(node: Node) -> FixedParameters:
    entry: MappingNode = entries(node, _SHOWN).only((*_KEYS, *_OPTIONAL))
    missing = [key for key in _KEYS if key not in entry]
    if missing:
        raise ProfileError(_SHOWN, entry.line, f"an entry without {', '.join(missing)}")
    scales, zeros = (_numbers(entry.get(key)) for key in ("scales", "zero_points"))
    operators, types, shows = (texts(entry.get(key)) for key in ("operators", "types", "shows"))
    whole = MappingProxyType({role: int(zero) for role, zero in zeros.items()})
    size = int(text(entry.get("bytes"), "0"))
    return FixedParameters(operators, types, text(entry.get("form")), scales, whole, shows, size)


def _numbers(node: Node | None) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for role, value in entries(node, _SHOWN).values.items():
        try:
            found[role] = float(text(value))
        except ValueError:
            raise ProfileError(_SHOWN, value.line, f"{role}: expected a number here") from None
    return MappingProxyType(found)

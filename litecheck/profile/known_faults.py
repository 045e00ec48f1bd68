"""Known faults of LiteRT and of LiteRT for Microcontrollers, from rules/arithmetic/known-faults.yaml, with conditions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache

from litecheck.data import rules_dir
from litecheck.errors import ProfileError
from litecheck.finding import Demand, Effect
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.profile.constraints import number, parse_constraint
from litecheck.profile.fault_conditions import is_known, is_structural, value_of
from litecheck.profile.generate.plan_solver import admits
from litecheck.profile.measurements.measured_operator import Operands
from litecheck.profile.operators import traits_of
from litecheck.profile.types import Constraint, Exactly, OneOf, Range, Requirement
from litecheck.profile.yaml_reader import MappingNode, Node, SequenceNode, entries, read_yaml, text

FILE = "rules/arithmetic/known-faults.yaml"
#: Last part of the path of a note.
KNOWN_FAULT = "known_fault"
_KEYS = (
    "operator", "types", "resolvers", "versions", "does", "evidence", "beside", "outcome", "when", "depends_on", "see",
)  # fmt: skip
_NEEDED = _KEYS[:6]
#: Outcomes of a case, as ``litecheck verify`` names them.
_OUTCOMES = ("mismatch", "wrong shape or type", "flaky", "refused", "crashed")
#: Resolver of the default interpreter.
_DEFAULT = "xnnpack"
#: A number above every measured value: the end of an open range.
_ENDLESS = Fraction(10) ** 60

#: Names of measurements, each with its allowed values.
Condition = tuple[tuple[str, Constraint], ...]


@dataclass(frozen=True, slots=True)
class KnownFault:
    """A fault of published runtimes: operators that some resolvers compute wrongly for some types under conditions.

    ``beside`` are types of which another tensor must have one; ``outcomes`` are the outcomes of an affected case.
    ``when`` are alternative conditions, none if the types alone decide. ``on_values`` is True if only some inputs show
    the fault, and no condition tells which.
    """

    operators: tuple[str, ...]
    types: tuple[str, ...]
    resolvers: tuple[str, ...]
    versions: str
    description: str
    beside: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ("mismatch",)
    when: tuple[Condition, ...] = ()
    on_values: bool = False
    see: str = ""
    line: int = 1

    def concerns(self, kind: str, dtypes: frozenset[str]) -> bool:
        """Return True if the operator and its types are those of the fault."""
        return (
            kind in self.operators
            and not dtypes.isdisjoint(self.types)
            and (not self.beside or not dtypes.isdisjoint(self.beside))
        )

    def holds(self, operands: Operands) -> bool:
        """Return True if an operator satisfies one of the conditions."""
        return not self.when or any(_holds(condition, operands) for condition in self.when)

    def possible(self, operands: Operands) -> bool:
        """Return False if the structure of an operator excludes the fault, whatever its scales and values are."""
        structural = ([part for part in condition if is_structural(part[0])] for condition in self.when)
        return not self.when or any(_holds(condition, operands) for condition in structural)

    @property
    def always(self) -> bool:
        """True if outputs in its types are wrong for all parameters, shapes and inputs."""
        return "mismatch" in self.outcomes and not (self.when or self.on_values or self.beside)

    @property
    def runtime(self) -> str:
        """``tflm`` or ``litert``, as the tables of types name runtimes."""
        return "tflm" if "tflm" in self.resolvers else "litert"

    @property
    def place(self) -> str:
        """Resolvers and version in words. Example: ``reference and optimized resolvers of ai-edge-litert 2.3.0``."""
        if self.runtime == "tflm":
            return self.versions
        noun = "resolver" if len(self.resolvers) == 1 else "resolvers"
        *first, last = self.resolvers
        return f"{' and '.join(filter(None, (', '.join(first), last)))} {noun} of {self.versions}"

    def requirement(self, kind: str, profile: str) -> Requirement:
        """Return the implied requirement that an operator meets no known fault."""
        return Requirement(
            f"{kind}/{KNOWN_FAULT}", "note", None, Exactly("an operator without a known fault"), "", self.see,
            Demand(profile, FILE, self.line), "note", effect=self.effect,
        )  # fmt: skip

    @property
    def effect(self) -> Effect:
        """Impact on a model with the default interpreter, or on the resolvers with the fault alone."""
        crashes, default = "crashed" in self.outcomes, _DEFAULT in self.resolvers or "tflm" in self.resolvers
        if crashes:
            return (
                "crashes"
                if default or self.resolvers != ("reference",)
                else "crashes the reference resolver only"
            )
        if "refused" in self.outcomes:
            alone = self.resolvers == (_DEFAULT,)
            only: Effect = "rejected by the default interpreter only" if alone else "fails to load"
            return only if default else "rejected by the reference resolver only"
        return "wrong results" if default else "wrong results without the default delegate"


def faults_of(operands: Operands, runtime: str = "", on_values: bool = True) -> tuple[KnownFault, ...]:
    """Return the faults of a runtime, or of all, that an operator meets. Example: SUM of int8 in the reference resolver.

    ``on_values`` includes faults that depend on the values of the inputs.
    """
    faults = faults_by_type(operands, runtime, on_values)
    return tuple([fault for fault in faults if fault.holds(operands)]) if faults else ()


def faults_by_type(operands: Operands, runtime: str, on_values: bool) -> tuple[KnownFault, ...]:
    """Return the faults of a runtime, or of all, that have an operator's kind and types, whether they hold or not."""
    dtypes = frozenset([tensor.dtype for tensors in operands.roles.values() for tensor in tensors])
    return _matching_faults(operands.operator.kind, dtypes, runtime, on_values)


def bind_operands(model: Model, subgraph: Subgraph, operator: Operator) -> Operands:
    """Return an operator with its tensors by role; operators without traits have a role for each tensor."""
    tensors = traits_of(operator.kind).tensors(operator)
    if not tensors:
        tensors = {
            str(n): index for n, index in enumerate((*operator.inputs, *operator.outputs)) if index >= 0
        }
    return Operands(
        operator, {role: (subgraph.tensors[index],) for role, index in tensors.items()}, subgraph, model
    )


def _holds(condition: Iterable[tuple[str, Constraint]], operands: Operands) -> bool:
    return all(admits(value, value_of(name, operands)) for name, value in condition)


@lru_cache(maxsize=1024)
def has_faults(kind: str) -> bool:
    """Return True if some runtime has a known fault in operators of a kind."""
    return any(kind in fault.operators for fault in known_faults())


@lru_cache(maxsize=1024)
def _matching_faults(
    kind: str, dtypes: frozenset[str], runtime: str, on_values: bool
) -> tuple[KnownFault, ...]:
    of_runtime = (fault for fault in known_faults() if runtime in ("", fault.runtime))
    return tuple(f for f in of_runtime if f.concerns(kind, dtypes) and (on_values or not f.on_values))


@cache
def known_faults() -> tuple[KnownFault, ...]:
    """Return every fault of the file. Raise ProfileError with the line for an invalid file."""
    file = read_yaml(rules_dir() / "arithmetic" / "known-faults.yaml", FILE)
    listed = file.only(("faults",)).get("faults")
    if not isinstance(listed, SequenceNode):
        raise ProfileError(FILE, 1, "faults is a list")
    return tuple(_fault(node) for node in listed)


def _fault(node: Node) -> KnownFault:
    entry: MappingNode = entries(node, FILE).only(_KEYS)
    missing = [key for key in _NEEDED if key not in entry]
    if missing:
        raise ProfileError(FILE, entry.line, f"a fault without {', '.join(missing)}")
    outcomes = entry.texts("outcome") or ("mismatch",)
    unknown = set(outcomes) - set(_OUTCOMES)
    if unknown:
        raise ProfileError(FILE, entry.line, f"there is no outcome {unknown.pop()!r}")
    versions, description = (entry.text(key) for key in ("versions", "does"))
    stated = entry.get("when")
    alternatives = tuple(stated) if isinstance(stated, SequenceNode) else (stated,) if stated else ()
    return KnownFault(
        tuple(entry.text("operator").split(", ")), entry.texts("types"), entry.texts("resolvers"),
        versions, description, entry.texts("beside"), outcomes, tuple(map(_condition, alternatives)),
        entry.text("depends_on") == "values", entry.text("see"), entry.line,
    )  # fmt: skip


def _condition(node: Node) -> Condition:
    stated = entries(node, FILE)
    unknown = next((name for name in stated.values if not is_known(name)), None)
    if unknown is not None:
        raise stated.wrong(unknown, f"there is no condition {unknown!r}")
    return tuple(
        (name, OneOf(tuple(map(_value, value))) if isinstance(value, SequenceNode) else _value(value))
        for name, value in stated.values.items()
    )


def _value(node: Node) -> Exactly | Range:
    """Return a word, a number or a range; the range ``512..`` has no end."""
    word = text(node)
    return Range(number(word[:-2], node), _ENDLESS) if word.endswith("..") else parse_constraint(node)

"""Profile as immutable values: the requirements of each operator, each with the line that states it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Protocol

from litecheck.finding import CPU, Demand, Effect, Level
from litecheck.profile.lazy_mapping import Lazy
from litecheck.profile.type_table import TypeTable
from litecheck.profile.yaml_reader import Node


@dataclass(frozen=True, slots=True)
class Exactly:
    """A number (``0``, ``1/256``) or a word (``int8``, ``per-axis``)."""

    value: Fraction | str
    tolerance: Fraction = Fraction(0)
    """Relative distance up to which a scale that is not exact only earns a warning."""

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Range:
    """A closed range, ``low..high``."""

    low: Fraction
    high: Fraction

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"


@dataclass(frozen=True, slots=True)
class OneOf:
    """Any of several words, numbers or ranges, ``[a, b]``."""

    values: tuple[Exactly | Range, ...]

    def __str__(self) -> str:
        return " or ".join(map(str, self.values))


@dataclass(frozen=True, slots=True)
class MultipleOf:
    """``{multiple_of: n}``."""

    n: Fraction

    def __str__(self) -> str:
        return f"a multiple of {self.n}"


@dataclass(frozen=True, slots=True)
class PowerOf:
    """``{power_of: 2}``: an integer power, positive or negative."""

    base: int

    def __str__(self) -> str:
        return f"a power of {self.base}"


@dataclass(frozen=True, slots=True)
class ProductOf:
    """``{product_of: [input, weight], ulps: 1}``: the float32 product of the factors' scales, per channel.

    A factor is a role or a rational. Off by more than ``ulps`` but at most a relative ``tolerance`` is a
    warning, beyond it a violation.
    """

    factors: tuple[str | Fraction, ...]
    ulps: int = 0
    tolerance: Fraction = Fraction(0)

    def __str__(self) -> str:
        return " x ".join(f"{f} scale" if isinstance(f, str) else str(f) for f in self.factors)


@dataclass(frozen=True, slots=True)
class SameAs:
    """``{same_as: role}``: the value of that role."""

    role: str

    def __str__(self) -> str:
        return f"that of {self.role}"


@dataclass(frozen=True, slots=True)
class Roles:
    """Roles that must share a scale and a zero point, equal bit for bit."""

    roles: tuple[str, ...]

    def __str__(self) -> str:
        return "one scale and zero point for " + " and ".join(self.roles)


Constraint = Exactly | Range | OneOf | MultipleOf | PowerOf | ProductOf | SameAs | Roles


def parts_of(value: Constraint) -> tuple[Constraint, ...]:
    """Return the alternatives of ``[a, b]``, or the constraint itself as a tuple."""
    return value.values if isinstance(value, OneOf) else (value,)


def words_of(value: Constraint) -> frozenset[str]:
    """Return the words and numbers that a constraint lists."""
    return frozenset(str(part.value) for part in parts_of(value) if isinstance(part, Exactly))


#: Required value of the requirement ``unsupported``.
NOTHING_OF_THE_KIND = Exactly("nothing of the kind")
#: Relaxed value if an extending profile lists an operator that its parent does not.
LISTED_HERE = Exactly("an operator with an entry here")


@dataclass(frozen=True, slots=True)
class Relaxation:
    """Values that an extending profile allows and its parent forbids; ``shows`` is ``waived`` or ``conforms``."""

    value: Constraint
    because: str
    by: Demand
    shows: str = "waived"


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement. ``path`` names it: OPERATOR/role/check, OPERATOR/check or OPERATOR/limits/measurement.

    ``effect`` is the impact on a model that violates it. ``faults`` are the kinds of faults with texts of their own.
    ``hint`` describes how to rewrite a violating model.
    """

    path: str
    verb: str
    role: str | None
    value: Constraint
    because: str
    see: str
    demand: Demand
    level: Level = "violation"
    relaxation: Relaxation | None = None
    effect: Effect = "the profile forbids it"
    faults: Mapping[str, Requirement] = field(default_factory=dict, hash=False)
    hint: str = ""

    def of(self, fault: str) -> Requirement:
        """Return the requirement with its texts for a kind of fault."""
        return self.faults.get(fault, self) if fault else self


@dataclass(frozen=True, slots=True)
class Exemption:
    """Types for which an operator's rule does not apply (``except:``); such operators are not covered."""

    role: str
    dtypes: tuple[str, ...]
    because: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """A named way to satisfy ``any_of``."""

    name: str
    requirements: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class OperatorRule:
    """Rule of a profile for an operator. ``activations`` are the roles whose type decides its scope."""

    opcode: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    optional: frozenset[str]
    repeated: frozenset[str]
    activations: tuple[str, ...]
    requirements: tuple[Requirement, ...]
    any_of: tuple[Alternative, ...] = ()
    exemptions: tuple[Exemption, ...] = ()
    unsupported: Requirement | None = None
    because: str = ""
    see: str = ""
    demand: Demand | None = None
    constants_count: bool = False
    """True if a constant can bring the operator into scope: only if the rule states its scope itself."""
    intermediates: tuple[str, ...] = ()
    nothing_to_judge: str = ""
    """Reason why the operator has nothing to check, used if it has no finding."""
    law: str = ""
    """Law of ``litecheck.model.shapes`` for its outputs."""
    any_tensor: Requirement | None = None
    """Requirement of the runtime for the parameters of any tensor, if the profile has a rule for TENSOR."""
    strict: bool = True
    """True if the quantized dimension must exist in the shape even if no kernel needs it. Only a runtime with a name
    and without a rule for TENSOR is known to load tensors without it."""
    stored_shapes: bool = False
    """True if the runtime computes with the shapes in the file."""

    @property
    def roles(self) -> tuple[str, ...]:
        """All operands: inputs, outputs, intermediates."""
        return (*self.inputs, *self.outputs, *self.intermediates)

    def own_requirements(self) -> Iterator[Requirement]:
        """Yield the requirements outside the alternatives. An operator on the CPU may still be rejected with the model."""
        if self.unsupported:
            yield self.unsupported
        if not self.unsupported or self.unsupported.effect == CPU:
            yield from self.requirements

    def all_requirements(self) -> Iterator[Requirement]:
        """Yield every requirement, with those of the alternatives; for an unsupported operator only ``unsupported``."""
        yield from self.own_requirements()
        if self.unsupported:
            return
        for alternative in self.any_of:
            yield from alternative.requirements


class Rules(Lazy[OperatorRule]):
    """Rules by operator."""

    def paths(self) -> list[str]:
        """Return the paths of all requirements."""
        return [r.path for rule in self.values() for r in rule.all_requirements()]


@dataclass(frozen=True, slots=True)
class Conformance:
    """Allowed distance between a device's outputs of an operator and the reference.

    ``tolerance`` is in LSB for integers, ``reals`` is a share of the output's largest magnitude; None if not stated.
    """

    tolerance: int | None
    reals: float | None
    because: str
    demand: Demand

    def over(self, other: Conformance) -> Conformance:
        """Return this conformance, with open values taken from another."""
        tolerance = other.tolerance if self.tolerance is None else self.tolerance
        return replace(self, tolerance=tolerance, reals=other.reals if self.reals is None else self.reals)


class GraphRewrites(Protocol):
    """The key ``rewrites`` of a profile, read by the kind of target (see :class:`litecheck.target_kinds.TargetKind`)."""

    def read(self, node: Node | None, file: str, profile: str) -> GraphRewrites:
        """Read the key over these inherited rewrites. Raise ProfileError."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Set of rules with a name, for operators whose activations have one type.

    ``unlisted`` is the status of an operator without a rule: ``not covered`` (a specification is silent), ``violation``
    (a target does not support it), or an effect, if a compiler decides. ``activations`` of ``any`` means operators of
    every type. ``judges`` is ``quantization``, ``structure`` or ``placement``: the aspect in which an operator
    conforms. ``runtime`` is the program with these requirements, with its version.
    """

    name: str
    title: str
    source: str
    file: str
    activations: tuple[str, ...]
    unlisted: str
    operators: Mapping[str, OperatorRule]
    extends: str | None = None
    unlisted_demand: Demand | None = None
    conformance: Mapping[str, Conformance] = field(default_factory=dict)
    """By operator, and ``*`` for all that have no entry."""
    runtime: str = ""
    judges: str = "quantization"
    unlisted_hints: Mapping[str, str] = field(default_factory=dict)
    """Alternatives to an operator without an entry, by its name."""
    target: str = ""
    """The kind of target whose code places operators, for profiles that judge placement."""
    rewrites: GraphRewrites | None = None
    """Changes that the target's compiler makes to the graph."""
    types: TypeTable | None = None
    """Types that the runtime supports, as measured."""
    stored_shapes: bool = False
    includes: tuple[Profile, ...] = ()

    def requirements(self) -> Iterator[Requirement]:
        """Return every requirement of every operator, in the file's order."""
        for rule in self.operators.values():
            yield from rule.all_requirements()

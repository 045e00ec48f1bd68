"""A profile as frozen values: what each operator must keep, each demand with the line that states it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Protocol

from litecheck.finding import CPU, Demand, Effect, Level
from litecheck.profile.lazy import Lazy
from litecheck.profile.yaml_reader import Node


@dataclass(frozen=True, slots=True)
class Exactly:
    """A number (``0``, ``1/256``) or a word (``int8``, ``per-axis``)."""

    value: Fraction | str
    tolerated: Fraction = Fraction(0)
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

    A factor is a role or a rational. Off by more than ``ulps`` but at most a relative ``tolerated`` is a
    warning, beyond it a violation.
    """

    factors: tuple[str | Fraction, ...]
    ulps: int = 0
    tolerated: Fraction = Fraction(0)

    def __str__(self) -> str:
        return " x ".join(f"{f} scale" if isinstance(f, str) else str(f) for f in self.factors)


@dataclass(frozen=True, slots=True)
class SameAs:
    """``{same_as: role}``: whatever that role has."""

    role: str

    def __str__(self) -> str:
        return f"that of {self.role}"


@dataclass(frozen=True, slots=True)
class Roles:
    """The roles that must share one scale and one zero point, bit for bit."""

    roles: tuple[str, ...]

    def __str__(self) -> str:
        return "one scale and zero point for " + " and ".join(self.roles)


Constraint = Exactly | Range | OneOf | MultipleOf | PowerOf | ProductOf | SameAs | Roles


def parts_of(value: Constraint) -> tuple[Constraint, ...]:
    """What a constraint lists: the alternatives of ``[a, b]``, or itself."""
    return value.values if isinstance(value, OneOf) else (value,)


def words_of(value: Constraint) -> frozenset[str]:
    """The words and numbers that a constraint lists."""
    return frozenset(str(part.value) for part in parts_of(value) if isinstance(part, Exactly))


#: What an operator must be that is ``unsupported``.
NOTHING_OF_THE_KIND = Exactly("nothing of the kind")
#: What passes where a profile does not list an operator, and one that extends it does.
LISTED_HERE = Exactly("an operator with an entry here")


@dataclass(frozen=True, slots=True)
class Relaxation:
    """What an extending profile lets pass that its parent forbids; ``shows`` is ``waived`` or ``conforms``."""

    value: Constraint
    because: str
    by: Demand
    shows: str = "waived"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One demand. ``path`` names it: OPERATOR/role/verb, OPERATOR/verb or OPERATOR/limits/measurement.

    ``effect`` is what becomes of a model that does not keep it. ``faults`` are the kinds of faults of which something
    else is true, by name. ``hint`` says how to rewrite a model that does not keep it.
    """

    path: str
    verb: str
    role: str | None
    value: Constraint
    because: str
    see: str
    demand: Demand
    level: Level = "violation"
    relaxed: Relaxation | None = None
    effect: Effect = "the profile forbids it"
    faults: tuple[tuple[str, Requirement], ...] = ()
    hint: str = ""

    def of(self, fault: str) -> Requirement:
        """The requirement as it speaks of one kind of fault."""
        return next((own for name, own in self.faults if name == fault), self) if fault else self


@dataclass(frozen=True, slots=True)
class Exemption:
    """Operand types for which an operator's rule does not speak (``except:``); such operators are not covered."""

    role: str
    dtypes: tuple[str, ...]
    because: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """One named way to satisfy ``any_of``."""

    name: str
    requirements: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class OperatorRule:
    """All that one profile says of one operator. ``activations`` are the roles whose type decides its scope."""

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
    """Whether a constant can bring the operator into scope: only where the rule states its scope itself."""
    intermediates: tuple[str, ...] = ()
    nothing_to_judge: str = ""
    """Why the operator has nothing that could be judged, where that is so and nothing is found."""
    law: str = ""
    """The law of ``litecheck.model.shapes`` its results keep."""
    any_tensor: Requirement | None = None
    """What the runtime demands of the parameters of any tensor, where the profile says it under TENSOR."""
    strict: bool = True
    """Whether a quantized dimension must be one the shape has even where nobody needs it. Only a runtime that is named
    and of which nothing is said under TENSOR is known to load such tensors."""

    @property
    def roles(self) -> tuple[str, ...]:
        """All operands: inputs, outputs, intermediates."""
        return (*self.inputs, *self.outputs, *self.intermediates)

    def own_requirements(self) -> Iterator[Requirement]:
        """Those that no alternative states. An operator that stays on the CPU may still be refused with the model."""
        if self.unsupported:
            yield self.unsupported
        if not self.unsupported or self.unsupported.effect == CPU:
            yield from self.requirements

    def all_requirements(self) -> Iterator[Requirement]:
        """Every requirement, those of the alternatives included; of an unsupported operator only that it is."""
        yield from self.own_requirements()
        if self.unsupported:
            return
        for alternative in self.any_of:
            yield from alternative.requirements


class Rules(Lazy[OperatorRule]):
    """Rules by operator."""

    def paths(self) -> list[str]:
        """The paths of all requirements."""
        return [r.path for rule in self.values() for r in rule.all_requirements()]


@dataclass(frozen=True, slots=True)
class Conformance:
    """How far a device's outputs of an operator may lie from the reference: ``tolerance`` in LSB for integers,
    ``reals`` as a share of the output's largest magnitude; None where nothing is stated."""

    tolerance: int | None
    reals: float | None
    because: str
    demand: Demand

    def over(self, other: Conformance) -> Conformance:
        """Itself, with what it leaves unstated taken from another."""
        tolerance = other.tolerance if self.tolerance is None else self.tolerance
        return replace(self, tolerance=tolerance, reals=other.reals if self.reals is None else self.reals)


class GraphRewrites(Protocol):
    """The key ``rewrites`` of a profile, read by the kind of target (see :class:`litecheck.target_kinds.TargetKind`)."""

    def read(self, node: Node | None, file: str, profile: str) -> GraphRewrites:
        """Read the key over these inherited rewrites. Raises ProfileError."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A named set of rules for operators whose activations have one type.

    ``unlisted`` says what an operator without a rule is: ``not covered`` (a specification is silent), ``violation``
    (a target does not support it), or an effect, where a compiler decides. ``activations`` of ``any`` means operators of
    every type. ``judges`` is ``quantization``, ``structure`` or ``placement``: what it is that an operator conforms in.
    ``runtime`` is the program whose demands these are, with its version.
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
    """How to do without an operator that has no entry, by its name."""
    target: str = ""
    """The kind of target whose code places operators, for profiles that judge placement."""
    rewrites: GraphRewrites | None = None
    """Changes that the target's compiler makes to the graph."""

    def requirements(self) -> Iterator[Requirement]:
        """Every requirement of every operator, in the file's order."""
        for rule in self.operators.values():
            yield from rule.all_requirements()

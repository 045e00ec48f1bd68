"""A profile as its file states it: kinds, operators and limits with their lines, before kinds are applied."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from litecheck.errors import ProfileError
from litecheck.finding import Demand
from litecheck.profile.types import Constraint, Exemption

#: The verbs an operand can be held to, in the order they are checked.
OPERAND_VERBS = ("dtype", "granularity", "axis", "zero_point", "scale", "range")


@dataclass(frozen=True, slots=True)
class Stated:
    """One value as a file states it, with its reason and line."""

    value: Constraint
    because: str
    see: str
    demand: Demand


@dataclass(frozen=True, slots=True)
class RoleDraft:
    """What is said of one operand: its kind, and what is said beside it."""

    kind: str | None
    stated: dict[str, Stated]


@dataclass(frozen=True, slots=True)
class Clause:
    """A group of demands: an operator's own, or those of one alternative."""

    roles: dict[str, RoleDraft] = field(default_factory=dict)
    same_quantization: Stated | None = None
    limits: dict[str, Stated] = field(default_factory=dict)
    shapes: Stated | None = None


@dataclass(frozen=True, slots=True)
class OperatorDraft:
    """One operator's entry."""

    opcode: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    optional: frozenset[str]
    repeated: frozenset[str]
    clause: Clause
    any_of: dict[str, Clause]
    exemptions: tuple[Exemption, ...]
    unsupported: Stated | None
    scope: tuple[str, ...]
    because: str
    see: str
    demand: Demand
    intermediates: tuple[str, ...] = ()
    nothing_to_judge: str = ""
    presence: str = ""
    """Why operands must be present, where the entry itself says which may be absent."""

    @property
    def roles(self) -> tuple[str, ...]:
        """All operands."""
        return (*self.inputs, *self.outputs, *self.intermediates)


def merge(base: OperatorDraft, child: OperatorDraft) -> OperatorDraft:
    """A child's entry over its parent's, demand by demand."""
    return replace(
        child,
        clause=_merge_clause(base.clause, child.clause),
        any_of={
            name: _merge_clause(base.any_of.get(name, Clause()), child.any_of.get(name, Clause()))
            for name in {**base.any_of, **child.any_of}
        },
        unsupported=child.unsupported or base.unsupported,
        because=child.because or base.because,
        see=child.see or base.see,
        nothing_to_judge=child.nothing_to_judge or base.nothing_to_judge,
        presence=child.presence or base.presence,
    )


def include(draft: OperatorDraft, part: OperatorDraft) -> OperatorDraft:
    """An entry with the demands of another profile's entry for the same operator; its own hold where both speak.

    What may be absent, the scope and the reason stay the entry's. Raises ProfileError where the operands differ.
    """
    for mine, other in ((draft.inputs, part.inputs), (draft.outputs, part.outputs)):
        if mine != other:
            message = (
                f"{part.opcode}: the operands {', '.join(other)} are {', '.join(mine)} in {draft.demand}"
            )
            raise ProfileError(part.demand.file, part.demand.line, message)
    return replace(
        draft,
        clause=_merge_clause(part.clause, draft.clause),
        nothing_to_judge=draft.nothing_to_judge or part.nothing_to_judge,
    )


def _merge_clause(base: Clause, child: Clause) -> Clause:
    roles = dict(base.roles)
    for name, role in child.roles.items():
        old = roles.get(name, RoleDraft(None, {}))
        roles[name] = RoleDraft(role.kind or old.kind, {**old.stated, **role.stated})
    return Clause(
        roles,
        child.same_quantization or base.same_quantization,
        {**base.limits, **child.limits},
        child.shapes or base.shapes,
    )

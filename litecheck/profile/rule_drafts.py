"""Profile as stated in its file: operators and limits with their lines; and the requirements that entries become."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from litecheck.errors import ProfileError
from litecheck.finding import Demand
from litecheck.profile.types import Constraint, Exactly, Exemption, OneOf, Range, Requirement
from litecheck.quantization import INTEGER_RANGES
from litecheck.summary_text import count_of

#: Value that removes a limit.
_ANY = Exactly("any")
#: Checks of an operand, in order.
OPERAND_VERBS = ("dtype", "granularity", "axis", "zero_point", "scale", "range")


@dataclass(frozen=True, slots=True)
class RawRequirement:
    """Value stated in a file, with its reason and line."""

    value: Constraint
    because: str
    see: str
    demand: Demand


@dataclass(frozen=True, slots=True)
class RoleDraft:
    """Statements about an input or output: its kind, and further requirements."""

    kind: str | None
    requirements: dict[str, RawRequirement]


@dataclass(frozen=True, slots=True)
class ConditionBlock:
    """Group of requirements: an operator's own, or those of an alternative."""

    roles: dict[str, RoleDraft] = field(default_factory=dict)
    same_quantization: RawRequirement | None = None
    limits: dict[str, RawRequirement] = field(default_factory=dict)
    shapes: RawRequirement | None = None


@dataclass(frozen=True, slots=True)
class OperatorDraft:
    """Entry of an operator."""

    opcode: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    optional: frozenset[str]
    repeated: frozenset[str]
    clause: ConditionBlock
    any_of: dict[str, ConditionBlock]
    exemptions: tuple[Exemption, ...]
    unsupported: RawRequirement | None
    scope: tuple[str, ...]
    because: str
    see: str
    demand: Demand
    intermediates: tuple[str, ...] = ()
    nothing_to_judge: str = ""
    presence: str = ""
    """Reason why inputs must be present, if the entry itself states the optional ones."""
    implicit_operands: bool = False
    """True if the entry names no inputs or outputs: it only states that the operator is unsupported."""
    parent_requirement: Requirement | None = None
    """Requirement of the parent for an operator that it does not list, if this entry lists it."""

    @property
    def roles(self) -> tuple[str, ...]:
        """All operands."""
        return (*self.inputs, *self.outputs, *self.intermediates)


def merge(base: OperatorDraft, child: OperatorDraft) -> OperatorDraft:
    """Return a child's entry over its parent's, requirement by requirement."""
    return replace(
        child,
        clause=_merge_clause(base.clause, child.clause),
        any_of={
            name: _merge_clause(
                base.any_of.get(name, ConditionBlock()), child.any_of.get(name, ConditionBlock())
            )
            for name in {**base.any_of, **child.any_of}
        },
        unsupported=child.unsupported or base.unsupported,
        because=child.because or base.because,
        see=child.see or base.see,
        nothing_to_judge=child.nothing_to_judge or base.nothing_to_judge,
        presence=child.presence or base.presence,
        implicit_operands=base.implicit_operands,
        parent_requirement=base.parent_requirement,
    )


def under(draft: OperatorDraft, every: OperatorDraft) -> OperatorDraft:
    """Return an entry with the limits of every operator; its own limits have priority, and ``any`` removes a limit."""
    clause = draft.clause
    return replace(draft, clause=replace(clause, limits={**every.clause.limits, **clause.limits}))


def include(draft: OperatorDraft, part: OperatorDraft) -> OperatorDraft:
    """Return an entry with the requirements of another profile's entry for the operator; its own have priority.

    Optional inputs, scope and reason remain the entry's. Raise ProfileError if the operands differ.
    """
    if draft.implicit_operands:
        sides = {
            key: getattr(part, key) for key in ("inputs", "outputs", "intermediates", "optional", "repeated")
        }
        draft = replace(draft, **sides)
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


def _merge_clause(base: ConditionBlock, child: ConditionBlock) -> ConditionBlock:
    roles = dict(base.roles)
    for name, role in child.roles.items():
        old = roles.get(name, RoleDraft(None, {}))
        roles[name] = RoleDraft(role.kind or old.kind, {**old.requirements, **role.requirements})
    return ConditionBlock(
        roles,
        child.same_quantization or base.same_quantization,
        {**base.limits, **child.limits},
        child.shapes or base.shapes,
    )


def presence(draft: OperatorDraft) -> Iterator[Requirement]:
    """Yield requirements on the number of inputs and outputs, and on those that must be present."""
    count = Exactly(f"{_span(draft, draft.inputs, 'input')} and {_span(draft, draft.outputs, 'output')}")
    see = draft.see
    if not all(any(role in draft.repeated for role in side) for side in (draft.inputs, draft.outputs)):
        because = "the operator has no others"
        yield Requirement(f"{draft.opcode}/operands", "operands", None, count, because, see, draft.demand)
    because = draft.presence or "the operator is not defined without it"
    for role in draft.roles:
        if role not in draft.optional:
            path = f"{draft.opcode}/{role}/operands"
            yield Requirement(path, "operands", role, Exactly("present"), because, see, draft.demand)


def listing_requirement(opcode: str, stated: RawRequirement) -> Requirement:
    """Return the requirement that a model does not have the operator, or only listed operators."""
    path = f"{opcode}/unsupported"
    return Requirement(path, "unsupported", None, stated.value, stated.because, stated.see, stated.demand)


def demands(
    draft: OperatorDraft, clause: ConditionBlock, kinds: Mapping[str, Mapping[str, RawRequirement]]
) -> Iterator[Requirement]:
    """Yield the requirements of an operator or an alternative: by role, then shared parameters, limits and shapes."""
    for role, spoken in clause.roles.items():
        stated = {**kinds.get(spoken.kind or "", {}), **spoken.requirements}
        for verb in OPERAND_VERBS:
            if verb in stated and not (verb == "range" and _covers_type(stated)):
                s = stated[verb]
                path = f"{draft.opcode}/{role}/{verb}"
                yield Requirement(path, verb, role, s.value, s.because, s.see, s.demand)
    if clause.same_quantization:
        s = clause.same_quantization
        path = f"{draft.opcode}/same_quantization"
        yield Requirement(path, "same_quantization", None, s.value, s.because, s.see, s.demand)
    for name, s in clause.limits.items():
        if s.value == _ANY:
            continue
        yield Requirement(
            f"{draft.opcode}/limits/{name}", "limits", None, s.value, s.because, s.see, s.demand
        )
    if clause.shapes:
        s = clause.shapes
        yield Requirement(f"{draft.opcode}/shapes", "shapes", None, s.value, s.because, s.see, s.demand)


def _covers_type(stated: Mapping[str, RawRequirement]) -> bool:
    """Return True if a range allows every value of the types, so that it is not a requirement."""
    span = stated["range"].value
    types = stated["dtype"].value if "dtype" in stated else None
    words = types.values if isinstance(types, OneOf) else (types,)
    ranges = [INTEGER_RANGES.get(str(t.value)) if isinstance(t, Exactly) else None for t in words]
    return isinstance(span, Range) and all(
        r is not None and span.low <= r[0] and r[1] <= span.high for r in ranges
    )


def _span(draft: OperatorDraft, side: tuple[str, ...], noun: str) -> str:
    """Return the number of inputs or outputs in words: ``2 inputs``, ``2 to 3 inputs``, ``at least 1 input``."""
    least = len(side) - sum(role in draft.optional for role in side)
    if any(role in draft.repeated for role in side):
        return f"at least {count_of(least, noun)}"
    return ("" if least == len(side) else f"{least} to ") + count_of(len(side), noun)

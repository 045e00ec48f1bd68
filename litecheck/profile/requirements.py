"""From an operator's entry to requirements: which operands there are, and what each must keep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from litecheck.profile.parsed import OPERAND_VERBS, Clause, OperatorDraft, Stated
from litecheck.profile.types import Exactly, OneOf, Range, Requirement
from litecheck.quantization import INTEGER_RANGES
from litecheck.report import counted


def presence(draft: OperatorDraft) -> Iterator[Requirement]:
    """How many operands there are, and which must be present."""
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


def demands(
    draft: OperatorDraft, clause: Clause, kinds: Mapping[str, Mapping[str, Stated]]
) -> Iterator[Requirement]:
    """What one form of an operator must keep: operand by operand, then what is shared, limits and shapes."""
    for role, spoken in clause.roles.items():
        stated = {**kinds.get(spoken.kind or "", {}), **spoken.stated}
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
        yield Requirement(
            f"{draft.opcode}/limits/{name}", "limits", None, s.value, s.because, s.see, s.demand
        )
    if clause.shapes:
        s = clause.shapes
        yield Requirement(f"{draft.opcode}/shapes", "shapes", None, s.value, s.because, s.see, s.demand)


def _covers_type(stated: Mapping[str, Stated]) -> bool:
    """Whether a range lets every value of the operand's types pass, which then is no demand at all."""
    span = stated["range"].value
    types = stated["dtype"].value if "dtype" in stated else None
    words = types.values if isinstance(types, OneOf) else (types,)
    ranges = [INTEGER_RANGES.get(str(t.value)) if isinstance(t, Exactly) else None for t in words]
    return isinstance(span, Range) and all(
        r is not None and span.low <= r[0] and r[1] <= span.high for r in ranges
    )


def _span(draft: OperatorDraft, side: tuple[str, ...], noun: str) -> str:
    """How many operands one side may have: ``2 inputs``, ``2 to 3 inputs``, ``at least 1 input``."""
    least = len(side) - sum(role in draft.optional for role in side)
    if any(role in draft.repeated for role in side):
        return f"at least {counted(least, noun)}"
    return ("" if least == len(side) else f"{least} to ") + counted(len(side), noun)

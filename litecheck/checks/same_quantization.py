"""Check ``same_quantization``: several tensors have the same scale, equal bit for bit, and the same zero point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from litecheck.checks.bound_operator import (
    NONE,
    BoundOperand,
    BoundOperator,
    Check,
    Fault,
    at,
    may_lack_quantization,
)
from litecheck.checks.granularity import find_malformed_parameters
from litecheck.checks.scale import valid
from litecheck.checks.wording import scale_text
from litecheck.profile.types import Constraint, OperatorRule, Requirement, Roles

_NONE = (b"", b"", 0)


def checker(rule: OperatorRule, requirement: Requirement, value: Constraint) -> Check:
    """Return the check: a single fault for all tensors that differ from the majority."""
    roles = value.roles if isinstance(value, Roles) else ()

    def check(bound: BoundOperator) -> Sequence[Fault]:
        operands = [o for role in roles for o in bound.roles[role]]
        if not operands:
            return NONE
        first = operands[0].facts
        if first.single and all(
            o.facts.single and o.facts.scale == first.scale and o.facts.zero_point == first.zero_point
            for o in operands
        ):
            return NONE
        return _find_minority(bound, [o for o in operands if bound.is_valid(o.tensor)])

    return check


def _find_minority(bound: BoundOperator, operands: Sequence[BoundOperand]) -> Sequence[Fault]:
    keyed = [(operand, key) for operand in operands if (key := _parameter_key(bound, operand)) is not None]
    counts = Counter(key for _, key in keyed)
    if len(counts) < 2:
        return NONE
    usual = max(counts, key=lambda key: (counts[key], -[k for _, k in keyed].index(key)))
    other = [operand for operand, key in keyed if key != usual]
    rest = next(operand for operand, key in keyed if key == usual)
    more = f" (and {len(other) - 1} more differ)" if len(other) > 1 else ""
    odd = f"{_operand_text(other[0])} has {_parameters(other[0])}"
    found = f"{odd}{more}; {_operand_text(rest)} has {_parameters(rest)}{_ulp_text(other[0], rest)}"
    return (at(other[0], found),)


def _parameter_key(bound: BoundOperator, operand: BoundOperand) -> tuple[bytes, bytes, int] | None:
    """Return the bits of scales, zero points and axis; None if another check reports the tensor."""
    q = operand.tensor.quantization
    if q.details is not None:
        return None
    if not q.scale.size:
        return _NONE if may_lack_quantization(bound.rule, operand.role) else None
    if find_malformed_parameters(operand.facts, None, strictly=False) or not valid(q.scale).all():
        return None
    return q.scale.tobytes(), q.zero_point.tobytes(), q.axis if q.scale.size > 1 else 0


def _operand_text(operand: BoundOperand) -> str:
    return operand.role if operand.position is None else f"{operand.role}[{operand.position}]"


def _parameters(operand: BoundOperand) -> str:
    q = operand.tensor.quantization
    if not q.scale.size:
        return "no quantization"
    if q.scale.size > 1:
        return f"{q.scale.size} scales along dimension {q.axis}"
    return f"scale {scale_text(q.scale[0])}, zero point {q.zero_point[0]}"


def _ulp_text(a: BoundOperand, b: BoundOperand) -> str:
    """Return the distance of two scales in ulps if it is 1 to 99, where decimals would not show the difference, else
    ""."""
    p, q = a.tensor.quantization.scale, b.tensor.quantization.scale
    if p.size != 1 or q.size != 1:
        return ""
    ulps = abs(int(p.view(np.int32)[0]) - int(q.view(np.int32)[0]))
    return f" ({ulps} ulp{'s' if ulps > 1 else ''} apart)" if 0 < ulps < 100 else ""

"""Check ``zero_point``: every zero point is the value, or in the range, that the rule allows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from litecheck.checks.bound_operator import BoundOperand, BoundOperator, Check, Fault, at, channel, types
from litecheck.profile.types import Constraint, Exactly, OneOf, OperatorRule, Range, Requirement
from litecheck.quantization import INTEGER_RANGES


def checker(rule: OperatorRule, requirement: Requirement, value: Constraint) -> Check:
    """Return the check of zero points; a fault has the farthest zero point and the number of wrong zero points."""
    role = requirement.role or ""
    spans, allowed = _spans(value), types(rule, role)
    one = spans[0] if len(spans) == 1 else None

    def check(bound: BoundOperator) -> Sequence[Fault]:
        faults: list[Fault] = []
        for operand in bound.roles[role]:
            facts = operand.facts
            number = facts.zero_point
            if facts.single and one:
                fine = one[0] <= number <= one[1]
            elif facts.single:
                fine = any(low <= number <= high for low, high in spans)
            else:  # the check of granularity reports a wrong number of zero points
                fine = facts.scales != facts.zero_points or not facts.scales
            if not fine and (allowed is None or facts.dtype in allowed):
                faults += _farthest(operand, spans)
        return faults

    return check


def _spans(value: Constraint) -> tuple[tuple[int, int], ...]:
    """Return the closed ranges of integers that a constraint allows."""
    parts = value.values if isinstance(value, OneOf) else (value,)
    ranges = [(p.low, p.high) for p in parts if isinstance(p, Range)]
    ranges += [(p.value, p.value) for p in parts if isinstance(p, Exactly) and not isinstance(p.value, str)]
    return tuple((int(low), int(high)) for low, high in ranges)


def _farthest(operand: BoundOperand, spans: tuple[tuple[int, int], ...]) -> Sequence[Fault]:
    values = operand.tensor.quantization.zero_point
    bad: NDArray[np.bool_] = np.ones(len(values), np.bool_)
    for low, high in spans:
        bad &= (values < low) | (values > high)
    if not bad.any():
        return ()
    worst = int(np.argmax(np.where(bad, np.abs(values.astype(np.float64)), -1.0)))
    found = f"zero point is {values[worst]}{channel(worst, bad)}"
    least, most = INTEGER_RANGES.get(operand.facts.dtype, (values[worst], values[worst]))
    kind = "" if least <= values[worst] <= most else "outside_type"
    return (at(operand, found, channels=int(bad.sum()), kind=kind),)

"""Check ``range``: the stored values of a constant lie in the required range."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from litecheck.checks.bound_operator import NONE, BoundOperator, Check, Fault, at, types
from litecheck.model.stored_values import in_range, out_of_range
from litecheck.profile.types import Constraint, Exactly, OperatorRule, Range, Requirement
from litecheck.quantization import INTEGER_RANGES


def checker(rule: OperatorRule, requirement: Requirement, value: Constraint) -> Check:
    """Return the check of a constant's values; values computed at run time are not checked."""
    if isinstance(value, Exactly) and not isinstance(value.value, str):
        value = Range(value.value, value.value)
    if not isinstance(value, Range):
        return lambda bound: NONE
    low, high, role = int(value.low), int(value.high), requirement.role or ""
    allowed = types(rule, role)

    def check(bound: BoundOperator) -> Sequence[Fault]:
        faults = []
        for operand in bound.roles[role]:
            tensor = operand.tensor
            if tensor.data is None or not (allowed is None or tensor.dtype in allowed):
                continue
            least, most = INTEGER_RANGES.get(tensor.dtype, (low, high))
            if (low <= least and most <= high) or in_range(tensor, low, high):
                continue
            count, first, worst = out_of_range(tensor, low, high)
            place = list(map(int, np.unravel_index(first, tensor.shape))) if tensor.shape else []
            values = f"{count:,} of {tensor.size:,} values lie outside"
            kind = "unsigned" if tensor.dtype.startswith("u") else ""
            faults.append(at(operand, f"{values}, first at {place}, the farthest is {worst}", kind=kind))
        return faults

    return check

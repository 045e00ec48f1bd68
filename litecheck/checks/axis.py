"""Check ``axis``: several scales belong to the dimension that the kernel reads them along.

LiteRT accepts another dimension silently where the sizes coincide and still computes along its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.checks.bound_operator import BoundOperator, Check, Fault, at, dimension, types
from litecheck.profile.types import Constraint, OperatorRule, Requirement


def checker(rule: OperatorRule, requirement: Requirement, value: Constraint) -> Check:
    """Return the check of the quantized dimension; a tensor with a single scale always passes."""
    role = requirement.role or ""
    wanted, allowed = dimension(value), types(rule, role)

    def check(bound: BoundOperator) -> Sequence[Fault]:
        faults = []
        for operand in bound.roles[role]:
            if operand.facts.scales < 2 or not (allowed is None or operand.facts.dtype in allowed):
                continue
            axis, shape = operand.tensor.quantization.axis, operand.tensor.shape
            if 0 <= axis < len(shape) and axis != wanted:
                faults.append(at(operand, f"its quantized dimension is {axis}, of shape {list(shape)}"))
        return faults

    return check

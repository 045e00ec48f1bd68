"""Check ``axis``: several scales belong to the dimension that the kernel reads them along.

A kernel that counts the scales accepts another dimension of the same length, and still computes along its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from litecheck.checks.bound_operator import BoundOperator, Check, Fault, at, dimension, types
from litecheck.finding import IGNORED, UNSPECIFIED
from litecheck.profile.load import SPECIFICATION
from litecheck.profile.operators import traits_of
from litecheck.profile.types import Constraint, OperatorRule, Requirement
from litecheck.quantization import Blockwise

#: Fault of a bias of shape (1, 1, 1, C): kernels read it as C values, whatever its rank.
_FLAT: Any = {
    "level": "note",
    "because": "the kernel reads a bias of any rank as a vector",
}


def checker(rule: OperatorRule, requirement: Requirement, value: Constraint) -> Check:
    """Return the check of the quantized dimension; a tensor with a single scale always passes."""
    role = requirement.role or ""
    wanted, allowed = dimension(value), types(rule, role)
    is_bias = traits_of(rule.opcode).inputs.get(role) == "bias"
    ignored = UNSPECIFIED if requirement.demand.profile == SPECIFICATION else IGNORED

    def check(bound: BoundOperator) -> Sequence[Fault]:
        faults = []
        for operand in bound.roles[role]:
            if isinstance(operand.facts.details, Blockwise) and operand.tensor.quantization.axis != wanted:
                found = f"its quantized dimension is {operand.tensor.quantization.axis}"
                faults.append(at(operand, found, kind="blockwise"))
            if operand.facts.scales < 2 or not (allowed is None or operand.facts.dtype in allowed):
                continue
            axis, shape = operand.tensor.quantization.axis, operand.tensor.shape
            if 0 <= axis < len(shape) and axis != wanted:
                flat = is_bias and operand.tensor.size == shape[axis]
                found = f"its quantized dimension is {axis}, of shape {list(shape)}"
                same = wanted is not None and wanted < len(shape) and shape[axis] == shape[wanted]
                told: Any = {**_FLAT, "effect": ignored} if flat else {"kind": "same_length"} if same else {}
                faults.append(at(operand, found, **told))
        return faults

    return check

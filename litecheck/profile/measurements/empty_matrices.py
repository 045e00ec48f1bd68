"""Measurements of BATCH_MATMUL with dimensions of length 0."""

from __future__ import annotations

from itertools import zip_longest
from math import prod

from litecheck.model.build import qparams
from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands, one_scale
from litecheck.profile.measurements.register import dimensions, measures
from litecheck.profile.operator_plan import Plan


def _set_empty(plan: Plan, value: int) -> Plan | None:
    rows = (0 if value > 1 else 2, 0 if value else 3)
    plan = plan.edit("lhs", lambda t: dimensions(t.but(dtype="float32", values=None), rows))
    columns = (rows[1], 0 if value > 3 else 4)
    return plan.edit("rhs", lambda t: dimensions(t, columns)) if 0 <= value < 5 else None


def _with_hybrid_matrices(plan: Plan, lhs: tuple[int, ...], rhs: tuple[int, ...]) -> Plan:
    """Give a plan a float32 lhs and an int8 rhs with these dimensions."""
    plan = plan.edit("lhs", lambda t: dimensions(t.but(dtype="float32", values=None), lhs))
    plan = plan.edit("rhs", lambda t: dimensions(t.but(dtype="int8", quantization=qparams(0.25)), rhs))
    return plan.option(adj_x=False, adj_y=False)


def _set_columns(plan: Plan, value: int) -> Plan | None:
    shape = (0, 3, value) if value else (1, 3, 4)
    return _with_hybrid_matrices(plan, (1, 2, 3), shape) if value >= 0 else None


def _set_rows(plan: Plan, value: int) -> Plan | None:
    depth = 0 if value else 3
    plan = _with_hybrid_matrices(plan, (max(value, 0) or 2, depth), (depth, 4))
    return plan.option(asymmetric_quantize_inputs=False) if value >= 0 else None


def batch_pairs(lhs: Tensor, rhs: Tensor) -> list[tuple[int, int]]:
    """Return the batch dimensions of two matrices, from the last on. Example: (5, 2, 3) and (3, 4) give [(5, 1)]."""
    left, right = lhs.shape[:-2][::-1], rhs.shape[:-2][::-1]
    return list(zip_longest(left, right, fillvalue=1))


def is_delegated_product(operands: Operands) -> bool:
    """Return True if XNNPACK takes a BATCH_MATMUL: float32 inputs, or int8 with a single scale and zero point 0 of rhs."""
    lhs, rhs, output = (operands.one(role) for role in ("lhs", "rhs", "output"))
    if lhs is None or rhs is None or output is None:
        return False
    if lhs.dtype != "int8":
        return lhs.dtype == "float32"
    sides = (lhs, rhs, output)
    single = all(side.dtype == "int8" and one_scale(side) is not None for side in sides)
    return single and not rhs.quantization.zero_point.any()


@measures(_set_empty)
def delegated_empty_dimensions(operands: Operands) -> Measured:
    """Number of dimensions of length 0 in the matrices of a BATCH_MATMUL that XNNPACK takes, and 1 for a batch of 0 that
    becomes 1: XNNPACK broadcasts 0 and 1 to 1. Example: lhs (2, 0, 3) and rhs (2, 3, 4) give 1.

    An int8 matrix with a batch of 0 beside float32 has the measurement ``columns_without_matrices`` instead.
    """
    lhs, rhs = operands.one("lhs"), operands.one("rhs")
    if lhs is None or rhs is None or not is_delegated_product(operands):
        return None
    empty = (lhs.shape[-2:] + rhs.shape[-2:]).count(0)
    if columns_without_matrices(operands):
        return empty
    pairs = batch_pairs(lhs, rhs)
    return empty + (any(0 in pair for pair in pairs) and all(max(pair) for pair in pairs))


@measures(_set_columns)
def columns_without_matrices(operands: Operands) -> Measured:
    """Number of columns of an int8 rhs with a batch dimension of 0 beside a float32 lhs, with zero point 0: XNNPACK takes
    it and quantizes the rows of lhs. Example: rhs (0, 3, 4) gives 4, and (1, 3, 4) gives 0."""
    lhs, rhs = operands.one("lhs"), operands.one("rhs")
    if lhs is None or rhs is None or len(rhs.shape) < 2 or (lhs.dtype, rhs.dtype) != ("float32", "int8"):
        return None
    if prod(rhs.shape[:-2]) or rhs.quantization.zero_point.any():
        return 0
    return rhs.shape[-2 if operands.option("adj_y") else -1]


@measures(_set_rows)
def symmetric_rows_without_depth(operands: Operands) -> Measured:
    """Number of lhs rows of BATCH_MATMUL with a depth of 0, or 0 with ``asymmetric_quantize_inputs``. Example: lhs
    (5, 2, 0) gives 10."""
    lhs = operands.one("lhs")
    if lhs is None or len(lhs.shape) < 2:
        return None
    rows, depth = lhs.shape[-2:][:: -1 if operands.option("adj_x") else 1]
    return 0 if depth or operands.option("asymmetric_quantize_inputs") else prod(lhs.shape[:-2]) * rows

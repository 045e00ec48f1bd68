"""Measurements of products of two computed matrices: BATCH_MATMUL, and FULLY_CONNECTED with computed weights."""

from __future__ import annotations

from litecheck.profile.measurements.measured_operator import Measured, Operands, integer
from litecheck.profile.measurements.register import measures
from litecheck.profile.measurements.vocabulary import TYPES
from litecheck.targets.generators.axes import set_matmul_columns, set_matmul_depth, set_matmul_dtype
from litecheck.targets.measurements.feature_maps import NPU_TYPES


@measures(set_matmul_depth)
def matmul_depth(operands: Operands) -> Measured:
    """Number of products per output element of BATCH_MATMUL, or of FULLY_CONNECTED with computed weights. Example: lhs
    (1, 2, 16) and rhs (1, 16, 4) give 16."""
    lhs, rhs = operands.one("lhs"), operands.one("rhs")
    if lhs is not None and rhs is not None:
        if len(lhs.shape) < 2:
            return None
        return lhs.shape[-2] if integer(operands, "adj_x") else lhs.shape[-1]
    weight = operands.one("weight")
    return weight.shape[-1] if weight is not None and weight.shape and weight.data is None else None


@measures(set_matmul_columns)
def matmul_columns(operands: Operands) -> Measured:
    """Last output dimension of BATCH_MATMUL, or of FULLY_CONNECTED with computed weights. Example: output (1, 2, 4)
    gives 4."""
    weight, output = operands.one("weight"), operands.one("output")
    if output is None or not output.shape or (weight is not None and weight.data is not None):
        return None
    return output.shape[-1]


@measures(set_matmul_dtype, *NPU_TYPES, gives=TYPES)
def matmul_input_dtype(operands: Operands) -> Measured:
    """Input dtype of BATCH_MATMUL, or of FULLY_CONNECTED with computed weights. Example: BATCH_MATMUL of int8 gives
    int8."""
    weight = operands.one("weight")
    tensor = operands.one("lhs") if weight is None else operands.one("input") if weight.data is None else None
    return None if tensor is None else tensor.dtype

"""Measurements of GATHER, SCATTER_ND and SELECT."""

from __future__ import annotations

from typing import Any

from litecheck.profile.measurements.measured_operator import Measured, Operands, integer
from litecheck.profile.measurements.register import measures
from litecheck.profile.operator_plan import Plan
from litecheck.targets.ethos_u.measurements.reductions import input_shape
from litecheck.targets.generators.axes import set_batch_axis_mismatch, set_index_depth
from litecheck.targets.generators.feature_maps import with_dtype


@measures(set_batch_axis_mismatch)
def batch_axis_mismatch(operands: Operands) -> Measured:
    """Difference between the options axis and batch_dims of GATHER. Example: axis 2 and batch_dims 0 give 2."""
    axis, batch, shape = integer(operands, "axis"), integer(operands, "batch_dims"), input_shape(operands)
    if axis is None or batch is None or shape is None:
        return None
    return abs((axis + len(shape) if axis < 0 else axis) - (batch + len(shape) if batch < 0 else batch))


@measures(set_index_depth)
def index_depth(operands: Operands) -> Measured:
    """Last dimension of the indices: the number of dimensions that one index addresses. Example: indices of shape
    (5, 2) give 2."""
    indices = operands.one("indices")
    return None if indices is None or not indices.shape else indices.shape[-1]


def _set_select_dtypes(plan: Plan, value: Any) -> Plan | None:
    if value not in (0, 1) or plan.one("on_false") is None:
        return None
    return plan.edit("on_true", lambda t: with_dtype(t.but(values=None), "int16" if value else "int8"))


@measures(_set_select_dtypes)
def select_dtype_mismatch(operands: Operands) -> Measured:
    """1 if on_true, on_false and output of a SELECT differ in dtype, or the condition does not match them, else 0.
    Example: bool condition, int16 on_true, int8 on_false and output give 1.

    bool counts as int8, and int8 and uint8 outputs match both. The condition matches if it has the dtype of on_true, or
    if it is int8 and on_true is not uint8.
    """
    roles = ("condition", "on_true", "on_false", "output")
    tensors = [operands.one(role) for role in roles]
    condition, on_true, on_false, output = (
        "int8" if t and t.dtype == "bool" else t and t.dtype for t in tensors
    )
    if on_true is None or on_false is None:
        return 0
    is_8bit = {on_true, output} <= {"int8", "uint8"}
    matches = condition == on_true or (condition == "int8" and on_true != "uint8")
    return int(on_true != on_false or not (on_true == output or is_8bit) or not matches)

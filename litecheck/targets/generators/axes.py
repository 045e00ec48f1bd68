"""Generators for measurements of axes, slices, indices and matrix products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from litecheck.profile.measurements.register import dimensions, option_fields, option_stated, with_constant
from litecheck.profile.operator_plan import Plan, TensorPlan
from litecheck.targets.generators.feature_maps import with_io_dtype

#: Longest axis that MEAN reduces.
_LONGEST_AXIS = 4096
#: Weight of an element in the limit of a sum, relative to int8.
ELEMENT_WEIGHTS = {"int8": 1, "uint8": 2, "int16": 256}


def _has_one_axis(plan: Plan) -> bool:
    """Return True if the operator reduces along a single axis and removes it."""
    return "keep_dims" not in option_fields(plan.opcode)


def reduce_over(plan: Plan, shape: Sequence[int], axes: Sequence[int]) -> Plan:
    """Reduce an input of this shape along constant axes, and set the output shape."""
    own_axes = list(axes)[:1] if _has_one_axis(plan) else list(axes)
    keep_dims = plan.options is not None and bool(plan.options.get("keep_dims", False))
    removed = {a % len(shape) for a in own_axes}
    out = [1 if n in removed else d for n, d in enumerate(shape) if keep_dims or n not in removed]
    axis = plan.one("axis")
    dtype = "int32" if axis is None else axis.dtype
    plan = with_constant(plan, "axis", own_axes, dtype)
    plan = plan.edit("input", lambda t: dimensions(t, shape))
    return plan.edit_all(lambda t: dimensions(t, out), plan.outputs)


def set_batch(plan: Plan, value: Any) -> Plan | None:
    """Reduce a tensor of this batch size along its remaining axes."""
    return reduce_over(plan, (int(value), 2, 3, 4), [-1] if _has_one_axis(plan) else [1, 2])


def set_reduced_length(plan: Plan, value: Any) -> Plan | None:
    """Reduce an axis of this length."""
    if value < 1:
        return None
    last = (1, 1, 2, int(value)) if _has_one_axis(plan) else (1, 1, int(value), 4)
    return reduce_over(plan, last, [3 if _has_one_axis(plan) else 2])


def set_reduced_count(plan: Plan, value: Any) -> Plan | None:
    """Reduce at least this number of elements, along axes of at most 4,096."""
    tensor = plan.one("input")
    if tensor is None or value < 1:
        return None
    count = -(-int(value) // ELEMENT_WEIGHTS.get(tensor.dtype, 1))
    shape = [1, 1, 1, 1]
    for at in (1, 2, 3):
        shape[at] = min(count, _LONGEST_AXIS)
        count = -(-count // _LONGEST_AXIS)
    return reduce_over(plan, shape, [n for n in (1, 2, 3) if shape[n] > 1] or [1])


def set_depth_reduction(plan: Plan, value: Any) -> Plan | None:
    """Reduce the last dimension (1), or height and width (0)."""
    return reduce_over(plan, (1, 2, 3, 4), [3] if value else [1, 2])


def set_axis_from_end(plan: Plan, value: Any) -> Plan | None:
    """Set the axis, counted from the end."""
    tensor = plan.one("input")
    if tensor is None or not -len(tensor.shape) <= value < 0:
        return None
    return reduce_over(plan, tensor.shape, [int(value)])


def _transpose(plan: Plan, shape: Sequence[int], perm: Sequence[int]) -> Plan:
    kind = plan.operands["perm"][0].dtype if plan.one("perm") else "int32"
    plan = with_constant(plan, "perm", perm, kind).edit("input", lambda t: dimensions(t, shape))
    return plan.edit_all(lambda t: dimensions(t, [shape[p] for p in perm]), plan.outputs)


def set_permutation_letters(plan: Plan, value: Any) -> Plan | None:
    """Transpose int32 by a permutation of the letters NHWC."""
    perm = ["NHWC".index(letter) for letter in value] if set(value) == set("NHWC") else [3, 2, 1, 0]
    return _transpose(with_io_dtype(plan, "int32"), (1, 2, 3, 4), perm)


def set_transposed_length(plan: Plan, value: Any) -> Plan | None:
    """Exchange a dimension of this length with the next."""
    return _transpose(plan, (1, int(value), 2, 4), [0, 2, 1, 3]) if value >= 1 else None


def _strided_slice(plan: Plan, steps: Sequence[int]) -> Plan | None:
    """Slice the whole input with these strides."""
    tensor = plan.one("input")
    if tensor is None or plan.one("strides") is None:
        return None
    shape = tensor.shape
    whole = {"begin_mask": (1 << len(shape)) - 1, "end_mask": (1 << len(shape)) - 1}
    plan = plan.option(**whole, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)
    for role, values in (("begin", [0] * len(shape)), ("end", shape), ("strides", steps)):
        plan = with_constant(plan, role, values)
    out = [-(-d // abs(s)) for d, s in zip(shape, steps, strict=True)]
    return plan.edit_all(lambda t: dimensions(t, out), plan.outputs)


def set_negative_strides(plan: Plan, value: Any) -> Plan | None:
    """Set this number of strides, from the last, to -1."""
    rank = len(plan.operands["input"][0].shape)
    return _strided_slice(plan, [1] * (rank - int(value)) + [-1] * int(value)) if 0 <= value <= rank else None


def set_strides_outside_hw(plan: Plan, value: Any) -> Plan | None:
    """Set a stride of 2 along the last dimension (1), or 1 (0)."""
    rank = len(plan.operands["input"][0].shape)
    return _strided_slice(plan, [1] * (rank - 1) + [2 if value else 1]) if value in (0, 1) and rank else None


def _matmul(plan: Plan, depth: int, columns: int) -> Plan | None:
    """Multiply matrices (2, depth) and (depth, columns): BATCH_MATMUL, or FULLY_CONNECTED with computed weights."""
    if plan.one("lhs") is not None:
        plan = plan.option(adj_x=False, adj_y=False).edit("lhs", lambda t: dimensions(t, (1, 2, depth)))
        plan = plan.edit("rhs", lambda t: dimensions(t, (1, depth, columns)))
        return plan.edit_all(lambda t: dimensions(t, (1, 2, columns)), plan.outputs)
    if plan.one("weight") is None:
        return None
    plan = plan.edit("weight", lambda t: t.with_scale(t.scale[:1]).but(values=None, shape=(columns, depth)))
    plan = plan.edit("bias", lambda t: dimensions(t.with_scale(t.scale[:1]), (columns,)))
    plan = plan.edit("input", lambda t: dimensions(t, (2, depth)))
    return plan.edit_all(lambda t: dimensions(t, (2, columns)), plan.outputs)


def set_matmul_depth(plan: Plan, value: Any) -> Plan | None:
    """Multiply two matrices of this depth."""
    return _matmul(plan, int(value), 2) if value >= 1 else None


def set_matmul_columns(plan: Plan, value: Any) -> Plan | None:
    """Multiply two matrices with this number of output columns."""
    return _matmul(plan, 2, int(value)) if value >= 1 else None


def set_matmul_dtype(plan: Plan, value: Any) -> Plan | None:
    """Multiply two matrices of this dtype."""
    product = _matmul(plan, 4, 4)
    return None if product is None else with_io_dtype(product, str(value))


def set_inner_weight_product(plan: Plan, value: Any) -> Plan | None:
    """Give the weights an inner dimension of this size."""
    weight = plan.one("weight")
    if weight is None or len(weight.shape) < 2 or value < 1:
        return None
    rows, depth = weight.shape[0], weight.shape[-1]
    shape = (rows, depth) if value == 1 else (rows, int(value), depth)
    plan = plan.edit("weight", lambda t: dimensions(t, shape))
    plan = plan.edit("input", lambda t: dimensions(t, (1, int(value) * depth)))
    return plan.edit_all(lambda t: dimensions(t, (1, rows)), plan.outputs)


def set_bias_rows(plan: Plan, value: Any) -> Plan | None:
    """Repeat the bias this number of times as rows."""

    def change(tensor: TensorPlan) -> TensorPlan:
        shape = (tensor.shape[-1],) if value == 1 else (int(value), tensor.shape[-1])
        values = None if tensor.values is None else np.resize(tensor.values, shape)
        return tensor.but(shape=shape, values=values)

    bias = plan.one("bias")
    return plan.edit("bias", change) if bias is not None and bias.shape and value >= 1 else None


def set_num_splits_mismatch(plan: Plan, value: Any) -> Plan | None:
    """Set num_splits to the number of outputs plus a difference."""
    count = sum(len(plan.operands.get(role, ())) for role in plan.outputs)
    return option_stated(plan, count + int(value), "num_splits") if value >= 0 else None


def set_batch_axis_mismatch(plan: Plan, value: Any) -> Plan | None:
    """Gather along this axis with batch_dims 0."""
    tensor, indices = plan.one("input"), plan.one("indices")
    if tensor is None or indices is None or not 0 <= value < len(tensor.shape):
        return None
    at = int(value)
    shape = (*tensor.shape[:at], *indices.shape, *tensor.shape[at + 1 :])
    plan = plan.option(axis=at, batch_dims=0)
    return plan.edit_all(lambda t: dimensions(t, shape), plan.outputs)


def set_index_depth(plan: Plan, value: Any) -> Plan | None:
    """Scatter two updates by indices of this depth."""
    rank = int(value)
    if plan.one("updates") is None or not 1 <= rank <= 3:
        return None
    plan = with_constant(plan, "indices", [[0] * rank, [1] * rank]).edit(
        "updates", lambda t: dimensions(t, (2, *(4, 4, 4)[rank:]))
    )
    plan = with_constant(plan, "shape", (4, 4, 4)) if plan.one("shape") is not None else plan
    return plan.edit_all(lambda t: dimensions(t, (4, 4, 4)), plan.outputs)

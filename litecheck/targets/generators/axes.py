"""Witnesses of measurements of axes, shapes and matrix products in a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from litecheck.profile.measurements.register import dimensions, held, option_fields, option_stated
from litecheck.profile.plan import Plan, TensorPlan
from litecheck.targets.generators.feature_maps import all_typed

#: How far one dimension goes that is reduced.
_LONGEST = 4096
#: By how much sooner than int8 the sums of a type run out of bits.
WIDTHS = {"int8": 1, "uint8": 2, "int16": 256}


def _takes_one(plan: Plan) -> bool:
    """Whether the operator reduces along one axis, which is then gone."""
    return "keep_dims" not in option_fields(plan.opcode)


def reduced_to(plan: Plan, shape: Sequence[int], axes: Sequence[int]) -> Plan:
    """A reduction of an input of that shape along constant axes, the result in the shape that gives."""
    held_axes = list(axes)[:1] if _takes_one(plan) else list(axes)
    keeps = plan.options is not None and bool(plan.options.get("keep_dims", False))
    gone = {a % len(shape) for a in held_axes}
    out = [1 if n in gone else d for n, d in enumerate(shape) if keeps or n not in gone]
    axis = plan.one("axis")
    dtype = "int32" if axis is None else axis.dtype
    plan = held(plan, "axis", held_axes, dtype)
    plan = plan.edit("input", lambda t: dimensions(t, shape))
    return plan.edit_all(lambda t: dimensions(t, out), plan.outputs)


def _axes(plan: Plan) -> list[int]:
    axis = plan.one("axis")
    return [2] if axis is None or axis.values is None else [int(v) for v in axis.values.reshape(-1)]


def outer(plan: Plan, value: Any) -> Plan | None:
    """So many images, reduced inside."""
    return reduced_to(plan, (int(value), 2, 3, 4), [-1] if _takes_one(plan) else [1, 2])


def reduced_length(plan: Plan, value: Any) -> Plan | None:
    """One dimension of that length, reduced."""
    if value < 1:
        return None
    last = (1, 1, 2, int(value)) if _takes_one(plan) else (1, 1, int(value), 4)
    return reduced_to(plan, last, [3 if _takes_one(plan) else 2])


def reduced_count(plan: Plan, value: Any) -> Plan | None:
    """So many elements added up at least, in dimensions of which none is too long."""
    tensor = plan.one("input")
    if tensor is None or value < 1:
        return None
    count = -(-int(value) // WIDTHS.get(tensor.dtype, 1))
    shape = [1, 1, 1, 1]
    for at in (1, 2, 3):
        shape[at] = min(count, _LONGEST)
        count = -(-count // _LONGEST)
    return reduced_to(plan, shape, [n for n in (1, 2, 3) if shape[n] > 1] or [1])


def of_depth(plan: Plan, value: Any) -> Plan | None:
    """A reduction of the last dimension, or of the two in front of it."""
    return reduced_to(plan, (1, 2, 3, 4), [3] if value else [1, 2])


def from_end(plan: Plan, value: Any) -> Plan | None:
    """The one axis, counted from the end."""
    tensor = plan.one("input")
    if tensor is None or not -len(tensor.shape) <= value < 0:
        return None
    return reduced_to(plan, tensor.shape, [int(value)])


def _permuted(plan: Plan, shape: Sequence[int], perm: Sequence[int]) -> Plan:
    kind = plan.operands["perm"][0].dtype if plan.one("perm") else "int32"
    plan = held(plan, "perm", perm, kind).edit("input", lambda t: dimensions(t, shape))
    return plan.edit_all(lambda t: dimensions(t, [shape[p] for p in perm]), plan.outputs)


def letters(plan: Plan, value: Any) -> Plan | None:
    """A permutation of int32 by its letters."""
    perm = ["NHWC".index(letter) for letter in value] if set(value) == set("NHWC") else [3, 2, 1, 0]
    return _permuted(all_typed(plan, "int32"), (1, 2, 3, 4), perm)


def long_permutation(plan: Plan, value: Any) -> Plan | None:
    """One dimension of that length, exchanged with the next."""
    return _permuted(plan, (1, int(value), 2, 4), [0, 2, 1, 3]) if value >= 1 else None


def _strided(plan: Plan, steps: Sequence[int]) -> Plan | None:
    """A slice of the whole input with these strides."""
    tensor = plan.one("input")
    if tensor is None or plan.one("strides") is None:
        return None
    shape = tensor.shape
    whole = {"begin_mask": (1 << len(shape)) - 1, "end_mask": (1 << len(shape)) - 1}
    plan = plan.option(**whole, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)
    for role, values in (("begin", [0] * len(shape)), ("end", shape), ("strides", steps)):
        plan = held(plan, role, values)
    out = [-(-d // abs(s)) for d, s in zip(shape, steps, strict=True)]
    return plan.edit_all(lambda t: dimensions(t, out), plan.outputs)


def backward(plan: Plan, value: Any) -> Plan | None:
    """So many strides of -1, the last ones."""
    rank = len(plan.operands["input"][0].shape)
    return _strided(plan, [1] * (rank - int(value)) + [-1] * int(value)) if 0 <= value <= rank else None


def stepped(plan: Plan, value: Any) -> Plan | None:
    """A stride of 2 along the last dimension, or none."""
    rank = len(plan.operands["input"][0].shape)
    return _strided(plan, [1] * (rank - 1) + [2 if value else 1]) if value in (0, 1) and rank else None


def _product(plan: Plan, depth: int, columns: int) -> Plan | None:
    """A product of two matrices, or a layer whose weights are computed; its sides, its results."""
    if plan.one("lhs") is not None:
        plan = plan.option(adj_x=False, adj_y=False).edit("lhs", lambda t: dimensions(t, (1, 2, depth)))
        plan = plan.edit("rhs", lambda t: dimensions(t, (1, depth, columns)))
        return plan.edit_all(lambda t: dimensions(t, (1, 2, columns)), plan.outputs)
    if plan.one("weight") is None:
        return None
    plan = plan.edit("weight", lambda t: t.scaled(t.scale[:1]).but(values=None, shape=(columns, depth)))
    plan = plan.edit("bias", lambda t: dimensions(t.scaled(t.scale[:1]), (columns,)))
    plan = plan.edit("input", lambda t: dimensions(t, (2, depth)))
    return plan.edit_all(lambda t: dimensions(t, (2, columns)), plan.outputs)


def deep_product(plan: Plan, value: Any) -> Plan | None:
    """So many products added up."""
    return _product(plan, int(value), 2) if value >= 1 else None


def wide_product(plan: Plan, value: Any) -> Plan | None:
    """So many columns."""
    return _product(plan, 2, int(value)) if value >= 1 else None


def typed_product(plan: Plan, value: Any) -> Plan | None:
    """A product of a type."""
    made = _product(plan, 4, 4)
    return None if made is None else all_typed(made, str(value))


def inner_weights(plan: Plan, value: Any) -> Plan | None:
    """Weights with that dimension in the middle."""
    weight = plan.one("weight")
    if weight is None or len(weight.shape) < 2 or value < 1:
        return None
    rows, depth = weight.shape[0], weight.shape[-1]
    shape = (rows, depth) if value == 1 else (rows, int(value), depth)
    plan = plan.edit("weight", lambda t: dimensions(t, shape))
    plan = plan.edit("input", lambda t: dimensions(t, (1, int(value) * depth)))
    return plan.edit_all(lambda t: dimensions(t, (1, rows)), plan.outputs)


def rows_of_bias(plan: Plan, value: Any) -> Plan | None:
    """The bias over again, so many times."""

    def change(tensor: TensorPlan) -> TensorPlan:
        shape = (tensor.shape[-1],) if value == 1 else (int(value), tensor.shape[-1])
        values = None if tensor.values is None else np.resize(tensor.values, shape)
        return tensor.but(shape=shape, values=values)

    bias = plan.one("bias")
    return plan.edit("bias", change) if bias is not None and bias.shape and value >= 1 else None


def parts(plan: Plan, value: Any) -> Plan | None:
    """As many parts stated as there are results, and more."""
    count = sum(len(plan.operands.get(role, ())) for role in plan.outputs)
    return option_stated(plan, count + int(value), "num_splits") if value >= 0 else None


def joined(plan: Plan, value: Any) -> Plan | None:
    """A result as long as all values together along the last dimension, or longer."""
    values = plan.operands.get("values", ())
    if not values or not all(v.shape for v in values) or value not in (0, 1):
        return None
    rank = len(values[0].shape)
    shape = (*values[0].shape[:-1], sum(v.shape[-1] for v in values) + int(value))
    plan = plan.option(axis=rank - 1)
    return plan.edit_all(lambda t: dimensions(t, shape), plan.outputs)


def padded(plan: Plan, value: Any) -> Plan | None:
    """A result as long as input and paddings are, or longer."""
    tensor, margins = plan.one("input"), plan.one("paddings")
    if tensor is None or not tensor.shape or value not in (0, 1):
        return None
    given = None if margins is None else margins.values
    if given is None or given.shape != (len(tensor.shape), 2):
        given = np.ones((len(tensor.shape), 2), np.int32)
        plan = held(plan, "paddings", given)
    shape = [int(d + sum(row)) for d, row in zip(tensor.shape, given, strict=True)]
    shape[-1] += int(value)
    return plan.edit_all(lambda t: dimensions(t, shape), plan.outputs)


def batch_axes(plan: Plan, value: Any) -> Plan | None:
    """A gather along that axis, without batches."""
    tensor, indices = plan.one("input"), plan.one("indices")
    if tensor is None or indices is None or not 0 <= value < len(tensor.shape):
        return None
    at = int(value)
    shape = (*tensor.shape[:at], *indices.shape, *tensor.shape[at + 1 :])
    plan = plan.option(axis=at, batch_dims=0)
    return plan.edit_all(lambda t: dimensions(t, shape), plan.outputs)


def tuple_length(plan: Plan, value: Any) -> Plan | None:
    """Updates at two places, each named by so many numbers."""
    rank = int(value)
    if plan.one("updates") is None or not 1 <= rank <= 3:
        return None
    plan = held(plan, "indices", [[0] * rank, [1] * rank]).edit(
        "updates", lambda t: dimensions(t, (2, *(4, 4, 4)[rank:]))
    )
    plan = held(plan, "shape", (4, 4, 4)) if plan.one("shape") is not None else plan
    return plan.edit_all(lambda t: dimensions(t, (4, 4, 4)), plan.outputs)

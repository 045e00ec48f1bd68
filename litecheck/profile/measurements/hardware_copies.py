"""Measurements of what accelerators copy: parts of tensors with many dimensions, and operands without any."""

from __future__ import annotations

from itertools import islice
from math import prod
from typing import Any

from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import Measured, Operands, everything, short_constant
from litecheck.profile.measurements.feature_maps import PLAIN, ends_of, maps_of
from litecheck.profile.measurements.map_quantizations import POINTS
from litecheck.profile.measurements.register import dimensions, held, measures, option_fields
from litecheck.profile.measurements.set_maps import ends, first_map, offset, typed
from litecheck.profile.plan import Plan
from litecheck.quantization import Quantization


def _in_parts(plan: Plan, value: Any) -> Plan | None:
    """Two halves of a tensor with so many dimensions, joined; or only one of them."""
    found, rank = ends(plan), int(value)
    if found is None or rank < 1:
        return None
    half, whole = (2, *[1] * (rank - 1)), (4, *[1] * (rank - 1))
    if "values" in plan.inputs:
        plan = plan.with_role("values", [plan.operands["values"][0]] * 2)
        return plan.edit_all(lambda t: dimensions(t, half), {"values"}).edit_all(
            lambda t: dimensions(t, whole), plan.outputs
        )
    for role, first in (("begin", 0), ("size", 2), ("end", 2), ("strides", 1)):
        if role in plan.inputs:
            plan = held(plan, role, [first] + [int(role not in ("begin",))] * (rank - 1))
    plan = held(plan, "axis", 0) if "axis" in plan.inputs else plan
    masks = [name for name in option_fields(plan.opcode) if name.endswith("_mask")]
    plan = plan.option(**dict.fromkeys(masks, 0)) if masks else plan
    plan = plan.edit(found[0], lambda t: dimensions(t, whole))
    return plan.edit_all(lambda t: dimensions(t, half), plan.outputs)


@measures(_in_parts)
def parted_rank(operands: Operands) -> Measured:
    """The most dimensions of a feature map where several go in or come out, or another number of elements comes out than
    goes in; None elsewhere."""
    outputs = operands.operator.outputs
    maps = maps_of(operands)
    results = [t for t in maps if t.index in outputs]
    inputs = [t for t in maps if t.index not in outputs]
    alone = len(inputs) == len(results) == 1
    if alone and prod(inputs[0].shape) == prod(results[0].shape):
        return None
    return max((len(t.shape) for t in maps), default=0)


@measures(first_map(lambda t: t.but(shape=(), values=None)))
def scalar_inputs(operands: Operands) -> Measured:
    """How many operands that go in and are computed have no dimensions."""
    outputs = operands.operator.outputs
    return sum(not t.shape and t.data is None and t.index not in outputs for t in everything(operands))


def _zero(tensor: Tensor) -> int:
    points = tensor.quantization.zero_point
    return int(points[0]) if points.size else 0


def _offset_axis(plan: Plan, value: Any) -> Plan | None:
    axis = plan.one("axis")
    if axis is None or value not in (0, 1):
        return None
    dtype = axis.dtype if axis.dtype in ("int32", "int64") else "int32"
    return plan.edit("axis", lambda t: t.but(dtype=dtype).scaled([0.5], 3)) if value else plan


@measures(_offset_axis)
def offset_axis(operands: Operands) -> Measured:
    """1 where the operand that names an axis is int32 with a zero point other than 0, or unsigned with one below, else
    0."""
    axis = operands.one("axis")
    if axis is None:
        return None
    return int(
        (axis.dtype == "int32" and _zero(axis) != 0) or (axis.dtype.startswith("uint") and _zero(axis) < 0)
    )


@measures(_offset_axis)
def axis_zero_points(operands: Operands) -> Measured:
    """1 where the operand that names an axis has a zero point outside int8 or uint8, or of another type one other than 0,
    else 0."""
    axis = operands.one("axis")
    return None if axis is None else int(_zero(axis) not in POINTS.get(axis.dtype, (0,)))


def _reversed(plan: Plan, value: Any) -> Plan | None:
    result = plan.one("output")
    if result is None or not result.shape or not 0 <= value <= len(result.shape):
        return None
    return held(plan, "axis", list(range(int(value))) or [len(result.shape)])


@measures(_reversed)
def reversed_axes(operands: Operands) -> Measured:
    """How many constant axes are no integers, or at most 31 in front of the result's last dimension: those that a mask of
    32 bits has a bit for, with the distance taken modulo 64."""
    result, axis, axes = operands.one("output"), operands.one("axis"), short_constant(operands, "axis")
    if result is None or axis is None or axis.data is None:
        return None
    return prod(axis.shape) if axes is None else sum((len(result.shape) - 1 - a) % 64 < 32 for a in axes)


def _squeezed(plan: Plan, value: Any) -> Plan | None:
    """Channels padded, and a result without the first dimension."""
    if plan.one("paddings") is None or value not in (0, 1):
        return None
    plan = held(plan, "paddings", [[0, 0], [0, 0], [0, 0], [0, 1]])
    plan = plan.edit("input", lambda t: dimensions(t, (1, 2, 2, 4)))
    return plan.edit_all(lambda t: dimensions(t, ((1,) * (1 - int(value)) + (2, 2, 5))), plan.outputs)


@measures(_squeezed)
def squeezed_padding(operands: Operands) -> Measured:
    """1 where channels of an input of at most four dimensions are padded, or have no int32 paddings, and the result has
    fewer dimensions; else 0."""
    found, margins, paddings = (
        ends_of(operands),
        short_constant(operands, "paddings"),
        operands.one("paddings"),
    )
    if found is None or margins is None or not len(found[1].shape) < len(found[0].shape) <= 4:
        return 0
    own = margins[2 * len(found[0].shape) - 2 : 2 * len(found[0].shape)]
    unknown = len(own) < 2 and paddings is not None and paddings.dtype == "int32"
    return int(unknown or any(own))


def _padded_words(plan: Plan, value: Any) -> Plan | None:
    if plan.one("paddings") is None or value not in (0, 1):
        return None
    plan = held(plan, "paddings", [[0, 0], [0, 0], [0, 1], [0, 0]])
    plan = plan.edit("input", lambda t: typed(dimensions(t, (1, 2, 2, 4)), "int8"))
    shape = (1, 2, 3, 4)
    return plan.edit_all(
        lambda t: typed(dimensions(t, shape), "int16").scaled(t.scale[:1], int(value)), plan.outputs
    )


@measures(_padded_words)
def wide_offset_padding(operands: Operands) -> Measured:
    """1 where constant paddings add something to an input of 8 bits, and the result has other ones and a zero point other
    than 0; else 0."""
    found, margins, narrow = ends_of(operands), short_constant(operands, "paddings"), ("int8", "uint8")
    if found is None or margins is None or not any(margins) or found[0].dtype not in narrow:
        return 0
    return int(found[1].dtype not in narrow and _zero(found[1]) != 0)


def _gained(plan: Plan, value: Any) -> Plan | None:
    found = ends(plan)
    if found is None or value < 0:
        return None
    plan = plan.edit(found[0], lambda t: dimensions(t, (1, 2, 2, 4)))
    return plan.edit(found[1], lambda t: dimensions(t, (*[1] * int(value), 1, 2, 2, 4)))


@measures(_gained)
def gained_rank(operands: Operands) -> Measured:
    """By how many dimensions the result exceeds the first input, where it has more than four and one of the two more than
    one row; else 0."""
    found = ends_of(operands)
    if found is None or len(found[1].shape) <= 4 or all(prod(t.shape[-3:-2]) <= 1 for t in found):
        return 0
    return max(len(found[1].shape) - len(found[0].shape), 0)


def strange_zero_point(tensor: Tensor) -> bool:
    """Whether a zero point is outside int8 or uint8, or of another type other than 0."""
    return _zero(tensor) not in POINTS.get(tensor.dtype, (0,))


@measures(first_map(offset))
def first_zero_point(operands: Operands) -> Measured:
    """1 where the first input has a zero point outside int8 or uint8, or of another type one other than 0, else 0."""
    found = ends_of(operands)
    return None if found is None else int(strange_zero_point(found[0]))


@measures(first_map(lambda t: t.but(dtype="int8", quantization=Quantization(), values=None)))
def unquantized_ends(operands: Operands) -> Measured:
    """How many of the first input, the first weight and the result state no scale and are of a type whose integers stand
    for reals."""
    tensors = [*(ends_of(operands) or ()), *islice(operands.of("weight"), 1)]
    return sum(not t.quantization.scale.size and t.dtype not in PLAIN for t in tensors)


@measures(first_map(lambda t: typed(t, "uint8").scaled([0.5], -3)))
def offset_ends(operands: Operands) -> Measured:
    """As ``offset_integers``, of the first input and the first result alone."""
    tensors = ends_of(operands) or ()
    return sum(
        _zero(t) != 0 if t.dtype == "int32" else t.dtype.startswith("uint") and _zero(t) < 0 for t in tensors
    )

"""Measurements of what accelerators spread: inputs over each other, slopes over channels, filters over groups; and types."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from litecheck.model.build import quantized
from litecheck.model.types import Tensor
from litecheck.model.values import stored_integers
from litecheck.profile.measurements.bound import (
    Measured,
    Operands,
    everything,
    integer,
    one_scale,
    one_zero_point,
)
from litecheck.profile.measurements.feature_maps import ends_of, maps_of
from litecheck.profile.measurements.hardware_copies import strange_zero_point
from litecheck.profile.measurements.hardware_images import crowded, lost_images
from litecheck.profile.measurements.register import Setter, dimensions, measures, option_stated
from litecheck.profile.measurements.set_maps import ends, first_map, spread, typed
from litecheck.profile.plan import Plan, TensorPlan
from litecheck.quantization import Quantization

#: How many dimensions an operand may lack before it is reshaped to those of the other.
_NEAR = 3
#: Types that Ethos-U's compiler has no name for.
_UNREAD = ("int2", "uint4", "float8_e4m3fn", "float8_e5m2")


@measures(first_map(lambda t: t.but(dtype="int2", values=None)))
def unread_types(operands: Operands) -> Measured:
    """How many operands are int2, uint4 or float8."""
    return sum(t.dtype in _UNREAD for t in everything(operands))


def _spread(operands: Operands) -> tuple[list[Tensor], Tensor] | None:
    """What goes in with more than one element, where not all of it has one shape, and the result; None of one
    constant slope."""
    tensors, found, slope = list(maps_of(operands)), ends_of(operands), operands.one("alpha")
    if slope is not None and _one_slope(slope) is not None:
        return None
    inputs = [t for t in tensors if t.index not in operands.operator.outputs and prod(t.shape) > 1]
    return (inputs, found[1]) if found and len({t.shape for t in inputs}) > 1 else None


@measures(spread)
def spread_rank(operands: Operands) -> Measured:
    """How many dimensions the result has where inputs of more than one element have different shapes: one more where the
    numbers of their dimensions differ by more than 3, else one less where the last is 1; None elsewhere."""
    found = _spread(operands)
    if found is None:
        return None
    inputs, result = found
    ranks = [len(t.shape) for t in inputs]
    if max(ranks) - min(ranks) > _NEAR:
        return max(*ranks, len(result.shape)) + 1
    return max(*ranks, len(result.shape)) - (result.shape[-1:] == (1,))


def _images(plan: Plan, value: Any) -> Plan | None:
    made = spread(plan, value) if value >= 4 else None
    shape = (2, *[1] * (int(value) - 3), 2, 4)
    roles = None if made is None else ends(made)
    return None if made is None or roles is None else made.edit_all(lambda t: dimensions(t, shape), roles)


@measures(_images)
def spread_batch_rank(operands: Operands) -> Measured:
    """How many dimensions the result has where inputs of more than one element have different shapes, and it is
    longer than 1 in front of its last three dimensions and along the last; None elsewhere."""
    found = _spread(operands)
    if found is None or prod(found[1].shape[:-3]) <= 1 or found[1].shape[-1] <= 1:
        return None
    return max(len(t.shape) for t in (*found[0], found[1]))


def _one_slope(slope: Tensor) -> Fraction | None:
    """The one real number that constant slopes hold."""
    values = None if slope.data is None or not slope.size else stored_integers(slope)
    if values is None or not bool((values == values.flat[0]).all()):
        return None
    points, scales = slope.quantization.zero_point, slope.quantization.scale
    scale = Fraction(float(scales[0])) if scales.size and np.isfinite(scales[0]) else Fraction(1)
    return (int(values.flat[0]) - (int(points[0]) if points.size else 0)) * scale


def _slope(change: Callable[[TensorPlan], TensorPlan]) -> Setter:
    def sets(plan: Plan, value: Any) -> Plan | None:
        if plan.one("alpha") is None or value not in (0, 1):
            return None
        return (
            plan.edit("alpha", lambda t: change(t.holding([7], t.dtype).but(shape=(1,)))) if value else plan
        )

    return sets


def _slopes(plan: Plan, value: Any) -> Plan | None:
    source = plan.one("input")
    if source is None or plan.one("alpha") is None or value not in (1, 2):
        return None
    other = source.dtype if value == 1 else "int16" if source.dtype == "int8" else "int8"
    return plan.edit("alpha", lambda t: typed(t.but(values=None, shape=source.shape[-1:]), other))


@measures(_slopes)
def slope_types(operands: Operands) -> Measured:
    """How many types the input and its slopes have; None where all slopes are one constant."""
    source, slope = operands.one("input"), operands.one("alpha")
    if source is None or slope is None or _one_slope(slope) is not None:
        return None
    return len({source.dtype, slope.dtype})


@measures(_slope(lambda t: t.but(quantization=Quantization())))
def unscaled_single_slope(operands: Operands) -> Measured:
    """1 where a single constant slope states no scale, else 0."""
    slope = operands.one("alpha")
    return int(
        slope is not None and slope.data is not None and slope.size == 1 and not slope.quantization.scale.size
    )


def _crowded_slopes(plan: Plan, value: Any) -> Plan | None:
    made = crowded(plan, value) if plan.one("alpha") else None
    return made and made.edit("alpha", lambda t: t.holding(np.arange(8).reshape(1, 1, 2, 4), t.dtype))


@measures(_crowded_slopes)
def sloped_images(operands: Operands) -> Measured:
    """As ``lost_images``, where slopes differ; 0 elsewhere."""
    slope = operands.one("alpha")
    return lost_images(operands) if slope is not None and _one_slope(slope) is None else 0


@measures(_slope(lambda t: t.but(quantization=quantized(0.5, 255), values=None)))
def slope_zero_points(operands: Operands) -> Measured:
    """1 where slopes that differ have a zero point outside int8 or uint8, or of another type one other than 0, else 0."""
    slope = operands.one("alpha")
    return int(slope is not None and _one_slope(slope) is None and strange_zero_point(slope))


def _narrowed(plan: Plan, value: Any) -> Plan | None:
    slope = plan.one("alpha")
    if slope is None or value not in (0, 1):
        return None
    if not value:
        return plan.edit("output", lambda t: typed(t, plan.operands["input"][0].dtype))
    scale = plan.operands["input"][0].scale
    plan = plan.edit("input", lambda t: typed(t, "int16"))
    plan = plan.edit("output", lambda t: typed(t, "int8").scaled(scale, 0))
    return plan.edit("alpha", lambda t: t.holding(np.full(t.shape, 1)).scaled([0.25], 0))


@measures(_narrowed)
def narrowed_slope(operands: Operands) -> Measured:
    """1 where an int16 input has one constant slope above 0, of 1 at most, and a result of another type with the same scale
    and zero point, else 0."""
    source, slope, result = operands.one("input"), operands.one("alpha"), operands.one("output")
    if source is None or slope is None or result is None or source.dtype != "int16":
        return 0
    one = _one_slope(slope)
    ends = (source, result)
    alike = len({one_zero_point(t) for t in ends}) == len({one_scale(t) for t in ends}) == 1
    return int(one is not None and 0 < one <= 1 and alike and result.dtype != source.dtype)


def _gentle(plan: Plan, value: Any) -> Plan | None:
    slope = plan.one("alpha")
    if slope is None or not slope.shape or prod(slope.shape) < 2 or value not in (0, 1):
        return None
    steps = np.resize([0, 1], slope.shape) + (0 if value else 8)
    plan = plan.edit_all(lambda t: typed(t, "uint8"), ("input", "alpha", "output"))
    return plan.edit("alpha", lambda t: t.holding(steps, "uint8").scaled([0.25], 0))


@measures(_gentle)
def gentle_slopes(operands: Operands) -> Measured:
    """1 where a uint8 input has constant slopes that are not all the same and none above 1, else 0."""
    source, slope = operands.one("input"), operands.one("alpha")
    if source is None or slope is None or source.dtype != "uint8" or slope.data is None:
        return 0
    values, q = stored_integers(slope), slope.quantization
    if values is None or not values.size or not q.scale.size or bool((values == values.flat[0]).all()):
        return 0
    steps = int(values.max()) - (int(q.zero_point[0]) if q.zero_point.size else 0)
    with np.errstate(all="ignore"):
        return int(np.float32(steps) * q.scale[0] <= 1)


def _grouped(plan: Plan, value: Any) -> Plan | None:
    """An input with so many channels more than the filters have."""
    weight = plan.one("weight")
    if weight is None or not weight.shape or value < 0:
        return None
    depth = weight.shape[-1] + int(value)
    return plan.edit("input", lambda t: dimensions(t, (*t.shape[:-1], depth)) if t.shape else t)


@measures(_grouped)
def group_remainder(operands: Operands) -> Measured:
    """What is left over where the input's channels are divided by those of one filter; if nothing is, where the filters are
    divided into so many groups."""
    source, weight = operands.one("input"), operands.one("weight")
    if source is None or weight is None or not weight.shape or not weight.shape[-1]:
        return None
    depth = source.shape[-1] if source.shape else 1
    groups, left = divmod(depth, weight.shape[-1])
    filters = weight.shape[-4] if len(weight.shape) >= 4 else 1
    return left or (filters % groups if groups else 0)


def _strided_groups(plan: Plan, value: Any) -> Plan | None:
    """Two groups, and a window with these strides that has two places along each side."""
    weight, source, step = plan.one("weight"), plan.one("input"), int(value)
    stated = option_stated(plan, "VALID", "padding")
    stated = stated and option_stated(stated, step, "stride_w", "stride_h")
    stated = stated and option_stated(stated, 1, "dilation_w_factor", "dilation_h_factor")
    if stated is None or weight is None or source is None or len(weight.shape) != 4 or step < 1:
        return None
    shape = (source.shape[0], *(k + step for k in weight.shape[1:3]), 2 * weight.shape[-1])
    stated = stated.edit("input", lambda t: dimensions(t, shape))
    return stated.edit_all(lambda t: dimensions(t, (shape[0], 2, 2, t.shape[-1])), plan.outputs)


@measures(_strided_groups)
def grouped_stride(operands: Operands) -> Measured:
    """The longer stride of a convolution in groups along the sides of its result that are longer than 1; None elsewhere."""
    source, weight, found = operands.one("input"), operands.one("weight"), ends_of(operands)
    if source is None or weight is None or found is None or not source.shape or not weight.shape:
        return None
    if weight.shape[-1] == source.shape[-1] or weight.data is None:
        return None
    steps = (integer(operands, "stride_h") or 1, integer(operands, "stride_w") or 1)
    sides = (1, 1, 1, *found[1].shape)[-3:-1]
    return max(s if side > 1 else 1 for s, side in zip(steps, sides, strict=True))


def _listed(plan: Plan, value: Any) -> Plan | None:
    if not 0 <= value <= len(plan.inputs):
        return None
    return plan.without(*plan.inputs[int(value) :]).but(lists_absent=value == len(plan.inputs))


@measures(_listed)
def listed_operands(operands: Operands) -> Measured:
    """How many operands go in, with those at the end that are absent and listed as such."""
    return len(operands.operator.inputs)

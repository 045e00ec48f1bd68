"""Measurements of NHWC tensors: batch size, rank, height and width, and channels of concatenated or split tensors."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, prod

from litecheck.profile.measurements.measured_operator import Measured, Operands, short_constant, stated_axes
from litecheck.profile.measurements.register import measures
from litecheck.targets.generators.image_sides import (
    set_batch_product,
    set_channel_multiplier,
    set_concat_depth,
    set_farthest_axis,
    set_feature_map_rank,
    set_odd_sides,
    set_pads_outside_hw,
    set_square_side,
)
from litecheck.targets.generators.resizing import set_not_2x_sides
from litecheck.targets.measurements.feature_maps import feature_maps_of


@measures(set_batch_product)
def largest_batch_product(operands: Operands) -> Measured:
    """Largest batch size of a feature map: the product of all dimensions before the last three. Example: input
    (2, 3, 4, 4, 8) and output (1, 4, 4, 8) give 6."""
    return max((prod(t.shape[:-3]) for t in feature_maps_of(operands)), default=None)


@measures(set_feature_map_rank)
def feature_map_rank(operands: Operands) -> Measured:
    """Largest rank of a feature map. Example: input (1, 4, 4, 8) and output (1, 128) give 4."""
    return max((len(t.shape) for t in feature_maps_of(operands)), default=None)


@measures(set_farthest_axis)
def farthest_axis_from_end(operands: Operands) -> Measured:
    """Smallest axis, counted from the end of the first feature map: -1 is the last dimension, and 0 is an axis that
    PACK adds after the last dimension. Example: axes 1 and 2 of rank 4 give -3."""
    shape, axes = next((t.shape for t in feature_maps_of(operands)), None), stated_axes(operands)
    if shape is None or not axes:
        return None
    return min(a - len(shape) if a >= 0 else a for a in axes)


@measures(set_concat_depth)
def concat_depth_gcd(operands: Operands) -> Measured:
    """Greatest common divisor of the last dimensions of tensors that are concatenated or split along the last dimension;
    none for a different axis. Example: CONCATENATION of 32 and 48 channels gives 16."""
    tensors = operands.roles.get("values") or operands.roles.get("outputs") or ()
    axes = stated_axes(operands)
    if not tensors or not axes or not all(t.shape for t in tensors):
        return None
    rank = len(tensors[0].shape)
    return gcd(*(t.shape[-1] for t in tensors)) if axes[0] in (-1, rank - 1) else None


@measures(set_square_side)
def square_side(operands: Operands) -> Measured:
    """Height of a rank-4 input with equal height and width that are reduced to 1x1; 0 for unequal sides or different
    axes. Example: input (1, 7, 7, 8) and axes 1, 2 give 7."""
    tensor, axes = operands.one("input"), short_constant(operands, "axis")
    if tensor is None or axes is None:
        return None
    shape = tensor.shape
    if len(shape) != 4 or sorted({a % 4 for a in axes}) != [1, 2]:
        return 0
    return shape[1] if shape[1] == shape[2] else 0


@measures(set_odd_sides)
def odd_height_width(operands: Operands) -> Measured:
    """Number of odd sides among height and width of a rank-4 input. Example: input (1, 5, 4, 8) gives 1."""
    tensor = operands.one("input")
    return None if tensor is None or len(tensor.shape) != 4 else sum(d % 2 for d in tensor.shape[1:3])


@measures(set_pads_outside_hw)
def pads_outside_hw(operands: Operands) -> Measured:
    """Number of nonzero constant paddings outside height and width. Example: paddings (0, 0), (1, 1), (1, 1), (0, 2)
    give 1."""
    paddings = short_constant(operands, "paddings")
    if paddings is None or len(paddings) % 2:
        return None
    rank = len(paddings) // 2
    return sum(m != 0 and n // 2 not in (rank - 3, rank - 2) for n, m in enumerate(paddings))


@measures(set_channel_multiplier)
def channel_multiplier(operands: Operands) -> Measured:
    """Number of filters of a depthwise convolution per input channel. Example: 8 filters and 4 input channels give 2."""
    source, weight = operands.one("input"), operands.one("weight")
    if source is None or weight is None or not source.shape or not weight.shape or not source.shape[-1]:
        return None
    return Fraction(weight.shape[-1], source.shape[-1])


@measures(set_not_2x_sides)
def not_2x_sides(operands: Operands) -> Measured:
    """Number of sides n that RESIZE changes to neither 2n nor 2n - 1. Example: a resize from 4x4 to 8x9 gives 1."""
    source, size = operands.one("input"), short_constant(operands, "size")
    if source is None or size is None or len(source.shape) != 4 or len(size) != 2:
        return None
    return sum(m not in (2 * d, 2 * d - 1) for d, m in zip(source.shape[1:3], size, strict=True))

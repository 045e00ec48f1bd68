"""Measurements of planes as accelerators that keep images in NHWC see them: images, sides, depths joined or cut."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, prod

from litecheck.profile.measurements.bound import Measured, Operands, short_constant, stated_axes
from litecheck.profile.measurements.register import measures
from litecheck.targets.generators.image_sides import (
    averaged,
    deep_parts,
    far_axis,
    map_ranked,
    more_images,
    multiplied,
    outer_padded,
    unevenly_sided,
)
from litecheck.targets.generators.resizing import doubled
from litecheck.targets.measurements.feature_maps import maps_of


@measures(more_images)
def largest_batch_product(operands: Operands) -> Measured:
    """The most images a feature map holds: the product of all dimensions in front of the last three."""
    return max((prod(t.shape[:-3]) for t in maps_of(operands)), default=None)


@measures(map_ranked)
def feature_map_rank(operands: Operands) -> Measured:
    """The most dimensions that a feature map has."""
    return max((len(t.shape) for t in maps_of(operands)), default=None)


@measures(far_axis)
def farthest_axis_from_end(operands: Operands) -> Measured:
    """The farthest axis that a constant or the options name, counted from the end of the first feature map: -1 is its last
    dimension, and 0 where PACK puts one behind that."""
    shape, axes = next((t.shape for t in maps_of(operands)), None), stated_axes(operands)
    if shape is None or not axes:
        return None
    return min(a - len(shape) if a >= 0 else a for a in axes)


@measures(deep_parts)
def concat_depth_gcd(operands: Operands) -> Measured:
    """The greatest common divisor of the last dimensions of what is joined or split along it; None along another one."""
    parts = operands.roles.get("values") or operands.roles.get("outputs") or ()
    axes = stated_axes(operands)
    if not parts or not axes or not all(t.shape for t in parts):
        return None
    rank = len(parts[0].shape)
    return gcd(*(t.shape[-1] for t in parts)) if axes[0] in (-1, rank - 1) else None


@measures(averaged)
def square_side(operands: Operands) -> Measured:
    """The side of a square image that is reduced to a pixel; 0 where it is not square, or other dimensions are reduced."""
    tensor, axes = operands.one("input"), short_constant(operands, "axis")
    if tensor is None or axes is None:
        return None
    shape = tensor.shape
    if len(shape) != 4 or sorted({a % 4 for a in axes}) != [1, 2]:
        return 0
    return shape[1] if shape[1] == shape[2] else 0


@measures(unevenly_sided)
def odd_height_width(operands: Operands) -> Measured:
    """How many of an image's height and width are odd."""
    tensor = operands.one("input")
    return None if tensor is None or len(tensor.shape) != 4 else sum(d % 2 for d in tensor.shape[1:3])


@measures(outer_padded)
def pads_outside_hw(operands: Operands) -> Measured:
    """How many constant paddings are not 0 along other dimensions than height and width."""
    margins = short_constant(operands, "paddings")
    if margins is None or len(margins) % 2:
        return None
    rank = len(margins) // 2
    return sum(m != 0 and n // 2 not in (rank - 3, rank - 2) for n, m in enumerate(margins))


@measures(multiplied)
def channel_multiplier(operands: Operands) -> Measured:
    """How many output channels a depthwise convolution has for each of its input's."""
    given, weight = operands.one("input"), operands.one("weight")
    if given is None or weight is None or not given.shape or not weight.shape or not given.shape[-1]:
        return None
    return Fraction(weight.shape[-1], given.shape[-1])


@measures(doubled)
def not_2x_sides(operands: Operands) -> Measured:
    """How many sides RESIZE makes neither twice as long as they are nor one less than that."""
    given, made = operands.one("input"), short_constant(operands, "size")
    if given is None or made is None or len(given.shape) != 4 or len(made) != 2:
        return None
    return sum(m not in (2 * d, 2 * d - 1) for d, m in zip(given.shape[1:3], made, strict=True))

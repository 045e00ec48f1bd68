"""Measurements of a RESIZE as accelerators build it: factors of the sides, images and channels that it stretches."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import Any

from litecheck.profile.measurements.bound import Measured, Operands, integer, short_constant
from litecheck.profile.measurements.feature_maps import ends_of
from litecheck.profile.measurements.hardware_windows import image_of
from litecheck.profile.measurements.register import dimensions, held, measures
from litecheck.profile.measurements.set_resizing import (
    centers,
    deeper,
    doubled,
    flat_ends,
    flat_start,
    lost,
    odd_sides,
    pixel_into,
    resized,
    resized_half,
    resized_images,
    shallower,
    stretched_words,
    unevenly,
    unevenly_half,
)
from litecheck.profile.plan import Plan

#: By what a side of 1 is stretched where corners are aligned.
_ENDLESS = Fraction(1 << 30)


def _factor(before: int, behind: int, less: int) -> Fraction:
    if before - less <= 0:
        return Fraction(1 if before == behind else behind)
    return Fraction(behind - less, before - less)


def _factors(operands: Operands) -> tuple[Fraction, Fraction] | None:
    """By what RESIZE stretches height and width, a side that stays 1 like the other; None where nothing is stretched."""
    source, result = image_of(operands.one("input")), image_of(operands.one("output"))
    if source is None or result is None or source == (1, 1) or source == result:
        return None
    less = 1 if integer(operands, "align_corners") else 0
    found = [_factor(before, behind, less) for before, behind in zip(source, result, strict=True)]
    still = [before == behind == 1 for before, behind in zip(source, result, strict=True)]
    if any(still):
        found = [found[still.index(False)]] * 2
    return found[0], found[1]


def _upscaling(operands: Operands) -> tuple[Fraction, Fraction] | None:
    """By what RESIZE doubles height and width as a list says it, with 1 for sides that come out as 1; None of one pixel."""
    source, result = image_of(operands.one("input")), image_of(operands.one("output"))
    if source is None or result is None or source == (1, 1):
        return None
    if not integer(operands, "align_corners") or source == result:
        return Fraction(result[0], source[0] or 1), Fraction(result[1], source[1] or 1)
    sides = zip(source, result, strict=True)
    height, width = (
        Fraction(1) if b == 1 else Fraction(b - 1, a - 1) if a > 1 else _ENDLESS for a, b in sides
    )
    return height, width


def _half(operands: Operands) -> bool:
    return bool(integer(operands, "half_pixel_centers"))


@measures(resized)
def resize_factor(operands: Operands) -> Measured:
    """By what RESIZE stretches the side that it stretches most; None where it keeps both, or pixels have their centers at
    a half."""
    factors = _upscaling(operands)
    if (
        factors is None
        or _half(operands)
        or image_of(operands.one("input")) == image_of(operands.one("output"))
    ):
        return None
    return max(factors)


@measures(resized_half)
def half_pixel_factor(operands: Operands) -> Measured:
    """The same where pixels have their centers at a half; where a side becomes shorter, of that, and 0 of one lost."""
    factors = _upscaling(operands)
    if factors is None or not _half(operands):
        return None
    if lost_sides(operands):
        return 0
    return min(factors) if min(factors) < 1 else max(factors)


@measures(unevenly)
def uneven_resize(operands: Operands) -> Measured:
    """1 where RESIZE stretches height and width by different factors and no side is 1 and stays so, else 0."""
    factors, result = _upscaling(operands), image_of(operands.one("output"))
    if factors is None or result is None or factors[0] == factors[1]:
        return 0
    return int(not any(factor == side == 1 for factor, side in zip(factors, result, strict=True)))


@measures(unevenly_half)
def uneven_half_pixels(operands: Operands) -> Measured:
    """1 where RESIZE stretches height and width by different factors and pixels have their centers at a half, else 0."""
    factors = _upscaling(operands)
    return int(factors is not None and factors[0] != factors[1] and _half(operands))


@measures(resized_images)
def resized_batch(operands: Operands) -> Measured:
    """The product of all dimensions in front of the last three, of input or result, where RESIZE stretches anything; None
    where it does not."""
    ends = (operands.one("input"), operands.one("output"))
    if _factors(operands) is None:
        return None
    return max((prod(t.shape[:-3]) for t in ends if t is not None), default=None)


@measures(centers)
def two_centers(operands: Operands) -> Measured:
    """1 where RESIZE both aligns corners and has centers at a half, else 0."""
    return int(bool(integer(operands, "align_corners")) and bool(integer(operands, "half_pixel_centers")))


@measures(resized)
def largest_factor(operands: Operands) -> Measured:
    """The larger factor by which RESIZE stretches a side, half of it where corners are aligned."""
    factors = _factors(operands)
    return None if factors is None else max(factors) / (2 if integer(operands, "align_corners") else 1)


@measures(odd_sides)
def odd_factors(operands: Operands) -> Measured:
    """How many sides RESIZE stretches by a factor that is no power of two."""
    factors = _factors(operands)
    return 0 if factors is None else sum(not _power(f) for f in factors)


def _power(factor: Fraction) -> bool:
    a, b = factor.numerator, factor.denominator
    return a > 0 and b == 1 and a & (a - 1) == 0


def _wide(operands: Operands, always: bool) -> int:
    ends = ends_of(operands)
    if ends is None or (not always and image_of(ends[0]) == image_of(ends[1])):
        return 0
    return int(ends[0].dtype not in ("int8", "int16", "uint8") or ends[1].dtype == "bool")


@measures(stretched_words)
def stretched_wide_maps(operands: Operands) -> Measured:
    """1 where RESIZE stretches an input that is neither int8, int16 nor uint8, or into bool, else 0."""
    return _wide(operands, always=False)


@measures(stretched_words)
def half_pixel_wide_maps(operands: Operands) -> Measured:
    """The same; also where it stretches nothing and pixels have their centers at a half."""
    return _wide(operands, always=_half(operands))


@measures(doubled)
def doubled_gap(operands: Operands) -> Measured:
    """How many sides RESIZE makes neither twice as long as they are nor one less than that."""
    given, made = operands.one("input"), short_constant(operands, "size")
    if given is None or made is None or len(given.shape) != 4 or len(made) != 2:
        return None
    return sum(m not in (2 * d, 2 * d - 1) for d, m in zip(given.shape[1:3], made, strict=True))


def _stretched(plan: Plan, value: Any) -> Plan | None:
    """A plane of so many channels, twice as high and wide in the result."""
    if "size" not in plan.inputs or value < 1:
        return None
    plan = plan.edit("input", lambda t: dimensions(t, (1, 2, 2, int(value))))
    plan = plan.edit_all(lambda t: dimensions(t, (1, 4, 4, int(value))), plan.outputs)
    return held(plan, "size", [4, 4])


@measures(_stretched)
def stretched_channels(operands: Operands) -> Measured:
    """The channels of a plane that is resized, or of its result where these are more; 0 where the plane keeps its sides."""
    found = ends_of(operands)
    if found is None:
        return None
    source, result = ((1,) * (4 - len(t.shape)) + t.shape for t in found)
    return 0 if source[-3:-1] == result[-3:-1] else max(source[-1], result[-1])


@measures(_stretched)
def stretched_plane_channels(operands: Operands) -> Measured:
    """The same; 0 where one pixel is resized that has one channel or as many as the result."""
    found = ends_of(operands)
    if found is None:
        return None
    source, result = ((1,) * (4 - len(t.shape)) + t.shape for t in found)
    if source[-3:-1] == (1, 1) and source[-1] in (1, result[-1]):
        return 0
    return stretched_channels(operands)


@measures(pixel_into)
def converted_pixel(operands: Operands) -> Measured:
    """1 where RESIZE stretches one pixel into another type, and the result has three dimensions or more, else 0."""
    ends = ends_of(operands)
    if ends is None:
        return None
    source, result = (image_of(t) for t in ends)
    return int(source == (1, 1) != result and len(ends[1].shape) > 2 and ends[0].dtype != ends[1].dtype)


@measures(deeper)
def added_channels(operands: Operands) -> Measured:
    """How many channels more the result of RESIZE has, where it doubles more than a pixel and aligns corners."""
    return (
        max(-_dropped(operands), 0)
        if integer(operands, "align_corners") and resize_factor(operands) == 2
        else 0
    )


@measures(shallower)
def dropped_channels(operands: Operands) -> Measured:
    """How many channels fewer the result of RESIZE has, where it stretches more than a pixel and pixels have their
    centers at a half."""
    return max(_dropped(operands), 0) if _half(operands) else 0


def _dropped(operands: Operands) -> int:
    ends = ends_of(operands)
    if ends is None or _factors(operands) is None or not all(t.shape for t in ends):
        return 0
    return int(ends[0].shape[-1] - ends[1].shape[-1])


@measures(flat_ends)
def flat_result(operands: Operands) -> Measured:
    """1 where the result of RESIZE has fewer than three dimensions, else 0."""
    result = operands.one("output")
    return int(result is not None and len(result.shape) < 3)


@measures(flat_start)
def flat_source(operands: Operands) -> Measured:
    """1 where RESIZE makes an image of one dimension, or of two of which the first is not 1, else 0."""
    ends = ends_of(operands)
    if ends is None or len(ends[1].shape) < 3:
        return 0
    return int(len(ends[0].shape) < 2 or (len(ends[0].shape) == 2 and ends[0].shape[0] != 1))


@measures(flat_ends)
def flat_planes(operands: Operands) -> Measured:
    """1 where RESIZE's input or result has fewer than three dimensions, else 0."""
    ends = ends_of(operands)
    return int(ends is not None and min(len(t.shape) for t in ends) < 3)


@measures(lost)
def lost_sides(operands: Operands) -> Measured:
    """How many sides longer than 1 RESIZE makes 1 where corners are aligned."""
    ends = ends_of(operands)
    if ends is None or not integer(operands, "align_corners"):
        return 0
    return sum(a > 1 == b for a, b in zip(image_of(ends[0]) or (), image_of(ends[1]) or (), strict=True))

"""Measurements of a RESIZE as accelerators build it: factors of the sides, images and channels that it stretches."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod

from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import Measured, Operands, integer, once
from litecheck.profile.measurements.register import measures
from litecheck.targets.ethos_u.measurements.windows import image_of
from litecheck.targets.generators.resizing import (
    centers,
    deep_plane,
    lost,
    odd_height_width,
    resized,
    resized_half,
    resized_images,
    unevenly,
    unevenly_half,
)
from litecheck.targets.measurements.feature_maps import NARROW, ends_of

#: By what a side of 1 is stretched where corners are aligned.
_ENDLESS = Fraction(1 << 30)


@dataclass(frozen=True)
class Resize:
    """What a RESIZE makes of what: tensors of (..., height, width, channels), shorter ones with 1 in front."""

    given: Tensor
    made: Tensor
    aligned: bool
    half: bool

    @cached_property
    def source(self) -> tuple[int, int]:
        """Height and width of the input."""
        return image_of(self.given)

    @cached_property
    def result(self) -> tuple[int, int]:
        """Height and width of the result."""
        return image_of(self.made)

    @cached_property
    def channels(self) -> tuple[int, int]:
        """The channels of input and result, 1 of a scalar."""
        given, made = self.given.shape, self.made.shape
        return given[-1] if given else 1, made[-1] if made else 1

    @cached_property
    def factors(self) -> tuple[Fraction, Fraction] | None:
        """By what height and width are stretched, a side that stays 1 like the other; None where nothing is stretched."""
        if self.source in ((1, 1), self.result):
            return None
        sides = list(zip(self.source, self.result, strict=True))
        found = [_factor(before, behind, self.aligned) for before, behind in sides]
        if (1, 1) in sides:
            found = [found[1 - sides.index((1, 1))]] * 2
        return found[0], found[1]

    @cached_property
    def upscaling(self) -> tuple[Fraction, Fraction] | None:
        """By what height and width are stretched as a list says it, with 1 for sides that come out as 1; None of one
        pixel."""
        if self.source == (1, 1):
            return None
        sides = zip(self.source, self.result, strict=True)
        if not self.aligned or self.source == self.result:
            height, width = (Fraction(b, a or 1) for a, b in sides)
        else:
            height, width = (
                Fraction(1) if b == 1 else Fraction(b - 1, a - 1) if a > 1 else _ENDLESS for a, b in sides
            )
        return height, width


def _factor(before: int, behind: int, less: int) -> Fraction:
    if before - less <= 0:
        return Fraction(1 if before == behind else behind)
    return Fraction(behind - less, before - less)


@once
def resize_of(operands: Operands) -> Resize | None:
    """What a RESIZE makes of what; None where an end is missing."""
    ends = ends_of(operands)
    if ends is None:
        return None
    options = (bool(integer(operands, o)) for o in ("align_corners", "half_pixel_centers"))
    return Resize(*ends, *options)


@measures(resized)
def resize_factor(operands: Operands) -> Measured:
    """By what RESIZE stretches the side that it stretches most; None where it keeps both, or pixels have their centers at
    a half."""
    found = resize_of(operands)
    if found is None or found.half or found.source == found.result:
        return None
    return max(found.upscaling) if found.upscaling else None


@measures(resized_half)
def half_pixel_factor(operands: Operands) -> Measured:
    """By what RESIZE stretches the side that it stretches most, where pixels have their centers at a half; where a side
    becomes shorter, of that, and 0 of one lost."""
    found = resize_of(operands)
    factors = found and found.upscaling
    if not found or not factors or not found.half:
        return None
    if resize_to_1_sides(operands):
        return 0
    return min(factors) if min(factors) < 1 else max(factors)


@measures(unevenly)
def unequal_scale_factors(operands: Operands) -> Measured:
    """1 where RESIZE stretches height and width by different factors and no side is 1 and stays so, else 0."""
    found = resize_of(operands)
    factors = found and found.upscaling
    if not found or not factors or factors[0] == factors[1]:
        return 0
    return int(not any(factor == side == 1 for factor, side in zip(factors, found.result, strict=True)))


@measures(unevenly_half)
def unequal_half_pixel_factors(operands: Operands) -> Measured:
    """1 where RESIZE stretches height and width by different factors and pixels have their centers at a half, else 0."""
    found = resize_of(operands)
    factors = found and found.upscaling
    return int(bool(found and found.half and factors and factors[0] != factors[1]))


@measures(resized_images)
def resized_batch(operands: Operands) -> Measured:
    """The product of all dimensions in front of the last three, of input or result, where RESIZE stretches anything; None
    where it does not."""
    found = resize_of(operands)
    if found is None or found.factors is None:
        return None
    return max(prod(t.shape[:-3]) for t in (found.given, found.made))


@measures(centers)
def align_corners_and_half_pixel(operands: Operands) -> Measured:
    """1 where RESIZE both aligns corners and has centers at a half, else 0."""
    found = resize_of(operands)
    return int(found is not None and found.aligned and found.half)


@measures(resized)
def largest_resize_factor(operands: Operands) -> Measured:
    """The larger factor by which RESIZE stretches a side, half of it where corners are aligned."""
    found = resize_of(operands)
    if found is None or found.factors is None:
        return None
    return max(found.factors) / (2 if found.aligned else 1)


@measures(odd_height_width)
def non_power_of_two_factors(operands: Operands) -> Measured:
    """How many sides RESIZE stretches by a factor that is no power of two."""
    found = resize_of(operands)
    return sum(not _power(f) for f in (found and found.factors) or ())


def _power(factor: Fraction) -> bool:
    a, b = factor.numerator, factor.denominator
    return a > 0 and b == 1 and a & (a - 1) == 0


def _wide(found: Resize) -> int:
    return int(found.given.dtype not in NARROW or found.made.dtype == "bool")


@measures(deep_plane)
def resized_channels(operands: Operands) -> Measured:
    """The channels of a plane that is resized, or of its result where these are more; 0 where the plane keeps its sides."""
    found = resize_of(operands)
    if found is None:
        return None
    return 0 if found.source == found.result else max(found.channels)


@measures(deep_plane)
def resized_image_channels(operands: Operands) -> Measured:
    """As ``resized_channels``; 0 where one pixel is resized that has one channel or as many as the result."""
    found = resize_of(operands)
    if found and found.source == (1, 1) and found.channels[0] in (1, found.channels[1]):
        return 0
    return resized_channels(operands)


@measures(lost)
def resize_to_1_sides(operands: Operands) -> Measured:
    """How many sides longer than 1 RESIZE makes 1 where corners are aligned."""
    found = resize_of(operands)
    if found is None or not found.aligned:
        return 0
    return sum(a > 1 == b for a, b in zip(found.source, found.result, strict=True))

"""Measurements of RESIZE: scale factors of height and width, batch size and channels."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod

from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands, integer, once
from litecheck.profile.measurements.register import measures
from litecheck.targets.ethos_u.measurements.windows import height_and_width
from litecheck.targets.generators.resizing import (
    set_align_corners_and_half_pixel,
    set_half_pixel_factor,
    set_non_power_of_two_factors,
    set_resize_factor,
    set_resize_to_1_sides,
    set_resized_batch,
    set_resized_channels,
    set_unequal_factors,
    set_unequal_half_pixel_factors,
)
from litecheck.targets.measurements.feature_maps import io_of

#: The scale factor of a side of 1 with align_corners.
_INFINITE = Fraction(1 << 30)


@dataclass(frozen=True)
class Resize:
    """Input, output and options of a RESIZE. Shapes are (..., height, width, channels), padded with leading 1s to rank 4."""

    input: Tensor
    output: Tensor
    align_corners: bool
    half_pixel_centers: bool

    @cached_property
    def input_sides(self) -> tuple[int, int]:
        """Height and width of the input."""
        return height_and_width(self.input)

    @cached_property
    def output_sides(self) -> tuple[int, int]:
        """Height and width of the output."""
        return height_and_width(self.output)

    @cached_property
    def channels(self) -> tuple[int, int]:
        """Channels of input and output; 1 for rank 0."""
        before, after = self.input.shape, self.output.shape
        return before[-1] if before else 1, after[-1] if after else 1

    @cached_property
    def factors(self) -> tuple[Fraction, Fraction] | None:
        """Scale factors of height and width; a side that stays 1 has that of the resized side. None for no resize."""
        if self.input_sides in ((1, 1), self.output_sides):
            return None
        sides = list(zip(self.input_sides, self.output_sides, strict=True))
        found = [_factor(before, after, self.align_corners) for before, after in sides]
        if (1, 1) in sides:
            found = [found[1 - sides.index((1, 1))]] * 2
        return found[0], found[1]

    @cached_property
    def upscaling(self) -> tuple[Fraction, Fraction] | None:
        """Scale factors of height and width as the compiler's list defines them; 1 for output sides of 1 with
        align_corners. None for a 1x1 input."""
        if self.input_sides == (1, 1):
            return None
        sides = zip(self.input_sides, self.output_sides, strict=True)
        if not self.align_corners or self.input_sides == self.output_sides:
            height, width = (Fraction(b, a or 1) for a, b in sides)
        else:
            height, width = (
                Fraction(1) if b == 1 else Fraction(b - 1, a - 1) if a > 1 else _INFINITE for a, b in sides
            )
        return height, width


def _factor(before: int, after: int, less: int) -> Fraction:
    """Return (after - less) / (before - less), where ``less`` is 1 with align_corners."""
    if before - less <= 0:
        return Fraction(1 if before == after else after)
    return Fraction(after - less, before - less)


@once
def resize_of(operands: Operands) -> Resize | None:
    """Return input, output and options; None without an input or output."""
    io = io_of(operands)
    if io is None:
        return None
    options = (bool(integer(operands, o)) for o in ("align_corners", "half_pixel_centers"))
    return Resize(*io, *options)


@measures(set_resize_factor)
def resize_factor(operands: Operands) -> Measured:
    """Larger scale factor of RESIZE without half_pixel_centers; none if both sides stay. Example: 4x4 to 8x16 gives 4.

    Search words: upsample, upscaling, nearest neighbor, bilinear.
    """
    found = resize_of(operands)
    if found is None or found.half_pixel_centers or found.input_sides == found.output_sides:
        return None
    return max(found.upscaling) if found.upscaling else None


@measures(set_half_pixel_factor)
def half_pixel_factor(operands: Operands) -> Measured:
    """Larger scale factor of RESIZE with half_pixel_centers; the smaller one if below 1, and 0 if align_corners reduces a
    side to 1. Example: half_pixel_centers and 4x4 to 8x8 give 2."""
    found = resize_of(operands)
    factors = found and found.upscaling
    if not found or not factors or not found.half_pixel_centers:
        return None
    if resize_to_1_sides(operands):
        return 0
    return min(factors) if min(factors) < 1 else max(factors)


@measures(set_unequal_factors)
def unequal_scale_factors(operands: Operands) -> Measured:
    """1 if the scale factors of height and width differ and no side stays 1, else 0. Example: 4x4 to 8x16 gives 1."""
    found = resize_of(operands)
    factors = found and found.upscaling
    if not found or not factors or factors[0] == factors[1]:
        return 0
    return int(not any(factor == side == 1 for factor, side in zip(factors, found.output_sides, strict=True)))


@measures(set_unequal_half_pixel_factors)
def unequal_half_pixel_factors(operands: Operands) -> Measured:
    """1 if the scale factors of height and width differ with half_pixel_centers, else 0. Example: half_pixel_centers and
    4x4 to 8x16 give 1."""
    found = resize_of(operands)
    factors = found and found.upscaling
    return int(bool(found and found.half_pixel_centers and factors and factors[0] != factors[1]))


@measures(set_resized_batch)
def resized_batch(operands: Operands) -> Measured:
    """Batch size of RESIZE: the product of all dimensions before the last three, of input or output; none if the sides
    stay or the input is 1x1. Example: input (3, 4, 4, 8) and output (3, 8, 8, 8) give 3."""
    found = resize_of(operands)
    if found is None or found.factors is None:
        return None
    return max(prod(t.shape[:-3]) for t in (found.input, found.output))


@measures(set_align_corners_and_half_pixel)
def align_corners_and_half_pixel(operands: Operands) -> Measured:
    """1 if align_corners and half_pixel_centers are both set, else 0. Example: both set to true give 1."""
    found = resize_of(operands)
    return int(found is not None and found.align_corners and found.half_pixel_centers)


@measures(set_resize_factor)
def largest_resize_factor(operands: Operands) -> Measured:
    """Larger scale factor of RESIZE, divided by 2 with align_corners. Example: 4x4 to 8x16 gives 4."""
    found = resize_of(operands)
    if found is None or found.factors is None:
        return None
    return max(found.factors) / (2 if found.align_corners else 1)


@measures(set_non_power_of_two_factors)
def non_power_of_two_factors(operands: Operands) -> Measured:
    """Number of sides with a scale factor that is not a power of two. Example: 4x4 to 8x12 gives 1."""
    found = resize_of(operands)
    return sum(not _is_power_of_two(f) for f in (found and found.factors) or ())


def _is_power_of_two(factor: Fraction) -> bool:
    a, b = factor.numerator, factor.denominator
    return a > 0 and b == 1 and a & (a - 1) == 0


@measures(set_resized_channels)
def resized_channels(operands: Operands) -> Measured:
    """Channels of RESIZE, the larger number of input and output; 0 if height and width stay. Example: (1, 4, 4, 8) to
    (1, 8, 8, 8) gives 8."""
    found = resize_of(operands)
    if found is None:
        return None
    return 0 if found.input_sides == found.output_sides else max(found.channels)


@measures(set_resized_channels)
def resized_image_channels(operands: Operands) -> Measured:
    """Channels of RESIZE, the larger number of input and output; 0 if height and width stay, or if a 1x1 input has one
    channel or as many as the output. Example: (1, 4, 4, 8) to (1, 8, 8, 8) gives 8."""
    found = resize_of(operands)
    if found and found.input_sides == (1, 1) and found.channels[0] in (1, found.channels[1]):
        return 0
    return resized_channels(operands)


@measures(set_resize_to_1_sides)
def resize_to_1_sides(operands: Operands) -> Measured:
    """Number of sides above 1 that become 1 with align_corners. Example: align_corners and 4x4 to 1x8 give 1."""
    found = resize_of(operands)
    if found is None or not found.align_corners:
        return 0
    return sum(a > 1 == b for a, b in zip(found.input_sides, found.output_sides, strict=True))

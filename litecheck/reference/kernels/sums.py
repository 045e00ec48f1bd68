"""Sums of two operands on a common scale, for ADD and SUB."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import prod

import numpy as np

from litecheck.profile.measurements.measured_operator import nearest_power
from litecheck.reference.numerics.broadcast import apply, chunks, in_vectors
from litecheck.reference.numerics.fixedpoint import (
    MULTIPLY,
    Ints,
    doubling_high_mul,
    quantize_multiplier,
    round_half_away,
    rounding_shift,
    saturate,
    wrap32,
)
from litecheck.reference.numerics.fused_activation import stored_bounds
from litecheck.reference.registry import Variants
from litecheck.reference.runtime_tensors import Array, Operand, Options, OutputSpec, PerTensor, RunError

Multiplier = tuple[int, int]
#: Left shift of 8-bit operands of a sum.
LEFT_SHIFT = 20


def _shift(x: Ints, bits: int) -> Ints:
    """Return x * 2^bits, toward minus infinity."""
    return x << bits if bits >= 0 else x >> -bits


#: Scaling of an operand x, less its zero point, to the common scale: (x, left shift, multiplier) -> scaled.
OPERANDS: dict[str, Callable[[Ints, int, Multiplier], Ints]] = {
    **{
        name: partial(lambda multiply, x, left, by: multiply(x << left, *by), f)
        for name, f in MULTIPLY.items()
    },
    "one-shift": lambda x, left, by: doubling_high_mul(wrap32(_shift(x, left + by[1])), by[0]),
    "two-shifts": lambda x, left, by: _shift(doubling_high_mul(x << left, by[0]), by[1]),
}


#: Rounding of sums of dequantized operands, by the name in arithmetic files.
REAL: dict[str, Callable[[Array], Array]] = {"float32": np.rint, "float32-half-away": round_half_away}


def _wrap16(x: Ints) -> Ints:
    return ((x + 2**15) & (2**16 - 1)) - 2**15


#: Narrowing of a rescaled value to 16 bits before the zero point is added.
NARROW: dict[str, Callable[[Ints], Ints]] = {
    "wraps": _wrap16,
    "saturates": lambda x: saturate(x, -(2**15), 2**15 - 1),
}


def finish(rescaled: Ints, zero_point: int, bounds: tuple[int, int], narrow: str = "") -> Ints:
    """Return rescaled values plus zero point, clamped. If vector loops ``narrow`` to 16 bits first, the sum wraps there."""
    if narrow:
        return saturate(_wrap16(NARROW[narrow](rescaled) + zero_point), *bounds)
    return saturate(rescaled + zero_point, *bounds)


@dataclass(frozen=True)
class WeightedSum:
    """Both operands on a common scale with ``left_shift`` more bits, added or subtracted, rescaled again."""

    zero_points: tuple[int, int, int]
    left_shift: int
    multipliers: tuple[Multiplier, Multiplier, Multiplier]
    sign: int
    bounds: tuple[int, int]
    operands: str = "double"
    rounding: str = "double"
    narrow: str = ""

    def __call__(self, x: Ints, y: Ints) -> Ints:
        """Return the stored output for stored operands."""
        scaled = OPERANDS[self.operands]
        of_x, of_y, of_sum = self.multipliers
        x = scaled(x - self.zero_points[0], self.left_shift, of_x)
        y = scaled(y - self.zero_points[1], self.left_shift, of_y)
        total = MULTIPLY[self.rounding](wrap32(x + self.sign * y), *of_sum)
        return finish(total, self.zero_points[2], self.bounds, self.narrow)


@dataclass(frozen=True)
class WeightedSum21:
    """XNNPACK's sum: integer weights of at most 21 bits and a single shift, half up."""

    zero_points: tuple[int, int, int]
    weights: tuple[int, int]
    shift: int
    bounds: tuple[int, int]

    def __call__(self, x: Ints, y: Ints) -> Ints:
        """Return the stored output for stored operands."""
        total = (x - self.zero_points[0]) * self.weights[0] + (y - self.zero_points[1]) * self.weights[1]
        return saturate(((total + (1 << (self.shift - 1))) >> self.shift) + self.zero_points[2], *self.bounds)


@dataclass(frozen=True)
class RealSum:
    """Both operands dequantized, added or subtracted, and quantized, every step in float32."""

    zero_points: tuple[int, int, int]
    scales: tuple[float, float, float]
    sign: int
    bounds: tuple[int, int]
    rounding: str

    def __call__(self, x: Ints, y: Ints) -> Ints:
        """Return the stored output for stored operands."""
        of_x, of_y, of_sum = (np.float32(scale) for scale in self.scales)
        real_x = (x - self.zero_points[0]).astype(np.float32) * of_x
        real_y = (y - self.zero_points[1]).astype(np.float32) * of_y
        rounded = REAL[self.rounding]((real_x + self.sign * real_y) / of_sum)
        return saturate(rounded.astype(np.int64) + self.zero_points[2], *self.bounds)


@dataclass(frozen=True)
class PowerOfTwoSum:
    """int16 with power-of-two scales: an operand shifted to the output's scale, then a saturating sum."""

    shifts: tuple[int, int]
    sign: int
    bounds: tuple[int, int]

    def __call__(self, x: Ints, y: Ints) -> Ints:
        """Return the stored output for stored operands."""
        return saturate(
            rounding_shift(x, self.shifts[0]) + self.sign * rounding_shift(y, self.shifts[1]), *self.bounds
        )


def zero_points(lhs: Operand, rhs: Operand, output: OutputSpec) -> tuple[int, int, int]:
    return lhs.zero_point, rhs.zero_point, output.zero_point


def common_scale(lhs: PerTensor, rhs: PerTensor) -> tuple[float, Multiplier, Multiplier]:
    """Return twice the larger scale, and each operand's multiplier to it: at most 1/2, so that the sum fits.

    Example: scales 0.5 and 0.25 give 1.0 and the multipliers of 0.5 and 0.25.
    """
    left, right = float(lhs.scale), float(rhs.scale)
    twice = 2 * max(left, right)
    return twice, quantize_multiplier(left / twice), quantize_multiplier(right / twice)


def sum_multipliers(
    lhs: PerTensor, rhs: PerTensor, output: PerTensor, left_shift: int
) -> tuple[Multiplier, Multiplier, Multiplier]:
    """Return the multipliers of a sum: of both operands to the common scale, and of the sum to the output."""
    twice, of_lhs, of_rhs = common_scale(lhs, rhs)
    return of_lhs, of_rhs, quantize_multiplier(twice / (2.0**left_shift * float(output.scale)))


def quantized_sum(
    lhs: Operand,
    rhs: Operand,
    output: OutputSpec,
    options: Options,
    variants: Variants,
    sign: int,
    xnnpack: bool,
) -> Array:
    """Return lhs + sign * rhs with the given variants. ``xnnpack`` is True if XNNPACK runs the operator."""
    stated = options is not None and options.get("pot_scale_int16", True)
    if lhs.dtype == "int16" and stated and variants.get("power_of_two") != "general":
        shifts = _power_of_two_shifts(lhs, rhs, output)
        if shifts:
            shifted = PowerOfTwoSum(shifts, sign, stored_bounds(options, output))
            return apply(shifted, lhs.data, rhs.data, output.dtype)
    points, bounds = zero_points(lhs, rhs, output), stored_bounds(options, output)
    if variants["requantize"] == "21-bit" and xnnpack:
        shift, left, right = _weights21(lhs, rhs, output)
        bounds = stored_bounds(options, output, half_even=True)
        formula = WeightedSum21(points, (left, sign * right), shift, bounds)
        return apply(formula, lhs.data, rhs.data, output.dtype)
    if variants["requantize"] in REAL:
        steps = float(lhs.scale), float(rhs.scale), float(output.scale)
        real = RealSum(points, steps, sign, bounds, variants["requantize"])
        return apply(real, lhs.data, rhs.data, output.dtype)
    left_shift = 15 if lhs.dtype == "int16" else LEFT_SHIFT
    multipliers = sum_multipliers(lhs, rhs, output, left_shift)
    general = WeightedSum(points, left_shift, multipliers, sign, bounds)
    if variants["requantize"] in MULTIPLY:
        general = replace(general, operands=variants["requantize"], rounding=variants["requantize"])
    elif sign > 0:
        return _sum_in_vectors(general, lhs.data, rhs.data, output.dtype)
    return apply(general, lhs.data, rhs.data, output.dtype)


#: Type and loop -> (elements per vector, scaling of the operands in LiteRT's vector loops).
_SUM_LOOPS = {
    ("int8", "elementwise"): (16, "one-shift"), ("int8", "scalar"): (8, "two-shifts"),
    ("uint8", "elementwise"): (8, "two-shifts"), ("uint8", "scalar"): (8, "two-shifts"),
    ("int16", "elementwise"): (16, "one-shift"),
}  # fmt: skip


def _sum_in_vectors(general: WeightedSum, lhs: Array, rhs: Array, dtype: str) -> Array:
    """Return a sum in which vector loops scale the operands with fewer roundings than the loop at the end of a run."""
    run = chunks(lhs.shape, rhs.shape)
    block, operands = _SUM_LOOPS.get((dtype, run.variants), (0, ""))
    whole = run.length == prod(np.broadcast_shapes(lhs.shape, rhs.shape))
    if not block or (dtype == "int16" and not whole):
        return apply(general, lhs, rhs, dtype)
    loop = replace(general, operands=operands, narrow="" if dtype == "int16" else "wraps")
    body = apply(loop, lhs, rhs, dtype)
    return in_vectors(run, block, body, lambda: apply(general, lhs, rhs, dtype))


def _weights21(lhs: Operand, rhs: Operand, output: OutputSpec) -> tuple[int, int, int]:
    """Return (shift, weight of lhs, weight of rhs) of XNNPACK's sum.

    For example, scales 0.5 and 0.25 with output scale 0.5 give (20, 2^20, 2^19).
    """
    ratios = [operand.scale / output.scale for operand in (lhs, rhs)]
    shift = 20 - int(np.frexp(max(ratios))[1] - 1)
    left, right = (int(np.rint(ratio * np.float32(2.0**shift))) for ratio in ratios)
    return shift, left, right


def _power_of_two_shifts(lhs: Operand, rhs: Operand, output: OutputSpec) -> tuple[int, int] | None:
    """Return the right shift of each input to the output's scale; None unless all scales are (nearly) powers of two."""
    logs = [power for x in (lhs, rhs, output) if (power := nearest_power(float(x.scale))) is not None]
    if len(logs) < 3:
        return None
    left, right = logs[2] - logs[0], logs[2] - logs[1]
    if min(left, right) < 0 or (left and right):
        raise RunError(
            "under power-of-two scales one operand must have the output's scale, the other no larger one"
        )
    return left, right

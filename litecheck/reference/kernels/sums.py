"""Sums of two operands on a common scale, as ADD and SUB compute them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import prod

import numpy as np

from litecheck.profile.measurements.scales import nearest_power
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
#: Bits by which 8-bit operands of a sum stand to the left of their units.
LEFT_SHIFT = 20


def _shift(x: Ints, bits: int) -> Ints:
    """x * 2^bits, towards minus infinity."""
    return x << bits if bits >= 0 else x >> -bits


#: How an operand x, less its zero point, comes to the common scale: (x, left shift, multiplier) -> scaled.
OPERANDS: dict[str, Callable[[Ints, int, Multiplier], Ints]] = {
    **{
        name: partial(lambda multiply, x, left, by: multiply(x << left, *by), f)
        for name, f in MULTIPLY.items()
    },
    "one-shift": lambda x, left, by: doubling_high_mul(wrap32(_shift(x, left + by[1])), by[0]),
    "two-shifts": lambda x, left, by: _shift(doubling_high_mul(x << left, by[0]), by[1]),
}


#: How reals are rounded where operands are made real and quantized again, by the name an arithmetic file uses.
REAL: dict[str, Callable[[Array], Array]] = {"float32": np.rint, "float32-half-away": round_half_away}


def _wrap16(x: Ints) -> Ints:
    return ((x + 2**15) & (2**16 - 1)) - 2**15


#: How a rescaled value enters a register of 16 bits before its zero point is added there.
NARROW: dict[str, Callable[[Ints], Ints]] = {
    "wraps": _wrap16,
    "saturates": lambda x: saturate(x, -(2**15), 2**15 - 1),
}


def finish(rescaled: Ints, zero_point: int, bounds: tuple[int, int], narrow: str = "") -> Ints:
    """Zero point and clamp; where vector loops narrow to 16 bits first, the sum with the zero point wraps there."""
    if narrow:
        return saturate(_wrap16(NARROW[narrow](rescaled) + zero_point), *bounds)
    return saturate(rescaled + zero_point, *bounds)


@dataclass(frozen=True)
class WeightedSum:
    """Both operands on a common scale with ``left_shift`` more bits, added or subtracted, rescaled once more."""

    zero_points: tuple[int, int, int]
    left_shift: int
    multipliers: tuple[Multiplier, Multiplier, Multiplier]
    sign: int
    bounds: tuple[int, int]
    operands: str = "double"
    rounding: str = "double"
    narrow: str = ""

    def __call__(self, x: Ints, y: Ints) -> Ints:
        """Stored operands -> stored output."""
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
        """Stored operands -> stored output."""
        total = (x - self.zero_points[0]) * self.weights[0] + (y - self.zero_points[1]) * self.weights[1]
        return saturate(((total + (1 << (self.shift - 1))) >> self.shift) + self.zero_points[2], *self.bounds)


@dataclass(frozen=True)
class RealSum:
    """Both operands made real, added or subtracted, and quantized again, every step in float32."""

    zero_points: tuple[int, int, int]
    scales: tuple[float, float, float]
    sign: int
    bounds: tuple[int, int]
    rounding: str

    def __call__(self, x: Ints, y: Ints) -> Ints:
        """Stored operands -> stored output."""
        of_x, of_y, of_sum = (np.float32(scale) for scale in self.scales)
        real_x = (x - self.zero_points[0]).astype(np.float32) * of_x
        real_y = (y - self.zero_points[1]).astype(np.float32) * of_y
        rounded = REAL[self.rounding]((real_x + self.sign * real_y) / of_sum)
        return saturate(rounded.astype(np.int64) + self.zero_points[2], *self.bounds)


@dataclass(frozen=True)
class PowerOfTwoSum:
    """int16 under power-of-two scales: an operand shifted to the output's scale, then a saturating sum."""

    shifts: tuple[int, int]
    sign: int
    bounds: tuple[int, int]

    def __call__(self, x: Ints, y: Ints) -> Ints:
        """Stored operands -> stored output."""
        return saturate(
            rounding_shift(x, self.shifts[0]) + self.sign * rounding_shift(y, self.shifts[1]), *self.bounds
        )


def zero_points(lhs: Operand, rhs: Operand, output: OutputSpec) -> tuple[int, int, int]:
    return lhs.zero_point, rhs.zero_point, output.zero_point


def common_scale(lhs: PerTensor, rhs: PerTensor) -> tuple[float, Multiplier, Multiplier]:
    """Twice the larger scale, and each operand's multiplier towards it: at most 1/2, so that the sum fits."""
    left, right = float(lhs.scale), float(rhs.scale)
    twice = 2 * max(left, right)
    return twice, quantize_multiplier(left / twice), quantize_multiplier(right / twice)


def sum_multipliers(
    lhs: PerTensor, rhs: PerTensor, output: PerTensor, left_shift: int
) -> tuple[Multiplier, Multiplier, Multiplier]:
    """The multipliers of a sum: both operands' towards the common scale, and the sum's from there to the output."""
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
    """lhs + sign * rhs as ``variants`` says; ``xnnpack`` is whether XNNPACK takes the operator."""
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


#: Type and kind of run -> (elements at a time, how LiteRT's vector loops scale the operands of a sum).
_SUM_LOOPS = {
    ("int8", "elementwise"): (16, "one-shift"), ("int8", "scalar"): (8, "two-shifts"),
    ("uint8", "elementwise"): (8, "two-shifts"), ("uint8", "scalar"): (8, "two-shifts"),
    ("int16", "elementwise"): (16, "one-shift"),
}  # fmt: skip


def _sum_in_vectors(general: WeightedSum, lhs: Array, rhs: Array, dtype: str) -> Array:
    """Vector loops scale the operands with fewer roundings than the loop over what is left at the end of a run."""
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

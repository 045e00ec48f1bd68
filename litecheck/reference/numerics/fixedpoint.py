"""Fixed-point arithmetic of gemmlowp, LiteRT, XNNPACK, CMSIS-NN and TOSA, on whole arrays of int64.

Functions take integers that fit the named width and return int64. ``Qm.n`` in comments means m integer and n fractional bits
in addition to the sign. A real multiplier M > 0 is written M = m * 2^(shift - 31) with an int32 mantissa m in [2^30, 2^31).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
INT32_MAX = 2**31 - 1
INT32_MIN = -(2**31)


def quantize_multiplier(real: float) -> tuple[int, int]:
    """Return (m, shift) with real = m * 2^(shift - 31): the mantissa rounded half away from zero to 31 bits.

    ``real`` is a float64; 0 and values below 2^-32 give (0, 0). Source: LiteRT, kernels/internal/quantization_util.cc,
    QuantizeMultiplier, without TFLITE_SINGLE_ROUNDING.

    For example, 0.3 gives (1288490189, -1) and 6 gives (1610612736, 3).
    """
    if real == 0.0:
        return 0, 0
    fraction, shift = math.frexp(real)
    mantissa = math.floor(abs(fraction) * 2.0**31 + 0.5) * (1 if fraction > 0 else -1)
    if mantissa == 2**31:
        mantissa, shift = mantissa // 2, shift + 1
    return (0, 0) if shift < -31 else (mantissa, shift)


def doubling_high_mul(a: Ints, b: Ints | int) -> Ints:
    """Return (a * b) / 2^31 rounded to nearest, ties up: the high half of twice the product (SQRDMULH).

    int32 x int32; only INT32_MIN * INT32_MIN overflows, to INT32_MAX. gemmlowp rounds by a nudge that depends on the
    sign and a truncating division, which together equal this shift.

    For example, 3 and -3 times 2^30 give 2 and -1.
    """
    high: Ints = np.minimum((np.multiply(a, b, dtype=np.int64) + (1 << 30)) >> 31, INT32_MAX)
    return high


def rounding_shift(x: Ints, bits: Ints | int) -> Ints:
    """Return x / 2^bits rounded half away from zero (gemmlowp RoundingDivideByPOT); ``bits`` >= 0.

    For example, 5 and -5 by 1 bit give 3 and -3.
    """
    if isinstance(bits, int):  # a fast path, because most layers have one shift
        return x if bits == 0 else (x + ((1 << bits) >> 1) - (x < 0)) >> bits
    half = (np.int64(1) << bits) >> 1
    rounded: Ints = (x + half - ((x < 0) & (half > 0))) >> bits
    return rounded


def wrap32(x: Ints) -> Ints:
    """Return x modulo 2^32 as int32, the result of a left shift out of an int32 register. For example, 2^31 becomes
    -2^31."""
    return ((x + 2**31) & (2**32 - 1)) - 2**31


def multiply_double(x: Ints, m: Ints | int, shift: Ints | int) -> Ints:
    """Return x * m * 2^(shift-31), rounded twice: doubling high multiply, then a shift half away from zero.

    int32 x. Used by LiteRT's reference kernels (MultiplyByQuantizedMultiplier) and by default in TFLM.

    For example, 6 and -6 times 0.25 give 2 and -2.
    """
    if isinstance(shift, int):
        return rounding_shift(doubling_high_mul(wrap32(x << shift) if shift > 0 else x, m), max(-shift, 0))
    left, right = np.maximum(shift, 0), np.maximum(np.negative(shift), 0)
    return rounding_shift(doubling_high_mul(wrap32(x << left) if np.any(left) else x, m), right)


def quantize_multipliers(real: NDArray[np.float64]) -> tuple[Ints, Ints]:
    """Return :func:`quantize_multiplier` of each element, in the shape of ``real``."""
    fraction, exponent = np.frexp(real)
    mantissa = np.floor(np.abs(fraction) * 2.0**31 + 0.5).astype(np.int64)
    carry = mantissa == 2**31
    shift = exponent.astype(np.int64) + carry
    mantissa = np.where(carry, 2**30, mantissa) * np.sign(real).astype(np.int64)
    gone = (mantissa == 0) | (shift < -31)
    return np.where(gone, 0, mantissa), np.where(gone, 0, shift)


def saturate(x: Ints, low: Ints | int, high: Ints | int) -> Ints:
    """Return x limited to [low, high]. For example, 200 becomes 127 in [-128, 127]."""
    return np.minimum(np.maximum(x, low), high)


def rounding_shift_up(x: Ints, bits: Ints | int) -> Ints:
    """Return x / 2^bits rounded half up, toward plus infinity (NEON VRSHL, SRSHL); ``bits`` >= 0.

    For example, 5 and -5 by 1 bit give 3 and -2.
    """
    made: Ints = (x + ((np.int64(1) << bits) >> 1)) >> bits
    return made


def multiply_double_half_up(x: Ints, m: Ints | int, shift: Ints | int) -> Ints:
    """Return x * m * 2^(shift-31), rounded twice as :func:`multiply_double`, but half up in the second step (ruy,
    optimized kernels).

    For example, 6 and -6 times 0.25 give 2 and -1.
    """
    left, right = np.maximum(shift, 0), np.maximum(np.negative(shift), 0)
    return rounding_shift_up(doubling_high_mul(wrap32(x << left), m), right)


def multiply_single(x: Ints, m: Ints | int, shift: Ints | int) -> Ints:
    """Return x * m * 2^(shift-31) rounded once, half up (TFLITE_SINGLE_ROUNDING, CMSIS-NN single, TOSA single_round).

    int32 x, 31 - shift in 2..62.

    For example, 6 and -6 times 0.25 give 2 and -1.
    """
    total = 31 - np.asarray(shift, np.int64)
    rounded: Ints = (x * m + (np.int64(1) << (total - 1))) >> total
    return rounded


def multiply_floor(x: Ints, m: Ints | int, shift: Ints | int) -> Ints:
    """Return x * m * 2^(shift-31) toward minus infinity: a right shift without rounding. int32 x.

    For example, 7 and -6 times 0.25 give 1 and -2.
    """
    return (x * m) >> (31 - np.asarray(shift, np.int64))


def multiply_truncate(x: Ints, m: Ints | int, shift: Ints | int) -> Ints:
    """Return x * m * 2^(shift-31) toward zero. int32 x. For example, 7 and -6 times 0.25 give 1 and -1."""
    return np.sign(x) * multiply_floor(np.abs(x), m, shift)


def reduce_multiplier(m: Ints, bits: int) -> Ints:
    """Return a mantissa of 31 fractional bits as a mantissa of ``bits`` fractional bits, rounded half up, saturated.

    Source: tflite/kernels/internal/common.h, MultiplyByQuantizedMultiplier for int64, where ``bits`` is 15.

    For example, 1288490189 becomes 19661 with 15 bits: both represent 0.6.
    """
    reduced: Ints = np.minimum((m + (np.int64(1) << (30 - bits))) >> (31 - bits), (1 << bits) - 1)
    return reduced


def multiply_reduced(x: Ints, m: Ints | int, shift: Ints | int) -> Ints:
    """Return x * r * 2^(shift-15) rounded once, half up; r is the multiplier with 15 fractional bits. int48 x.

    r = min((m + 2^15) >> 16, 2^15 - 1). Source: common.h, MultiplyByQuantizedMultiplier for int64.

    For example, 6 and -6 times 0.25 (m = 2^30, shift = -1, r = 2^14) give 2 and -1.
    """
    total = 15 - np.asarray(shift, np.int64)
    short = reduce_multiplier(np.asarray(m, np.int64), 15) << np.maximum(-total, 0)
    return rounding_shift_up(x * short, np.maximum(total, 0))


def multiply_float32(x: Ints, m: Ints | int, shift: Ints | int) -> Ints:
    """Return rint(x * m * 2^(shift-31)) with both factors in float32, half to even. int32 x.

    For example, 6 and 2 times 0.25 give 2 and 0.
    """
    real = np.ldexp(np.asarray(m, np.float64), np.asarray(shift) - 31).astype(np.float32)
    rounded: Ints = np.rint(np.asarray(x).astype(np.float32) * real).astype(np.int64)
    return rounded


def round_half_away(x: NDArray[Any]) -> NDArray[Any]:
    """Return the nearest integer, ties away from zero (std::round), in the width of ``x``, exact for every value.

    Adding 0.5 first is inexact: 0.49999999999999994 + 0.5 is 1 in float64.

    For example, 2.5 and -2.5 give 3 and -3.
    """
    whole = np.trunc(x)
    rounded: NDArray[Any] = whole + np.copysign((np.abs(x - whole) >= 0.5).astype(x.dtype), x)
    return rounded


#: (accumulator int64, mantissa, shift) -> rescaled int64, by the name in arithmetic files.
MULTIPLY: dict[str, Callable[[Ints, Ints | int, Ints | int], Ints]] = {
    "double": multiply_double,
    "double-half-up": multiply_double_half_up,
    "single": multiply_single,
    "reduced": multiply_reduced,
    "floor": multiply_floor,
    "truncate": multiply_truncate,
    "float32-multiplier": multiply_float32,
}
#: Variants of integer units, without the variant with a float32 multiplier.
WITHOUT_FLOAT32 = tuple(name for name in MULTIPLY if name != "float32-multiplier")

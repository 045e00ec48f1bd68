"""The quantized multiplier: a real number as a 31-bit mantissa and a power of two, and products with it rounded twice.

QUANTIZE between integers (litecheck.quantizer.litert) and the kernels of the reference share it. What differs: QUANTIZE
has scales alone, so no negative multiplier, and refuses shifts above ``SHIFT_MAX``; kernels wrap there, as processors do.
The other roundings that devices have are in litecheck.reference.numerics.fixedpoint.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
INT32_MAX = 2**31 - 1
#: Left shifts from 31 on shift a bit past the accumulator's 32; C++ leaves them undefined.
SHIFT_MAX = 30


def quantize_multiplier(real: float) -> tuple[int, int]:
    """(m, shift) with real = m * 2^(shift - 31): the mantissa rounded half away from zero to 31 bits.

    ``real`` is a float64; 0 and what is below 2^-32 give (0, 0). Source: LiteRT, kernels/internal/
    quantization_util.cc, QuantizeMultiplier, as built without TFLITE_SINGLE_ROUNDING.
    """
    if real == 0.0:
        return 0, 0
    fraction, shift = math.frexp(real)
    mantissa = math.floor(abs(fraction) * 2.0**31 + 0.5) * (1 if fraction > 0 else -1)
    if mantissa == 2**31:
        mantissa, shift = mantissa // 2, shift + 1
    return (0, 0) if shift < -31 else (mantissa, shift)


def doubling_high_mul(a: Ints, b: Ints | int) -> Ints:
    """(a * b) / 2^31 rounded to nearest, ties up: the high half of twice the product (SQRDMULH).

    int32 x int32; of all pairs only INT32_MIN * INT32_MIN overflows, to INT32_MAX. gemmlowp writes the rounding
    with a nudge that depends on the sign and a division that truncates; both together are this shift.
    """
    high: Ints = np.minimum((np.multiply(a, b, dtype=np.int64) + (1 << 30)) >> 31, INT32_MAX)
    return high


def rounding_shift(x: Ints, bits: Ints | int) -> Ints:
    """x / 2^bits rounded half away from zero (gemmlowp RoundingDivideByPOT); ``bits`` >= 0."""
    if isinstance(bits, int):  # plain numbers cost next to nothing, and most layers have one shift
        return x if bits == 0 else (x + ((1 << bits) >> 1) - (x < 0)) >> bits
    half = (np.int64(1) << bits) >> 1
    rounded: Ints = (x + half - ((x < 0) & (half > 0))) >> bits
    return rounded


def wrap32(x: Ints) -> Ints:
    """x modulo 2^32 as int32: what a left shift out of an int32 register leaves."""
    return ((x + 2**31) & (2**32 - 1)) - 2**31


def multiply_double(x: Ints, m: Ints | int, shift: Ints | int) -> Ints:
    """x * m * 2^(shift-31), rounded twice: doubling high multiply, then a shift half away from zero.

    int32 x. The reference path of LiteRT (MultiplyByQuantizedMultiplier) and the default of TFLM.
    """
    if isinstance(shift, int):
        return rounding_shift(doubling_high_mul(wrap32(x << shift) if shift > 0 else x, m), max(-shift, 0))
    left, right = np.maximum(shift, 0), np.maximum(np.negative(shift), 0)
    return rounding_shift(doubling_high_mul(wrap32(x << left) if np.any(left) else x, m), right)

"""Fixed-point exp, logistic, tanh, reciprocal, inverse square root and logarithm of gemmlowp and LiteRT.

A fixed-point number with ``m`` integer bits in ``bits`` bits is a raw integer x with the value x / 2^(bits-1-m):
Qm.(bits-1-m). Raw values are int64 arrays. A product of Qa and Qb is the doubling high product in Q(a+b). Functions
work in 32 bits unless ``bits`` is 16. Constants are given by their real values and rounded to 32 bits; in 16 bits they
are the upper half of these bits, as in gemmlowp.

Sources: gemmlowp, fixedpoint/fixedpoint.h; LiteRT, tflite/kernels/internal/common.h.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from litecheck.reference.numerics.fixedpoint import (
    INT32_MAX,
    Ints,
    doubling_high_mul,
    rounding_shift,
    saturate,
    wrap32,
)


def multiply(a: Ints, b: Ints | int, bits: int = 32) -> Ints:
    """Return the product of two fixed-point numbers: a * b / 2^(bits-1), to nearest, ties up, -1 * -1 just below 1.

    For example, 16384 * 16384 with 16 bits gives 8192: 1/2 times 1/2 is 1/4.
    """
    if bits == 32:
        return doubling_high_mul(a, b)
    product: Ints = np.minimum((a * b + (1 << (bits - 2))) >> (bits - 1), (1 << (bits - 1)) - 1)
    return product


@cache
def constant(real: float, integer_bits: int = 0, bits: int = 32) -> int:
    """Return a real constant in Qm, rounded to 32 bits, half away from zero, then to ``bits``.

    For example, 1/2 is 2^30 in Q0 and 2^29 in Q1.
    """
    raw = math.floor(abs(real) * 2.0 ** (31 - integer_bits) + 0.5) * (1 if real > 0 else -1)
    return int(rounding_shift(np.int64(min(raw, INT32_MAX)), 32 - bits))


def scale_up(x: Ints, exponent: Ints | int, bits: int = 32) -> Ints:
    """Return x * 2^exponent, saturated to the range of ``bits`` bits; ``exponent`` in 0..31.

    For example, 2^29 * 2^2 gives 2^31 - 1.
    """
    highest = (1 << (bits - 1)) - 1
    return saturate(x << exponent, -highest - 1, highest)


def half_sum(a: Ints, b: Ints | int) -> Ints:
    """Return (a + b) / 2, half away from zero (VRHADD for positive sums). For example, 3 and 4 give 4, -3 and -4 give -4."""
    return rounding_shift(a + b, 1)


def leading_zeros(x: Ints) -> Ints:
    """Return the number of zeros above the highest set bit of x as an unsigned 32-bit integer; 32 for 0.

    For example, 1 has 31 and 255 has 24.
    """
    return 32 - np.frexp((x & 0xFFFFFFFF).astype(np.float64))[1].astype(np.int64)


def exp_negative(a: Ints, integer_bits: int, bits: int = 32) -> Ints:
    """Return exp(a) in Q0 for a <= 0 in Qm.

    a = b - r where b is in [-1/4, 0) and r is a multiple of 1/4. exp(b) is multiplied by exp(-2^k) for each set bit k
    of r, k = -2, -1, ... exp(b) is the Taylor polynomial of degree 4 around -1/8: with x = b + 1/8,
    exp(-1/8) * (1 + x + x^2/2 + x^3/6 + x^4/24), the last three summed as ((x^4/4 + x^3) / 3 + x^2) / 2.

    For example, -2^26 in Q5 is -1 and gives 790015308, which is 0.367880.
    """
    fraction_bits = bits - 1 - integer_bits
    quarter = 1 << (fraction_bits - 2)
    b = (a & (quarter - 1)) - quarter
    x = scale_up(b, integer_bits, bits) + (1 << (bits - 4))
    x2 = multiply(x, x, bits)
    x4_4 = rounding_shift(multiply(x2, x2, bits), 2)
    cubes = multiply(x4_4 + multiply(x2, x, bits), constant(1 / 3, 0, bits), bits)
    base = constant(math.exp(-1 / 8), 0, bits)
    result = base + multiply(x + rounding_shift(cubes + x2, 1), base, bits)
    if bits == 16:
        result = saturate(result, -(1 << 15), (1 << 15) - 1)
    remainder = b - a
    for k in range(-2, min(integer_bits, 5)):
        chosen = (remainder & (1 << (fraction_bits + k))) != 0
        result = np.where(chosen, multiply(result, constant(math.exp(-(2.0**k)), 0, bits), bits), result)
    if integer_bits > 5:
        result = np.where(a < -(1 << (bits + 4 - integer_bits)), 0, result)
    return np.where(a == 0, (1 << (bits - 1)) - 1, result)


def _halved_reciprocal(a: Ints, bits: int) -> Ints:
    """Return 2 / (1 + a) in Q2 for a in Q0 in [0, 1]: three Newton-Raphson steps for 1 / d, d = (1 + a) / 2.

    The first guess 48/17 - 32/17 d is the best linear guess for d in [1/2, 1]. A step is x + x (1 - d x). Values of d
    outside, which a division by 0 causes, exceed 32 bits and wrap.
    """
    one, highest = 1 << (bits - 3), (1 << (bits - 1)) - 1
    d = half_sum(a, highest)
    x = constant(48 / 17, 2, bits) + multiply(d, constant(-32 / 17, 2, bits), bits)
    for _ in range(3):
        x = x + scale_up(multiply(x, one - multiply(d, x, bits), bits), 2, bits)
        x = wrap32(x) if bits == 32 else x
    return x


def reciprocal_of_one_plus(a: Ints, bits: int = 32) -> Ints:
    """Return 1 / (1 + a) in Q0 for a in Q0 in [0, 1]. For example, 2^30 is 0.5 and gives 1431655762, which is 0.666667."""
    return scale_up(_halved_reciprocal(a, bits), 1, bits)


def logistic(a: Ints, integer_bits: int, bits: int = 32) -> Ints:
    """Return 1 / (1 + exp(-a)) in Q0 for a in Qm: from exp(-|a|), mirrored for negative a, 1/2 at 0.

    For example, 4096 in Q3 with 16 bits is 1 and gives 23952, which is 0.730957.
    """
    positive = reciprocal_of_one_plus(exp_negative(-np.abs(a), integer_bits, bits), bits)
    one = (1 << (bits - 1)) - 1
    return np.where(a == 0, 1 << (bits - 2), np.where(a > 0, positive, one - positive))


def tanh(a: Ints, integer_bits: int, bits: int = 32) -> Ints:
    """Return tanh(a) in Q0 for a in Qm: (1 - e) / (1 + e) = 2 / (1 + e) - 1 with e = exp(-2 |a|), signed, 0 at 0.

    For example, 4096 in Q3 with 16 bits is 1 and gives 24964, which is 0.761841.
    """
    e = exp_negative(-np.abs(a), integer_bits + 1, bits)
    positive = scale_up(_halved_reciprocal(e, bits) - (1 << (bits - 3)), 2, bits)
    return np.where(a == 0, 0, np.where(a < 0, -positive, positive))


def reciprocal(x: Ints, integer_bits: int) -> tuple[Ints, Ints]:
    """Return (r, k) with 1 / x = r / 2^31 * 2^-k for x > 0 in Qm: x is normalized to 1 + a, and r = 1 / (1 + a) in Q0."""
    headroom = leading_zeros(x)
    normalized = ((x & 0xFFFFFFFF) << headroom) - (1 << 31)
    return reciprocal_of_one_plus(wrap32(normalized)), integer_bits - headroom


def inverse_sqrt(x: Ints) -> tuple[Ints, Ints]:
    """Return (m, shift) with 1 / sqrt(x) = m * 2^(shift-31) for integers x >= 0; 0 and 1 give (2^31 - 1, 0).

    a * b is ``multiply``, and a << n saturates.

    1. v = x and right = 11. While v >= 2^29: v = v // 4 and right + 1. While v < 2^27: v = 4 * v and right - 1.
    2. half = v / 4, half away from zero: v / 2 in Q3. y = 2^28, which is 1 in Q3.
    3. Five Newton-Raphson steps: cube = ((y * y) * y) << 6, and y = (y * (2^28 + 2^27) - half * cube) << 3.
    4. y = y * 1518500250: sqrt(1/2) compensates for the halving. m = y << max(-right, 0), shift = -max(right, 0).

    Source: GetInvSqrtQuantizedMultiplierExp.

    For example, 4 gives (1073741828, 0), which is 0.5 within 2^-29.
    """
    value, shift = np.maximum(x, 2), np.full(x.shape, 11, np.int64)
    while (large := value >= 1 << 29).any():
        value, shift = np.where(large, value // 4, value), shift + large
    pairs = (leading_zeros(value) - 1) // 2 - 1
    shift = shift - pairs
    half = rounding_shift((value << (2 * pairs)) >> 1, 1)
    y = np.full(x.shape, 1 << 28, np.int64)
    for _ in range(5):
        cube = scale_up(multiply(multiply(y, y), y), 6)
        y = scale_up(multiply(y, (1 << 28) + (1 << 27)) - multiply(half, cube), 3)
    y = multiply(y, constant(math.sqrt(0.5)))
    y = wrap32(y << np.maximum(-shift, 0))
    one = x <= 1
    return np.where(one, INT32_MAX, y), np.where(one, 0, -np.maximum(shift, 0))


def log(x: Ints, integer_bits: Ints | int, output_bits: int) -> Ints:
    """Return the natural logarithm in Q(output_bits) of x >= 1 in Qm.

    x = r * 2^k with r near sqrt(sqrt(1/2)). Normalization starts from x or from x * sqrt(1/2) (k is then 1/2 less); the
    smaller r is used. log r is a rational function of q = 2 (r - 4th root of 1/2), whose numerator and denominator
    below are in Q0. Source: log_x_for_x_greater_than_or_equal_to_1_impl.

    For example, 2 in Q5, which is 2^27, gives 46516320 in Q5: 0.693147.
    """
    accumulator = output_bits + 1
    unit, quarter = 31 - accumulator, 1 << (29 - accumulator)
    root, fourth = constant(math.sqrt(0.5)), math.sqrt(math.sqrt(2.0))
    headroom = leading_zeros(x)
    r_a = scale_up(multiply(scale_up(x, headroom - 1), root), 1)
    k_a = scale_up(integer_bits - headroom, unit) + quarter
    headroom_b = leading_zeros(multiply(x, root)) - 1
    r_b = scale_up(x, headroom_b)
    k_b = scale_up(integer_bits - headroom_b, unit) - quarter
    r, k = np.minimum(r_a, r_b), saturate(np.maximum(k_a, k_b), -(1 << 31), INT32_MAX)
    center = constant(1 / fourth)
    p, q = half_sum(r, center), 2 * (r - center)
    q2 = multiply(q, q)
    numerator = multiply(q, r) + multiply(multiply(q, q2), constant(11 / 240 * fourth))
    linear = constant(2 / fourth - fourth) + q + multiply(q2, constant(fourth / 20))
    denominator = multiply(p, linear) + multiply(q, constant(fourth / 4))
    fraction = multiply(rounding_shift(numerator, accumulator), reciprocal_of_one_plus(denominator))
    return scale_up(multiply(k, constant(math.log(2.0))) + fraction, 1)

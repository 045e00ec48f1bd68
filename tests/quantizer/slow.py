"""Oracle without numpy: quantization of one number at a time, in fractions.

Numbers are Python floats, which hold every input type, or fractions for exact quotients.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise

Number = float | Fraction


@dataclass(frozen=True)
class Format:
    """Binary float: ``bits`` of significand with the hidden bit, exponent of the smallest normal, largest value."""

    bits: int
    least: int
    largest: float

    def is_exact(self, value: float) -> bool:
        """Return True if the format holds a positive number exactly. Faster than rounding the number."""
        numerator, denominator = value.as_integer_ratio()
        digits = numerator // (numerator & -numerator) if denominator == 1 else numerator
        small = denominator.bit_length() <= self.bits - self.least
        return small and digits.bit_length() <= self.bits and value <= self.largest

    def nearest(self, numerator: int, denominator: int) -> float:
        """Return the value nearest to a positive fraction, half to even; infinity beyond the largest value."""
        exponent = max(_exponent(numerator, denominator), self.least) - (self.bits - 1)
        if exponent < 0:
            numerator <<= -exponent
        else:
            denominator <<= exponent
        units, rest = divmod(numerator, denominator)
        units += 2 * rest > denominator or (2 * rest == denominator and units % 2 == 1)
        value = math.ldexp(units, exponent)
        return value if value <= self.largest else math.inf


def _exponent(numerator: int, denominator: int) -> int:
    """Return the largest e with 2**e <= numerator / denominator."""
    guess = numerator.bit_length() - denominator.bit_length()
    over = numerator << max(-guess, 0) >= denominator << max(guess, 0)
    return guess if over else guess - 1


def _ieee(bits: int, most: int) -> Format:
    return Format(bits, 1 - most, (2 - 2.0 ** (1 - bits)) * 2.0**most)


FORMATS = {"float32": _ieee(24, 127), "float16": _ieee(11, 15), "bfloat16": _ieee(8, 127)}


@dataclass(frozen=True)
class Small:
    """8-bit or 4-bit float by its code points. ``unsigned_zero`` formats have NaN at the code of -0."""

    exponent_bits: int
    mantissa_bits: int
    bias: int
    largest: int  # the code of the largest finite value
    nan: int | None
    infinity: int | None = None
    unsigned_zero: bool = False

    @property
    def sign(self) -> int:
        return 1 << (self.exponent_bits + self.mantissa_bits)

    @cached_property
    def values(self) -> list[float]:
        """Values of the codes 0 to the largest, in ascending order."""
        fields = (divmod(code, 1 << self.mantissa_bits) for code in range(self.largest + 1))
        return [math.ldexp((e > 0) + m / (1 << self.mantissa_bits), max(e, 1) - self.bias) for e, m in fields]

    @cached_property
    def ties(self) -> list[float]:
        """Midpoints between neighboring codes; after the last code the format continues with the same step."""
        beyond = 2 * self.values[-1] - self.values[-2]
        return [(a + b) / 2 for a, b in pairwise([*self.values, beyond])]

    def decode(self, code: int) -> float:
        negative, magnitude = divmod(code, self.sign)
        if self.unsigned_zero and code == self.sign:
            return math.nan
        if magnitude <= self.largest:
            return math.copysign(self.values[magnitude], -1 if negative else 1)
        return (-math.inf if negative else math.inf) if magnitude == self.infinity else math.nan

    def encode(self, value: Number, saturate: bool) -> int | None:
        """Return the code of the nearest value; None for a NaN of any code."""
        if isinstance(value, float) and math.isnan(value):
            return None if self.nan is not None else self.largest
        negative = math.copysign(1, value) < 0 if isinstance(value, float) else value < 0
        code = self._magnitude(abs(value))
        if code > self.largest:
            if saturate or self.nan is None:
                code = self.largest
            elif self.infinity is None:
                return None
            else:
                code = self.infinity
        if code == 0 and self.unsigned_zero:
            return 0
        return code + (self.sign if negative else 0)

    def _magnitude(self, value: Number) -> int:
        code = bisect_left(self.ties, value)
        tie = code < len(self.ties) and self.ties[code] == value
        return code + (tie and code % 2)


SMALL = {
    "float8e4m3fn": Small(4, 3, 7, 0x7E, 0x7F),
    "float8e4m3fnuz": Small(4, 3, 8, 0x7F, 0x80, unsigned_zero=True),
    "float8e5m2": Small(5, 2, 15, 0x7B, 0x7E, 0x7C),
    "float8e5m2fnuz": Small(5, 2, 16, 0x7F, 0x80, unsigned_zero=True),
    "float4e2m1": Small(2, 1, 1, 0x7, None),
}

INTEGERS = {
    "uint8": (0, 255),
    "int8": (-128, 127),
    "uint16": (0, 65535),
    "int16": (-32768, 32767),
    "uint4": (0, 15),
    "int4": (-8, 7),
    "uint2": (0, 3),
    "int2": (-2, 1),
}


def to_format(value: float, name: str) -> float:
    """Return a value rounded once to ``float32``, ``float16`` or ``bfloat16``; infinite beyond the largest value."""
    if not math.isfinite(value) or value == 0:
        return value
    if FORMATS[name].is_exact(abs(value)):
        return value
    return math.copysign(FORMATS[name].nearest(*abs(value).as_integer_ratio()), value)


def divide(x: float, scale: float, name: str) -> Number:
    """Return ``x / scale`` in a format, or the exact quotient if ``name`` is empty."""
    if name:
        x = to_format(x, name)
    sign = math.copysign(1, x) * math.copysign(1, scale)
    scale, sn, sd = _divisor(abs(scale), name)
    if math.isnan(x) or math.isnan(scale) or (x == 0 == scale) or (math.isinf(x) and math.isinf(scale)):
        return math.nan
    if math.isinf(x) or scale == 0:
        return sign * math.inf
    if x == 0 or math.isinf(scale):
        return sign * 0.0
    xn, xd = abs(x).as_integer_ratio()
    if not name:
        return Fraction(xn * sd, xd * sn) * int(sign)
    return math.copysign(FORMATS[name].nearest(xn * sd, xd * sn), sign)


@lru_cache(maxsize=64)
def _divisor(scale: float, name: str) -> tuple[float, int, int]:
    """Return a scale that is not negative in a format, and its fraction. Cached: thousands of quotients share a scale."""
    scale = to_format(scale, name) if name else scale
    return scale, *(scale.as_integer_ratio() if math.isfinite(scale) else (0, 0))


def to_integer(quotient: Number, zero_point: int, target: str) -> int:
    """Return ``saturate(round(quotient) + zero_point)``; the smallest value for NaN."""
    low, high = INTEGERS[target]
    if isinstance(quotient, float) and not math.isfinite(quotient):
        return high if quotient == math.inf else low
    return min(max(round(quotient) + zero_point, low), high)  # Python's round() is half to even


def to_small(quotient: Number, zero_point: float, target: str, saturate: bool) -> int | None:
    """Return the code of ``quotient + zero_point`` rounded once; None for NaN."""
    if zero_point:
        finite = not isinstance(quotient, float) or math.isfinite(quotient)
        quotient = Fraction(quotient) + Fraction(zero_point) if finite else quotient
    return SMALL[target].encode(quotient, saturate)

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from litecheck.reference.numerics.fixedpoint import multiply_double, quantize_multiplier


@pytest.mark.parametrize(
    ("real", "expected"),
    [
        (0.0, (0, 0)),
        (1.0, (1 << 30, 1)),
        (0.5, (1 << 30, 0)),
        (0.75, (3 << 29, 0)),
        (1 / 3, (1431655765, -1)),
        (math.nextafter(1.0, 0), (1 << 30, 1)),  # 2**31 after rounding is halved
        (2.0**-32, (1 << 30, -31)),
        (2.0**-33, (0, 0)),  # all bits are shifted out
        (5e-324, (0, 0)),
        (2.0**20, (1 << 30, 21)),
        (-0.75, (-3 << 29, 0)),
        ((2**31 - 0.5) / 2**31, (1 << 30, 1)),  # a tie is rounded up
        ((2**30 + 0.5) / 2**31, ((1 << 30) + 1, 0)),
        (math.nextafter((2**30 + 0.5) / 2**31, 0), (1 << 30, 0)),
    ],
)
def test_mantissa_and_shift(real: float, expected: tuple[int, int]) -> None:
    assert quantize_multiplier(real) == expected


@given(st.floats(2.0**-32, 2.0**29))
def test_a_multiplier_is_within_half_a_unit_of_its_last_place(real: float) -> None:
    mantissa, shift = quantize_multiplier(real)
    assert 1 << 30 <= mantissa < 1 << 31
    assert abs(Fraction(mantissa) * Fraction(2) ** (shift - 31) - Fraction(real)) <= Fraction(2) ** (
        shift - 32
    )


def _twice_rounded(x: int, multiplier: int, shift: int) -> int:
    """Return the definition in exact arithmetic: shift, round half up, shift, round half away from zero."""
    left = (x << max(shift, 0)) & (2**32 - 1)
    left -= (left >> 31) << 32
    high = math.floor(Fraction(left * multiplier, 1 << 31) + Fraction(1, 2))
    rest = Fraction(high, 1 << max(-shift, 0))
    return int(math.copysign(math.floor(abs(rest) + Fraction(1, 2)), rest)) if rest else 0


@given(st.integers(-(2**31), 2**31 - 1), st.integers(0, 2**31 - 1), st.integers(-31, 30))
@example(-(2**31), 2**31 - 1, 0)
@example(1, 1 << 30, 0)  # 1/2 is rounded up
@example(-1, 1 << 30, 0)  # -1/2 is rounded up
@example(-3, 1 << 30, -1)  # -3/2 to -1, then -1/2 away from zero
@example(1 << 29, 1 << 30, 3)  # wraps
def test_products_are_rounded_twice(x: int, multiplier: int, shift: int) -> None:
    result = multiply_double(np.array([x], np.int64), multiplier, shift)
    assert result.item() == _twice_rounded(x, multiplier, shift)

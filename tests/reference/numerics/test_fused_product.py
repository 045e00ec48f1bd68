"""Products and sums rounded once, against exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litecheck.reference.numerics.fused_product import multiply_add

FLOATS = st.floats(-(2.0**20), 2.0**20, width=32)


def nearest(value: Fraction) -> np.float32:
    """Return the float32 nearest to a fraction, the even one of two. A correctly rounded float64 is a neighbor at most."""
    near = np.float32(float(value))
    candidates = [near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))]
    return min(candidates, key=lambda v: (abs(Fraction(float(v)) - value), int(v.view(np.int32)) & 1))


@given(FLOATS, FLOATS, FLOATS)
def test_a_single_rounding(x, factor, addend):
    """The value is the float32 nearest to x * factor + addend."""
    found = multiply_add(np.float32([x]), np.float32(factor), np.float32(addend))[0]
    assert found == nearest(Fraction(x) * Fraction(factor) + Fraction(addend))


def test_the_rounded_product_differs():
    x, factor, one = np.float32([2**-13 + 1]), np.float32(2**-13 - 1), np.float32(1)
    assert multiply_add(x, factor, one).tolist() == [2**-26]
    assert (x * factor + one).tolist() == [0]


def test_the_sum_rounded_twice_differs():
    """1 + 2**-23 + 2**-24 - 2**-54 is below a tie of float32, and becomes the tie in float64."""
    x, factor = np.float32([2**-24 * (1 + 2**-15)]), np.float32(1 - 2**-15)
    addend = np.float32(1 + 2**-23)
    assert multiply_add(x, factor, addend).tolist() == [1 + 2**-23]
    twice = x.astype(np.float64) * np.float64(factor) + np.float64(addend)
    assert twice.astype(np.float32).tolist() == [1 + 2**-22]


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_infinities_and_nan(value):
    found = multiply_add(np.float32([value]), np.float32(0.5), np.float32(1))
    np.testing.assert_array_equal(found, np.float32([value]))

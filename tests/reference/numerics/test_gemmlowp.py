"""Fixed-point functions near the real functions, and raw values calculated by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litecheck.reference.numerics import gemmlowp
from litecheck.reference.numerics.fixedpoint import INT32_MAX, INT32_MIN


def raw(real, integer_bits, bits=32):
    return np.asarray(np.round(real * 2.0 ** (bits - 1 - integer_bits)), np.int64)


def test_constants_are_gemmlowps():
    assert gemmlowp.constant(math.exp(-1 / 8)) == 1895147668
    assert gemmlowp.constant(48 / 17, 2) == 1515870810
    assert gemmlowp.constant(-32 / 17, 2) == -1010580540
    assert gemmlowp.constant(math.exp(-16)) == 242
    assert gemmlowp.constant(1.0) == INT32_MAX
    assert gemmlowp.constant(0.5, 0, 16) == 1 << 14


def documented_inverse_sqrt(x: int) -> tuple[int, int]:
    """Return 1 / sqrt(x) by the steps in docs/arithmetic.md."""

    def multiply(a: int, b: int) -> int:
        return min((a * b + (1 << 30)) >> 31, INT32_MAX)

    def shifted(a: int, bits: int) -> int:
        return max(min(a << bits, INT32_MAX), INT32_MIN)

    if x <= 1:
        return INT32_MAX, 0
    v, right = x, 11
    while v >= 1 << 29:
        v, right = v // 4, right + 1
    while v < 1 << 27:
        v, right = v * 4, right - 1
    half, y = (v + 2) // 4, 1 << 28
    for _ in range(5):
        cube = shifted(multiply(multiply(y, y), y), 6)
        y = shifted(multiply(y, (1 << 28) + (1 << 27)) - multiply(half, cube), 3)
    return multiply(y, 1518500250) << max(-right, 0), -max(right, 0)


@given(st.integers(0, 31).flatmap(lambda bits: st.integers(0, (1 << bits) - 1)))
def test_the_inverse_root_equals_its_documented_steps(x):
    m, shift = gemmlowp.inverse_sqrt(np.array([x], np.int64))
    assert (int(m[0]), int(shift[0])) == documented_inverse_sqrt(x)


@given(st.integers(INT32_MIN, INT32_MAX), st.integers(INT32_MIN, INT32_MAX))
def test_a_product_is_the_nearest_ties_up(a, b):
    exact = min((a * b + (1 << 30)) >> 31, INT32_MAX)
    assert gemmlowp.multiply(np.array([a]), b)[0] == exact


def test_16_bit_products_saturate_at_one():
    assert gemmlowp.multiply(np.array([-32768]), -32768, 16)[0] == 32767
    assert gemmlowp.multiply(np.array([-1, 1]), 1 << 14, 16).tolist() == [0, 1]


def test_scaling_up_saturates():
    x = np.array([1, -1, 1 << 29, -(1 << 29), 1 << 28, -(1 << 28)])
    assert gemmlowp.scale_up(x, 2).tolist() == [4, -4, INT32_MAX, INT32_MIN, 1 << 30, -(1 << 30)]
    assert gemmlowp.scale_up(x, 0).tolist() == x.tolist()


def test_leading_zeros():
    assert gemmlowp.leading_zeros(np.array([0, 1, 2, 3, 1 << 30, -1])).tolist() == [32, 31, 30, 30, 1, 0]


@pytest.mark.parametrize(
    ("integer_bits", "bits", "within"), [(5, 32, 2.3e-7), (4, 32, 2.3e-7), (3, 16, 3e-4)]
)
def test_exp_of_negative_values(integer_bits, bits, within):
    """In 32 bits the error is the omitted term of the polynomial: exp(-1/8) / 8^5 / 5! is 2.25e-7."""
    real = -np.linspace(0, 2**integer_bits - 0.01, 5001)
    found = gemmlowp.exp_negative(raw(real, integer_bits, bits), integer_bits, bits) / 2.0 ** (bits - 1)
    assert np.abs(found - np.exp(real)).max() < within
    assert found[0] == 1 - 2.0 ** (1 - bits)


@pytest.mark.parametrize(("bits", "within"), [(32, 2e-7), (16, 4e-4)])
def test_logistic_and_tanh(bits, within):
    real = np.linspace(-7.9, 7.9, 5001)
    x = raw(real, 3, bits)
    logistic, tanh = (f(x, 3, bits) / 2.0 ** (bits - 1) for f in (gemmlowp.logistic, gemmlowp.tanh))
    assert np.abs(logistic - 1 / (1 + np.exp(-real))).max() < within
    assert np.abs(tanh - np.tanh(real)).max() < within
    zero = np.array([0])
    assert gemmlowp.logistic(zero, 3)[0] == 1 << 30
    assert gemmlowp.tanh(zero, 3)[0] == 0


@given(st.integers(1, INT32_MAX))
def test_reciprocal(x):
    r, power = gemmlowp.reciprocal(np.array([x]), 12)
    assert math.isclose(r[0] / 2.0**31 * 2.0 ** -power[0], 2.0**19 / x, rel_tol=2e-7)


@given(st.integers(2, INT32_MAX))
def test_inverse_sqrt(x):
    m, shift = gemmlowp.inverse_sqrt(np.array([x]))
    assert math.isclose(m[0] * 2.0 ** (float(shift[0]) - 31), 1 / math.sqrt(x), rel_tol=4e-6)


def test_inverse_sqrt_of_0_and_of_1():
    m, shift = gemmlowp.inverse_sqrt(np.array([0, 1]))
    assert m.tolist() == [INT32_MAX] * 2
    assert shift.tolist() == [0, 0]


@given(st.integers(1 << 19, INT32_MAX))
def test_log(x):
    found = gemmlowp.log(np.array([x]), 12, 5)[0] / 2.0**26
    assert abs(found - math.log(x / 2.0**19)) < 2e-6

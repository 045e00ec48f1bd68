"""Every primitive on raw integers at all corners, compared with Python's unbounded integers and fractions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from litecheck.reference.numerics import fixedpoint as fp

#: Corners of int32 arithmetic: ends, powers of two and their neighbors, ties, and some integers between.
CORNERS = sorted(
    {sign * 2**k + d for k in range(32) for d in (-2, -1, 0, 1, 2) for sign in (-1, 1)}
    | {0, 3, -3, 5, -5, 1234567, -7654321, 2**31 - 1, -(2**31)}
)
INT32 = [x for x in CORNERS if -(2**31) <= x < 2**31]
MANTISSAS = [0, 2**30, 2**30 + 1, 1518500250, 2**31 - 2, 2**31 - 1]


def half_up(x: Fraction) -> int:
    return math.floor(x + Fraction(1, 2))


def half_away(x: Fraction) -> int:
    return half_up(x) if x >= 0 else -half_up(-x)


def array(values: Iterable[int]) -> fp.Ints:
    return np.array(list(values), np.int64)


def wrapped(x: int) -> int:
    return (x + 2**31) % 2**32 - 2**31


def doubled(x: int, m: int) -> int:
    return min(half_up(Fraction(x * m, 2**31)), 2**31 - 1)


@pytest.mark.parametrize("m", [*MANTISSAS, -1, -(2**30), -(2**31)])
def test_doubling_high_multiply_is_the_rounded_quotient_and_saturates_once(m: int) -> None:
    made = fp.doubling_high_mul(array(INT32), m)
    assert made.tolist() == [doubled(x, m) for x in INT32]
    if m == -(2**31):
        assert made[0] == 2**31 - 1


@pytest.mark.parametrize("bits", range(32))
def test_rounding_shifts_differ_only_on_negative_ties(bits: int) -> None:
    away, up = fp.rounding_shift(array(INT32), bits), fp.rounding_shift_up(array(INT32), bits)
    quotients = [Fraction(x, 2**bits) for x in INT32]
    assert away.tolist() == [half_away(q) for q in quotients]
    assert up.tolist() == [half_up(q) for q in quotients]
    ties = [q for q in quotients if q < 0 and q.denominator == 2]
    assert int((away != up).sum()) == len(ties)
    assert bool(ties) == (bits > 0)


def test_shifts_take_a_number_of_bits_for_each_element() -> None:
    pairs = list(product(INT32, range(32)))
    x, bits = array(a for a, _ in pairs), array(b for _, b in pairs)
    assert fp.rounding_shift(x, bits).tolist() == [half_away(Fraction(a, 2**b)) for a, b in pairs]
    assert fp.rounding_shift_up(x, bits).tolist() == [half_up(Fraction(a, 2**b)) for a, b in pairs]


def test_wrapping_is_reduction_modulo_2_to_the_32() -> None:
    wide = [x * 2**k + d for x in (-3, -1, 0, 1, 5) for k in (30, 31, 32, 33, 40) for d in (-1, 0, 1)]
    assert fp.wrap32(array(wide)).tolist() == [wrapped(x) for x in wide]


def test_saturation_keeps_values_within_the_type() -> None:
    assert fp.saturate(array([-300, -128, 0, 127, 300]), -128, 127).tolist() == [-128, -128, 0, 127, 127]


ORACLES: dict[str, Callable[[int, int, int], int]] = {
    "double": lambda x, m, s: half_away(Fraction(doubled(wrapped(x << max(s, 0)), m), 2 ** max(-s, 0))),
    "double-half-up": lambda x, m, s: half_up(Fraction(doubled(wrapped(x << max(s, 0)), m), 2 ** max(-s, 0))),
    "single": lambda x, m, s: half_up(Fraction(x * m, 2 ** (31 - s))),
    "reduced": lambda x, m, s: half_up(Fraction(x * shortened(m), 2**15) * Fraction(2) ** s),
    "floor": lambda x, m, s: math.floor(Fraction(x * m, 2 ** (31 - s))),
    "truncate": lambda x, m, s: int(Fraction(x * m, 2 ** (31 - s))),
}


def shortened(m: int) -> int:
    """Return a mantissa in 16 bits."""
    return min(half_up(Fraction(m, 2**16)), 2**15 - 1)


def test_a_float32_multiplier_rounds_both_factors_and_the_product() -> None:
    x, m = array(INT32), 2**30 + 12345
    real = np.float32(m * 2.0**-31)
    wanted = [round(float(np.float32(v) * real)) for v in INT32]
    assert fp.multiply_float32(x, m, 0).tolist() == wanted
    assert fp.multiply_float32(x, m, 0).tolist() != fp.multiply_single(x, m, 0).tolist()


@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("shift", [-31, -30, -9, -1, 0, 1, 7, 29])
def test_multipliers_at_all_corners(name: str, shift: int) -> None:
    for m in MANTISSAS:
        made = fp.MULTIPLY[name](array(INT32), m, shift)
        assert made.tolist() == [ORACLES[name](x, m, shift) for x in INT32], (m, shift)


def test_multipliers_are_distinguished() -> None:
    x = array(range(-4000, 4001))
    made = {name: multiply(x, 2**30 + 1, -4) for name, multiply in fp.MULTIPLY.items()}
    assert (made["double"] != made["double-half-up"]).sum() > 10
    assert (made["single"] != made["double"]).sum() > 10
    assert (made["single"] != made["double-half-up"]).sum() > 10


REALS = [
    *(m * 2.0**e for m in (0.5, 0.5 + 2**-31, 0.5 + 2**-32, 0.75, 1 - 2**-31, 1 - 2**-32, 1 - 2**-33, 1 - 2**-53)
      for e in (-40, -33, -32, -31, -30, -8, 0, 1, 8, 31)),
    0.0, 5e-324, 1e-10, 0.1, 1 / 3, math.pi, 1e9,
]  # fmt: skip


def test_quantized_multipliers_are_the_nearest() -> None:
    for real in REALS:
        m, shift = fp.quantize_multiplier(real)
        if m == 0:
            assert shift == 0
            assert real < 2.0**-31
            continue
        assert 2**30 <= m < 2**31
        error = abs(Fraction(m) * Fraction(2) ** (shift - 31) - Fraction(real))
        assert error <= Fraction(2) ** (shift - 32)


def test_arrays_of_multipliers_equal_their_elements() -> None:
    rng = np.random.default_rng(0)
    reals = np.array([*REALS, *np.exp(rng.uniform(-25, 8, 5000))])
    m, shift = fp.quantize_multipliers(reals)
    assert list(zip(m.tolist(), shift.tolist(), strict=True)) == [
        fp.quantize_multiplier(float(r)) for r in reals
    ]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_half_away_is_exact_next_to_the_ties(dtype: type[np.floating]) -> None:
    ties = np.arange(-9.5, 10, 0.5, dtype=dtype)
    near = [np.nextafter(ties, dtype(v)) for v in (-np.inf, np.inf)]
    large = np.array([2.0**22 + 0.5, -(2.0**22) - 0.5, 2.0**30, -(2.0**30)], dtype)
    x = np.concatenate([ties, *near, large])
    made = fp.round_half_away(x)
    assert made.dtype == dtype
    assert made.tolist() == [half_away(Fraction(float(v))) for v in x]

"""Rescalings by parameters, with numbers calculated by hand, equal to the named variants that they describe."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.reference.numerics.parametric_rescale import PARAMETRIC
from litecheck.reference.numerics.rescale import VARIANTS, Scales

SUMS = (6, -6, 10, -10, 5, -5, 7, -7)


def rescaled(name: str, sums: tuple[int, ...], multiplier: float) -> list[int]:
    made = PARAMETRIC[name](np.array([multiplier]))
    return [int(n) for n in made.step(np.array(sums, np.int64), *made.constants)]


@pytest.mark.parametrize(
    ("rounding", "once"),
    [
        # 3/2, -3/2, 5/2, -5/2, 5/4, -5/4, 7/4, -7/4
        ("half-up", [2, -1, 3, -2, 1, -1, 2, -2]),
        ("half-away", [2, -2, 3, -3, 1, -1, 2, -2]),
        ("half-even", [2, -2, 2, -2, 1, -1, 2, -2]),
        ("floor", [1, -2, 2, -3, 1, -2, 1, -2]),
        ("truncate", [1, -1, 2, -2, 1, -1, 1, -1]),
    ],
)
@pytest.mark.parametrize("width", [8, 16, 24, 32])
def test_one_rounding(rounding: str, once: list[int], width: int) -> None:
    assert rescaled(f"{rounding}-{width}-bits-once", SUMS, 0.25) == once


@pytest.mark.parametrize(
    ("name", "sums", "multiplier", "expected"),
    [
        # 5 / 4 is (5 / 2) / 2: 3 / 2 half up and away, 2 / 2 to even.
        ("half-up-32-bits-twice", (5,), 0.25, [2]),
        ("half-even-32-bits-twice", (5,), 0.25, [1]),
        # 0.6 of 8 bits is 77 / 128: 1000 * 77 / 128 is 601.6; of 16 bits 19661 / 32768.
        ("half-up-8-bits-once", (1000,), 0.6, [602]),
        ("half-up-16-bits-once", (1000,), 0.6, [600]),
        # Multipliers of at least 1: 3 * 4, and a shift that overflows the int32 register if the sum is shifted first.
        ("half-up-8-bits-once", (3,), 4.0, [12]),
        ("half-even-32-bits-twice", (3, 1 << 30), 4.0, [12, 0]),
    ],
)
def test_values_by_hand(name: str, sums: tuple[int, ...], multiplier: float, expected: list[int]) -> None:
    assert rescaled(name, sums, multiplier) == expected


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("half-up-32-bits-once", "single"),
        ("half-up-16-bits-once", "reduced"),
        ("half-up-8-bits-once", "reduced-8"),
        ("floor-32-bits-once", "floor"),
        ("truncate-32-bits-once", "truncate"),
        ("half-up-32-bits-twice", "double-half-up"),
    ],
)
def test_parametric_rescalings_equal_named_variants(name: str, same: str) -> None:
    rng = np.random.default_rng(4)
    sums = rng.integers(-(1 << 24), 1 << 24, 4000)
    for real in 2.0 ** rng.uniform(-20, 2, 20):
        made = PARAMETRIC[name](np.array([real]))
        scales = Scales(np.float32(1), np.array([real], np.float32), np.float32(1))
        named = VARIANTS[same](np.array([real]), scales)
        assert np.array_equal(
            made.step(sums.copy(), *made.constants), named.step(sums.copy(), *named.constants)
        )

"""Exact quotients of scales."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from litecheck.profile.measurements.measured_operator import exact_ratio


@pytest.mark.parametrize(
    ("over", "under", "ratio"),
    [
        ((0.5, 0.25), 0.125, Fraction(1)),
        ((3.0,), 0.75, Fraction(4)),
        ((), 0.5, Fraction(2)),
        ((-0.5,), 0.25, Fraction(-2)),
        ((0.5,), -0.25, Fraction(-2)),
        ((2.0**-100, 2.0**-49), 2.0**-149, Fraction(1)),
    ],
)
def test_products_over_a_number(over: tuple[float, ...], under: float, ratio: Fraction) -> None:
    assert exact_ratio(over, under) == ratio


def test_quotients_are_exact() -> None:
    tenth, third = float(np.float32(0.1)), float(np.float32(1 / 3))
    assert exact_ratio((tenth, tenth), third) == Fraction(tenth) ** 2 / Fraction(third)

"""Sums of squares beyond the range of float32, of values that are not finite, and of tensors with different shapes."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.conversion.powers import float32_power, power, squares


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([3.0, 4.0], 25.0),
        ([1e-20, 0.0], 1e-40),
        ([1e30, 0.0], 1e60),
        ([np.inf, 2.0], 4.0),
        ([np.nan, 2.0], 4.0),
    ],
)
def test_power(values: list[float], wanted: float) -> None:
    assert power(np.float32(values)) == pytest.approx(wanted, rel=1e-6)


def test_an_error_of_another_shape_is_the_whole_signal() -> None:
    assert squares(np.float32([3, 4]), np.float32([[3, 4]])) == 25


@pytest.mark.parametrize(("value", "wanted"), [(3.0, 9.0), (1e-20, None), (1e30, None), (np.nan, None)])
def test_sums_that_float32_cannot_store_are_unknown(value: float, wanted: float | None) -> None:
    assert float32_power(np.float32([value])) == wanted

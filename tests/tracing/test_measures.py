"""Errors: sums over samples, and storage that the twin has by chance without an error."""

from __future__ import annotations

import math

import numpy as np
import pytest

from litecheck.tracing.measures import Errors, power, squares


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


def test_another_shape_is_wholly_wrong() -> None:
    assert squares(np.float32([3, 4]), np.float32([[3, 4]])) == 25


def test_ratios_add_up_over_samples() -> None:
    errors = Errors()
    errors.add("alone", np.float32([10]), np.float32([9]))
    errors.add("alone", np.float32([10]), np.float32([11]))
    assert errors.ratio("alone") == pytest.approx(0.01)
    assert errors.snr("alone") == pytest.approx(20)
    assert errors.ratio("own") is None
    errors.add("own", np.float32([0]), np.float32([1]))
    assert errors.ratio("own") == math.inf


def test_values_that_the_twin_stores_exactly_count_as_rounded() -> None:
    errors = Errors()
    errors.add("stored", np.float32([10]), np.float32([10.1]))
    errors.add("twin_stored", np.float32([10]), np.float32([10]))
    assert errors.storage_excess == pytest.approx(1e-4, rel=1e-3)
    errors.rounded = 0.02
    assert errors.storage_excess == 0

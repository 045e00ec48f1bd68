"""Errors: sums over samples, and storage that the twin has by chance without an error."""

from __future__ import annotations

import math

import numpy as np
import pytest

from litecheck.tracing.measures import Errors


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

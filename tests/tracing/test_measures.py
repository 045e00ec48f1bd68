"""Errors: sums over samples, and storage that the twin has by chance without an error."""

from __future__ import annotations

import math

import numpy as np
import pytest

from litecheck.tracing.measures import Errors, Signal


def add(errors: Errors, name: str, want: float, got: float) -> None:
    signal = Signal.from_values(np.float32([want]))
    errors.add(name, signal, signal.noise(np.float32([got])))


def test_ratios_add_up_over_samples() -> None:
    errors = Errors()
    add(errors, "alone", 10, 9)
    add(errors, "alone", 10, 11)
    assert errors.ratio("alone") == pytest.approx(0.01)
    assert errors.snr("alone") == pytest.approx(20)
    assert errors.ratio("own") is None
    add(errors, "own", 0, 1)
    assert errors.ratio("own") == math.inf


def test_values_that_the_twin_stores_exactly_count_as_rounded() -> None:
    errors = Errors()
    add(errors, "stored", 10, 10.1)
    add(errors, "twin_stored", 10, 10)
    assert errors.storage_excess == pytest.approx(1e-4, rel=1e-3)
    errors.rounded = 0.02
    assert errors.storage_excess == 0

"""TensorFlow's formulas against files that TensorFlow's converter wrote, of both generations: bit for bit."""

from __future__ import annotations

from math import ceil, log2

import numpy as np
import pytest

from litecheck.convert.formulas import activation, cell_scale


@pytest.mark.parametrize(
    ("low", "high", "scale", "zero"),
    [(5, 5, 5 / 255, -128), (-3, -3, 3 / 255, 127), (0, 0, 7.843137e-09, 0), (-1, 1, 2 / 255, -1)],
)
def test_a_range_is_extended_to_hold_zero(low: float, high: float, scale: float, zero: int) -> None:
    assert activation(low, high) == (np.float32(scale), zero)


@pytest.mark.parametrize("largest", [1.0, 0.5, 0.50001, 0.3, 1.0000001, 7.9, 8.0, 1e-4])
def test_a_cell_state_gets_the_power_of_two_that_reaches_it(largest: float) -> None:
    assert cell_scale(largest) == 2.0 ** ceil(log2(np.float32(largest))) / 32768

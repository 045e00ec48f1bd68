"""Padding of StableHLO, calculated by hand."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.reference.kernels.stablehlo import pad_array


@pytest.mark.parametrize(
    ("low", "high", "interior", "expected"),
    [
        ([0], [0], [0], [1, 2, 3]),
        ([0], [0], [1], [1, 9, 2, 9, 3]),
        ([1], [2], [2], [9, 1, 9, 9, 2, 9, 9, 3, 9, 9]),
        ([-1], [0], [0], [2, 3]),
        ([0], [-1], [1], [1, 9, 2, 9]),
        ([-1], [-2], [2], [9, 9, 2, 9]),
        ([-2], [-1], [0], []),
        ([-3], [1], [0], [9]),
    ],
)
def test_padding_around_and_between(
    low: list[int], high: list[int], interior: list[int], expected: list[int]
) -> None:
    made = pad_array(np.array([1, 2, 3], np.int8), np.array(9, np.int8), low, high, interior)
    assert made.dtype == np.int8
    assert made.tolist() == expected


def test_dimensions_are_padded_separately() -> None:
    made = pad_array(np.array([[1, 2], [3, 4]], np.int8), np.array(0, np.int8), [1, 0], [0, 1], [0, 1])
    assert made.tolist() == [[0, 0, 0, 0], [1, 0, 2, 0], [3, 0, 4, 0]]
    assert pad_array(np.ones((2, 2), np.int8), np.array(0), [0, -2], [0, 0], [0, 0]).shape == (0, 0)

"""Weights in float types that keep their sums exact, with bounds calculated by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.reference.numerics.integer_matmul import as_signed, signed_operand, weights
from tests.reference.kernels.layers import output, stored


def int8(*rows: list[int]) -> Any:
    return np.array(rows, np.int8)


@pytest.mark.parametrize(
    ("matrix", "zero", "largest", "sums", "bound", "carrier"),
    [
        # the bound by the type is 3 * 128 * 128
        (int8([1, -2, 3], [4, 5, -6]), 0, 128, [2, 3], 49_152, np.float32),
        # with a zero point the bound is that of the weights: (0 + 3 + 2) * 128 and (3 + 4 + 7) * 128
        (int8([1, -2, 3], [4, 5, -6]), 1, 128, [-1, 0], 1792, np.float32),
        (int8([100] * 1024), 0, 128, [102_400], 1 << 24, np.float32),
        (int8([1] * 1025), 0, 128, [1025], 131_200, np.float32),
        (int8([-127] * 1025 + [127] * 1025), 0, 128, [0], 33_324_800, np.float64),
        (np.array([[1, 2]], np.int16), 0, 32768, [3], 98_304, np.float32),
        (np.array([[300, 213]], np.int16), 0, 32768, [513], 16_809_984, np.float64),
        (np.array([[300, 212]], np.int16), 0, 32768, [512], 1 << 24, np.float32),
    ],
)
def test_bounds(
    matrix: Any, zero: int, largest: int, sums: list[int], bound: int, carrier: type[np.floating[Any]]
) -> None:
    made = weights(matrix, zero, largest)
    assert made.sums.tolist() == sums
    assert (made.limit, made.matrix.dtype) == (bound, carrier)
    np.testing.assert_array_equal(made.matrix, matrix.astype(int) - zero)


def test_offsets_of_channels() -> None:
    made = weights(int8([1, 2], [3, -5]), 0, 128)
    assert made.offset(None, 4).tolist() == [-12, 8]
    assert made.offset(stored([10, 20], dtype="int32"), 4).tolist() == [-2, 28]
    assert made.offset(stored([[10], [20]], dtype="int32"), 0).tolist() == [10, 20]


@pytest.mark.parametrize(("most", "wraps"), [(2**31 - 1 - 256 * 128, False), (2**31 - 256 * 128, True)])
def test_accumulators_that_may_overflow(most: int, wraps: bool) -> None:
    """The bound of two weights is 2 * 128 * 128."""
    made = weights(int8([1, 2]), 0, 128)
    assert made.wraps(np.array([5, most])) is wraps
    assert made.wraps(np.array([-most, 0])) is wraps
    assert not made.wraps(np.array([], np.int64))


def test_uint8_is_computed_as_int8() -> None:
    assert signed_operand(stored([0], 1.0, 130, "uint8")) == ("int8", 2)
    assert signed_operand(output(1.0, 5, "int16")) == ("int16", 5)
    made = as_signed(np.array([0, 127, 128, 255], np.uint8))
    assert (made.tolist(), made.dtype) == ([-128, -1, 0, 127], np.int8)
    same = np.array([1], np.int8)
    assert as_signed(same) is same

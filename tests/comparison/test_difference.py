"""Two arrays compared: counts, histogram, the worst element, for integers and for reals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from litecheck.comparison.difference import difference
from litecheck.comparison.types import MismatchExample
from litecheck.model.build import qparams
from litecheck.model.types import Tensor
from litecheck.quantizer.comparison_result import Bucket

STORED = arrays(np.int8, st.tuples(st.integers(1, 4), st.integers(1, 6)))


def tensor(dtype: str = "int8", shape: tuple[int, ...] = (2, 3)) -> Tensor:
    return Tensor(7, "out", dtype, shape, quantization=qparams(0.5, 1))


def floats(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def test_integers_differ_in_steps() -> None:
    expected = [np.zeros((2, 3), np.int8), np.array([[1, 2, 3], [4, 5, 127]], np.int8)]
    actual = [expected[0].copy(), np.array([[1, 1, 3], [4, 7, -128]], np.int8)]
    made = difference(tensor(), expected, actual, tolerance=1)
    assert (made.unit, made.size, made.mismatches, made.beyond, made.largest) == ("LSB", 12, 3, 2, -255)
    assert made.histogram == (Bucket(-256, -129, 1), Bucket(-1, -1, 1), Bucket(2, 2, 1))
    assert made.worst == MismatchExample(1, (1, 2), 127.0, -128.0)
    assert made.channels == (0, 2, 1)
    assert (made.tensor, made.name, made.dtype, made.shape) == (7, "out", "int8", (2, 3))
    assert made.share == 0.25


def test_the_first_of_equally_bad_elements_is_the_worst() -> None:
    expected, actual = (
        [np.zeros(4, np.int8)] * 2,
        [np.array(v, np.int8) for v in ((0, 0, 0, 0), (0, -3, 3, 0))],
    )
    assert difference(tensor(shape=(4,)), expected, actual).worst == MismatchExample(1, (1,), 0.0, -3.0)


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_differences_of_64_bits_do_not_wrap(dtype: str) -> None:
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    ends = [np.array([low, 5], dtype)], [np.array([high, 5], dtype)]
    assert difference(tensor(dtype, (2,)), *ends).largest == int(high) - int(low)
    assert difference(tensor(dtype, (2,)), *ends[::-1]).largest == int(low) - int(high)


def test_truth_values_differ_in_steps() -> None:
    made = difference(tensor("bool", (2,)), [np.array([True, False])], [np.array([False, False])])
    assert (made.unit, made.largest, made.mismatches) == ("LSB", -1, 1)


def test_reals_differ_by_shares_of_the_largest_magnitude_of_their_run() -> None:
    expected = [floats(1.0, -4.0, np.inf), floats(0.5, 0.25, 0.0)]
    actual = [floats(1.0, -4.5, np.inf), floats(0.5, 0.5, 0.0)]
    made = difference(tensor("float32", (3,)), expected, actual, tolerance=0.2)
    assert (made.unit, made.mismatches, made.beyond, made.histogram) == ("relative", 2, 1, ())
    assert made.largest == 0.5
    assert made.worst == MismatchExample(1, (1,), 0.25, 0.5)


def test_reals_that_are_equal_in_value_or_both_no_number_are_equal() -> None:
    same = difference(tensor("float32", (3,)), [floats(np.nan, 0.0, np.inf)], [floats(np.nan, -0.0, np.inf)])
    assert (same.mismatches, same.worst) == (0, None)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_real_that_is_no_number_is_beyond_every_tolerance(wrong: float) -> None:
    made = difference(tensor("float32", (2,)), [floats(1.0, 2.0)], [floats(1.0, wrong)], tolerance=0.9)
    assert (made.mismatches, made.beyond, abs(made.largest)) == (1, 1, np.inf)


def test_floats_differ_absolutely_from_zeros() -> None:
    made = difference(tensor("float32", (2,)), [floats(0.0, 0.0)], [floats(0.0, 1e-3)])
    assert made.largest == pytest.approx(1e-3)


def test_shapes_may_differ_from_run_to_run() -> None:
    expected = [np.zeros(3, np.int8), np.zeros(5, np.int8)]
    made = difference(tensor(shape=(-1,)), expected, [expected[0], np.arange(5, dtype=np.int8)])
    assert (made.size, made.mismatches, made.channels) == (8, 4, ())


def test_differences_without_elements() -> None:
    assert difference(tensor(), [], []).size == 0
    assert difference(
        tensor(shape=()), [np.int8(3).reshape(())], [np.int8(4).reshape(())]
    ).worst == MismatchExample(0, (), 3, 4)


@given(st.data(), STORED)
def test_counts_of_a_difference_agree(data: st.DataObject, expected: Any) -> None:
    actual = data.draw(arrays(np.int8, expected.shape))
    made = difference(tensor(), [expected], [actual], tolerance=2)
    assert sum(b.count for b in made.histogram) == sum(made.channels) == made.mismatches
    assert made.beyond <= made.mismatches <= made.size
    off = actual.astype(int) - expected.astype(int)
    assert made.mismatches == np.count_nonzero(off)
    assert abs(made.largest) == abs(off).max()
    if made.worst:
        assert off[made.worst.index] == made.largest == made.worst.actual - made.worst.expected


@given(STORED)
def test_equal_arrays_have_no_difference(expected: Any) -> None:
    made = difference(tensor(), [expected], [expected.copy()])
    assert (made.mismatches, made.worst, made.histogram, made.patterns) == (0, None, (), ())


@given(STORED, st.integers(1, 5))
def test_differences_change_sign_when_sides_change(expected: Any, step: int) -> None:
    actual = np.clip(expected.astype(int) + step, -128, 127).astype(np.int8)
    there = difference(tensor(), [expected], [actual])
    back = difference(tensor(), [actual], [expected])
    assert there.largest == -back.largest
    assert [(b.low, b.high, b.count) for b in there.histogram] == [
        (-b.high, -b.low, b.count) for b in reversed(back.histogram)
    ]

"""Sketches: the same in any order, merged without loss, never more bins than stated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from litecheck.conversion.calibration.sketch import BINS, Sketch, sketch_of

REALS = st.floats(width=32, allow_nan=False, allow_infinity=False)
VALUES = arrays(np.float32, st.integers(1, 40), elements=REALS)


def sketch(values: np.ndarray) -> Sketch:
    return sketch_of(values, float(values.min()), float(values.max()))


@given(VALUES, VALUES)
def test_merged_sketches_equal_the_sketch_of_all_values(one: np.ndarray, other: np.ndarray) -> None:
    together = sketch(np.concatenate([one, other]))
    assert sketch(one).merge(sketch(other)).same(together)
    assert sketch(other).merge(sketch(one)).same(together)


@given(VALUES, VALUES, VALUES)
def test_merging_is_associative(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    x, y, z = map(sketch, (a, b, c))
    assert x.merge(y).merge(z).same(x.merge(y.merge(z)))


@given(VALUES)
def test_every_value_lies_in_its_bin(values: np.ndarray) -> None:
    found = sketch(values)
    assert len(found.counts) <= BINS
    assert found.counts[0]
    assert found.counts[-1]
    exact = values.astype(np.float64)
    for number, count in enumerate(found.counts):
        if count:
            low, high = found.edges[number], found.edges[number + 1]
            assert np.count_nonzero((exact >= low) & (exact < high)) == count


@given(VALUES)
def test_bins_are_as_narrow_as_they_can_be(values: np.ndarray) -> None:
    found = sketch(values)
    low, high = float(values.min()), float(values.max())
    if high > low and found.exponent > -149 and max(abs(low), abs(high)) < (high - low) * 2**18:
        finer = 2.0 ** (found.exponent - 1)
        assert np.floor(high / finer) - np.floor(low / finer) >= BINS


def test_many_values_are_counted_block_by_block() -> None:
    values = np.random.default_rng(0).normal(size=100_000).astype(np.float32)
    found = sketch(values)
    expected, _ = np.histogram(values.astype(np.float64), found.edges)
    assert np.array_equal(found.counts, expected)


@pytest.mark.parametrize("value", [0.0, -0.0, 1e-45, -1e-45, 3.4e38, -3.4e38])
def test_one_value_is_one_bin(value: float) -> None:
    found = sketch(np.full(5, value, np.float32))
    assert found.counts.tolist() == [5]
    assert found.edges[0] <= np.float32(value) < found.edges[1]


def test_a_tiny_negative_value_stays_below_zero_beside_a_large_one() -> None:
    found = sketch(np.array([-1e-45, 1000], np.float32))
    assert found.first == -1

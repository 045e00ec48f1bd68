"""Ranges chosen from statistics: the purpose of each method."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from litecheck.conversion.calibration.ranges import METHODS, choose_range, range_method
from litecheck.conversion.calibration.statistics import TensorStatistics, statistics_of
from litecheck.errors import ConfigError

REALS = st.floats(-(2.0**100), 2.0**100, width=32)


def noise(values: np.ndarray, low: float, high: float) -> float:
    """Return the mean squared error of 8 bits between two limits."""
    low, high = min(low, 0.0), max(high, 0.0)
    scale = (high - low) / 255
    zero = np.rint(-low / scale)
    codes = np.clip(np.rint(values / scale) + zero, 0, 255)
    return float(np.square(values - (codes - zero) * scale).mean())


@given(arrays(np.float32, st.integers(1, 60), elements=REALS))
def test_minmax_is_exact(values: np.ndarray) -> None:
    assert choose_range(statistics_of(values), "minmax") == (values.min(), values.max())


@given(arrays(np.float32, st.integers(1, 60), elements=REALS), st.sampled_from(METHODS))
def test_no_method_goes_beyond_the_values(values: np.ndarray, method: str) -> None:
    low, high = choose_range(statistics_of(values, 0, True), method)
    assert min(values.min(), 0) <= low <= high <= max(values.max(), 0)


@given(st.permutations(range(6)), st.sampled_from(METHODS))
def test_order_does_not_matter(order: list[int], method: str) -> None:
    rng = np.random.default_rng(0)
    samples = [rng.normal(size=50).astype(np.float32) * 2**n for n in range(6)]
    merged = TensorStatistics()
    for number in order:
        merged = merged.merge(statistics_of(samples[number], number, True))
    whole = statistics_of(np.concatenate(samples), 0, True)
    assert choose_range(merged, method) == choose_range(whole, method)


def test_percentiles_cut_off_half_of_the_rest_on_each_side() -> None:
    values = np.arange(-5000, 5000, dtype=np.float32)
    low, high = choose_range(statistics_of(values, 0, True), "percentile:99")
    assert (low, high) == pytest.approx((-4950, 4950), abs=16)
    assert choose_range(statistics_of(values, 0, True), "percentile:100") == (-5000, 4999)


def test_zero_stays_inside() -> None:
    low, high = choose_range(statistics_of(np.float32([5, 6, 7, 8]), 0, True), "percentile:90")
    assert low == 0
    assert 7 < high <= 8


def test_least_squares_gives_up_an_outlier_where_that_pays() -> None:
    rng = np.random.default_rng(1)
    values = np.append(rng.normal(size=100_000), [60.0]).astype(np.float32)
    chosen = choose_range(statistics_of(values, 0, True), "mse")
    assert chosen[1] < 60
    assert noise(values, *chosen) < 0.9 * noise(values, float(values.min()), 60)


@pytest.mark.parametrize("shape", ["normal", "laplace", "relu"])
def test_least_squares_is_no_worse_than_minmax(shape: str) -> None:
    rng = np.random.default_rng(2)
    drawn = rng.laplace(size=50_000) if shape == "laplace" else rng.normal(size=50_000)
    values = np.maximum(drawn, 0 if shape == "relu" else -9e9).astype(np.float32)
    chosen = choose_range(statistics_of(values, 0, True), "mse")
    assert noise(values, *chosen) < noise(values, float(values.min()), float(values.max()))


def test_entropy_removes_a_lone_outlier_and_keeps_uniform_values() -> None:
    rng = np.random.default_rng(3)
    even = rng.uniform(-1, 1, 100_000).astype(np.float32)
    assert choose_range(statistics_of(even, 0, True), "entropy") == pytest.approx((-1, 1), abs=0.02)
    lone = np.append(rng.normal(size=100_000), [80.0]).astype(np.float32)
    assert choose_range(statistics_of(lone, 0, True), "entropy")[1] < 75


def test_entropy_does_not_mind_zeros() -> None:
    values = np.maximum(np.random.default_rng(4).normal(size=100_000), 0).astype(np.float32)
    assert choose_range(statistics_of(values, 0, True), "entropy")[1] > 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pecentile:99", "did you mean 'percentile'"),
        ("best", "there are minmax, percentile, mse, entropy"),
        ("percentile:ninety", "a number above 50"),
        ("percentile:0.5", "a number above 50"),
        ("percentile:101", "a number above 50"),
        ("mse:3", "got 'mse:3', expected mse without a number"),
    ],
)
def test_an_unknown_method_is_an_error(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        range_method(text)


def test_methods_have_their_text_form() -> None:
    assert [str(range_method(m)) for m in ("minmax", "percentile", "percentile:99.9")] == [
        "minmax",
        "percentile:99.99",
        "percentile:99.9",
    ]
    assert [range_method(m).needs_sketch for m in METHODS] == [False, True, True, True]


def test_missing_histograms_and_values_are_errors() -> None:
    with pytest.raises(ConfigError, match="mse needs histograms"):
        choose_range(statistics_of(np.float32([1, 2])), "mse")
    with pytest.raises(ConfigError, match="no finite value"):
        choose_range(TensorStatistics(), "minmax")

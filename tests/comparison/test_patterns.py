"""Planted patterns are reported, random scatter is not."""

from __future__ import annotations

from math import comb, exp
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litecheck.comparison.difference import difference
from litecheck.comparison.scatter import chance, log_probability_bound
from litecheck.comparison.types import MismatchExample, PerAxisCounts
from litecheck.comparison.wording import gathering_sentence
from litecheck.model.build import qparams
from litecheck.model.types import Tensor

SHAPE = (2, 14, 15, 43)


def reported_patterns(
    shape: tuple[int, ...],
    where: Any,
    by: Any = None,
    share: float = 1.0,
    expected: np.ndarray | None = None,
    zero: int = 3,
    runs: int = 1,
    seed: int = 0,
) -> tuple[str, ...]:
    """Return the patterns reported if a share of the selected elements differs, by +1 or -1.

    ``where`` is a mask or a function that returns a mask.
    """
    rng = np.random.default_rng(seed)
    out = Tensor(0, "out", "int8", shape, quantization=qparams(0.5, zero))
    reference, device = [], []
    for n in range(runs):
        values = expected if expected is not None else rng.integers(-100, 100, shape).astype(np.int8)
        mask = where(values, n) if callable(where) else where
        mask = np.broadcast_to(mask, shape) & (rng.random(shape) < share)
        off = rng.choice([-1, 1], shape) if by is None else by
        reference.append(values)
        device.append(np.where(mask, np.clip(values + off, -128, 127), values).astype(np.int8))
    return tuple(
        map(
            gathering_sentence,
            difference(out, reference, device, runs=("propagated", "random", "directed")[:runs]).patterns,
        )
    )


def index(axis: int) -> np.ndarray:
    return np.indices(SHAPE)[axis]


@pytest.mark.parametrize(
    ("where", "share", "words"),
    [
        (index(3) >= 40, 0.01, "channels 40 to 42, the last 3 of 43 (the tail behind whole vectors of 8)"),
        (index(3) < 40, 0.1, "outside the last 3 of 43 channels, the tail behind whole vectors of 8"),
        (index(3) == 7, 0.05, "lie in channel 7 of 43, among 420 of the 18,060 elements"),
        (index(3) % 2 == 1, 0.01, "every 2nd channel, from 1 on"),
        (index(3) % 8 == 3, 0.02, "every 8th channel, from 3 on"),
        (np.isin(index(3), (4, 9, 30)), 0.05, "3 of 43 channels: 4, 9, 30"),
        (index(1) == 13, 0.02, "row 13, the last of 14"),
        (index(2) == 0, 0.02, "column 0, the first of 15"),
        (index(2) >= 13, 0.02, "columns 13 to 14, the last 2 of 15"),
        (index(0) == 1, 0.01, "batch 1, the last of 2"),
        (
            (index(1) == 13) | (index(2) == 14),
            0.05,
            "outermost row and column at the bottom and on the right",
        ),
        ((index(1) % 13 == 0) | (index(2) % 14 == 0), 0.05, "outermost row and column on all sides"),
        (
            (np.minimum(index(1), 13 - index(1)) < 2) | (np.minimum(index(2), 14 - index(2)) < 2),
            0.05,
            "outer 2 rows and columns on all sides (the border that padding touches)",
        ),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_places(where: np.ndarray, share: float, words: str) -> None:
    found = reported_patterns(SHAPE, where, share=share)
    assert len(found) == 1
    assert words in found[0]
    assert found[0].startswith("all ")


def test_the_tail_of_the_flat_tensor() -> None:
    shape = (3, 7, 5)
    behind = (np.arange(105) >= 104).reshape(shape)
    assert reported_patterns(shape, behind, runs=1) == ()  # a single element proves no pattern
    flat = np.arange(3 * 7 * 13).reshape(3, 7, 13)
    found = reported_patterns(flat.shape, flat >= 272, by=1, runs=3)
    assert found == (
        "all 3 differences lie in the last 1 element of the flat tensor, the tail behind whole vectors of 16, among "
        "3 of the 819 elements",
    )


def test_the_body_of_the_flat_tensor() -> None:
    flat = np.arange(1287).reshape(9, 11, 13)
    (found,) = reported_patterns(flat.shape, flat < 1280, runs=3)
    assert "outside the last 7 elements of the flat tensor, the tail behind whole vectors of 32" in found


def test_one_run_only() -> None:
    (found,) = reported_patterns(SHAPE, lambda values, n: np.full(SHAPE, n == 2), share=0.002, runs=3)
    assert "lie in run 'directed' of 3, among 18,060 of the 54,180 elements" in found


def test_rails_of_the_reference() -> None:
    rng = np.random.default_rng(1)
    values = np.clip(rng.normal(0, 70, SHAPE), -128, 127).astype(np.int8)
    found = reported_patterns(SHAPE, values == 127, by=-1, share=0.2, expected=values)
    assert any("where the reference gives 127, the largest value of the type" in s for s in found)
    assert not any(
        "zero point" in s or "exactly" in s for s in found
    )  # at a limit, only one direction is possible


def test_a_property_of_all_differences_precedes_a_place_of_most() -> None:
    values = np.full(SHAPE, 50, np.int8)
    values[..., :12] = 127
    values[0, :2, :4, 12:] = 127
    found = reported_patterns(SHAPE, values == 127, by=-1, share=0.9, expected=values)
    every = [sentence.startswith(f"all {found[0].split()[1]} differences") for sentence in found]
    assert " lie where the reference gives 127, the largest value of the type, " in found[0]
    assert (every[:2], any(every[2:])) == ([True, True], False)
    assert " lie in channels 0 to 11, the first 12 of 43, " in found[2]
    assert " others " in found[3]


def test_a_clamp_that_the_reference_does_not_have() -> None:
    values = np.random.default_rng(1).integers(-128, 128, SHAPE).astype(np.int8)
    found = reported_patterns(SHAPE, values > 100, by=100 - values.astype(int), expected=values)
    assert any("have the device's value 100" in s for s in found)


def test_one_side_of_the_zero_point() -> None:
    found = reported_patterns(SHAPE, lambda values, n: values < 2, share=0.01)
    assert [s for s in found if "below the zero point 3" in s] == list(found)
    assert reported_patterns(SHAPE, lambda values, n: values < 2, share=0.01, zero=-90) == ()


def test_signs() -> None:
    everywhere = np.ones(SHAPE, bool)
    (found,) = reported_patterns(SHAPE, everywhere, by=-1, share=0.003)
    assert "differ by exactly -1" in found
    rng = np.random.default_rng(3)
    (found,) = reported_patterns(SHAPE, everywhere, by=rng.integers(1, 4, SHAPE), share=0.003)
    assert "the device's value is larger" in found
    found = reported_patterns(SHAPE, lambda v, n: abs(v - 3.0) > 1, by=None, share=0.0)
    values = rng.integers(-100, 100, SHAPE).astype(np.int8)
    (found,) = reported_patterns(
        SHAPE, abs(values - 3.0) > 1, by=-np.sign(values - 3.0), share=0.003, expected=values
    )
    assert "nearer to the zero point 3" in found


def test_differences_of_all_elements_have_no_pattern() -> None:
    assert reported_patterns(SHAPE, np.ones(SHAPE, bool)) == ()


def test_clamped_elements_form_no_pattern() -> None:
    """A rounding cannot change channels with all values at a limit, so that differences in the further
    channels are no pattern."""
    values = np.random.default_rng(0).integers(-127, 127, SHAPE).astype(np.int8)
    values[..., 5:] = -128
    assert reported_patterns(SHAPE, index(3) < 5, share=0.05, expected=values) == ()
    assert reported_patterns(SHAPE, index(3) < 5, share=0.05) != ()


@pytest.mark.parametrize("shape", [SHAPE, (1, 43), (333,), (3, 50, 20), (1, 5, 5, 3)])
@pytest.mark.parametrize("share", [0.5, 0.03, 0.002])
def test_a_random_scatter_has_no_pattern(shape: tuple[int, ...], share: float) -> None:
    for seed in range(40):
        assert reported_patterns(shape, np.ones(shape, bool), share=share, seed=seed, runs=2) == (), seed


def test_floats_within_the_tolerance_have_no_pattern() -> None:
    out = Tensor(0, "out", "float32", (40, 16))
    expected = np.ones((40, 16), np.float32)
    actual = expected.copy()
    actual[:, 4] += 1e-5
    assert difference(out, [expected], [actual], tolerance=1e-3).patterns == ()
    (found, sign) = map(gathering_sentence, difference(out, [expected], [actual], tolerance=1e-6).patterns)
    assert "channel 4 of 16" in found
    assert "larger" in sign


@given(st.integers(1, 40), st.data())
def test_chance_is_that_of_a_draw(size: int, data: st.DataObject) -> None:
    there = data.draw(st.integers(0, size))
    count = data.draw(st.integers(0, size))
    assert chance(size, there, count) == pytest.approx(comb(there, count) / comb(size, count))


@given(st.integers(2, 10**6), st.data())
def test_more_differences_prove_more(size: int, data: st.DataObject) -> None:
    there = data.draw(st.integers(1, size - 1))
    counts = [chance(size, there, n) for n in range(1, min(there, 20) + 1)]
    assert counts == sorted(counts, reverse=True)
    assert chance(size, size, 1) == 1.0


@given(st.integers(0, 2**32), st.integers(2, 12))
def test_few_scattered_differences_have_no_pattern(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    mask = np.zeros(int(np.prod(SHAPE)), bool)
    mask[rng.choice(mask.size, count, replace=False)] = True
    # A pattern is reported with a probability of chance of 1 in 10,000, so at most one remains.
    assert len(reported_patterns(SHAPE, mask.reshape(SHAPE), seed=seed)) <= 1


def scattered(share: float, seed: int) -> np.ndarray:
    """Return a random mask with this share of elements, as of a second cause."""
    return np.random.default_rng([seed, 9]).random(SHAPE) < share


@pytest.mark.parametrize(
    ("where", "words"),
    [
        (index(3) == 7, "lie in channel 7 of 43, among 420 of the 18,060 elements"),
        (index(2) >= 13, "lie in columns 13 to 14, the last 2 of 15"),
        (index(3) % 8 == 3, "lie in every 8th channel, from 3 on"),
        (np.isin(index(3), (4, 9, 30)), "lie in 3 of 43 channels: 4, 9, 30"),
        (index(3) >= 40, "lie in the last 3 of 43 channels, the tail behind whole vectors of 8"),
        ((index(1) == 13) | (index(2) == 14), "outermost row and column at the bottom and on the right"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
@pytest.mark.parametrize("seed", range(3))
def test_random_differences_do_not_hide_a_pattern(where: np.ndarray, words: str, seed: int) -> None:
    found = reported_patterns(SHAPE, (where & scattered(0.5, seed + 50)) | scattered(0.002, seed), seed=seed)
    assert words in found[0]
    assert found[0].partition(" ")[0].replace(",", "").isdecimal()
    assert " %) lie in " in found[0]
    assert len(found) == 1  # the remaining elements are random and not reported


def test_differences_outside_a_pattern_have_their_own_pattern() -> None:
    where = (index(3) == 7) | ((index(1) == 0) & scattered(0.06, 1))
    first, second = reported_patterns(SHAPE, where)
    assert "lie in channel 7 of 43" in first
    assert second.startswith("all ")
    assert (
        "others lie in row 0, the first of 14, among 1,260 of the 17,640 elements that lie elsewhere"
        in second
    )


def test_a_completely_different_place_is_found_among_scattered_differences() -> None:
    first, *others = reported_patterns(SHAPE, (index(3) == 7) | scattered(0.05, 2))
    assert " %) lie in channel 7 of 43, among 420 of the 18,060 elements" in first
    assert others == []


def test_a_partly_different_place_among_more_differences_is_no_pattern() -> None:
    assert reported_patterns(SHAPE, ((index(3) == 7) & scattered(0.4, 1)) | scattered(0.03, 2)) == ()


def test_only_a_dimension_with_a_pattern_is_counted_out() -> None:
    out = Tensor(0, "out", "int8", SHAPE, quantization=qparams(0.5, 3))
    values = np.random.default_rng(0).integers(-100, 100, SHAPE).astype(np.int8)

    def along(where: np.ndarray) -> PerAxisCounts | None:
        return difference(out, [values], [np.where(where, values + 1, values).astype(np.int8)]).along

    column = along((index(2) == 4) & scattered(0.4, 3))
    assert column is not None
    assert (column.dimension, column.name, len(column.counts)) == (2, "column", 15)
    assert [n for n, count in enumerate(column.counts) if count] == [4]
    channel = along((index(3) == 4) & scattered(0.4, 3))
    assert channel is not None
    assert channel.name == "channel"
    assert along(scattered(0.1, 4)) is None
    border = (index(1) == 13) | (index(2) == 14)
    assert along(border & scattered(0.4, 5)) is None


@given(st.integers(1, 60), st.data())
def test_the_bound_is_above_the_probability_of_a_draw(size: int, data: st.DataObject) -> None:
    there, count = (data.draw(st.integers(1, size)) for _ in range(2))
    held = data.draw(st.integers(0, min(there, count)))
    ways = sum(comb(there, n) * comb(size - there, count - n) for n in range(held, min(there, count) + 1))
    assert exp(log_probability_bound(size, there, count, held)) >= ways / comb(size, count) * (1 - 1e-9)


def test_the_worst_element_inside_the_limits() -> None:
    out = Tensor(0, "out", "int8", (1, 4), quantization=qparams(0.5, 3))
    expected = np.array([[127, -128, 40, 5]], np.int8)
    made = difference(out, [expected], [np.array([[-128, 100, 49, 8]], np.int8)])
    assert made.worst == MismatchExample(0, (0, 0), 127.0, -128.0)
    assert made.free == MismatchExample(0, (0, 2), 40.0, 49.0)
    # No element is reported if the element inside the limits is the worst, or if no such element differs.
    assert difference(out, [expected], [np.array([[127, -128, 49, 5]], np.int8)]).free is None
    assert difference(out, [expected], [np.array([[-128, -128, 40, 5]], np.int8)]).free is None
    # If all differing elements are at a limit in the reference, an element not at a limit in the device is reported.
    made = difference(out, [expected], [np.array([[-128, 100, 40, 5]], np.int8)])
    assert made.free == MismatchExample(0, (0, 1), -128.0, 100.0)


def test_the_worst_and_the_explained_element_are_of_one_run() -> None:
    """Run 1 has the largest difference of all. Inside the limits, run 0 has a larger difference than run 1."""
    out = Tensor(0, "out", "int8", (3,), quantization=qparams(0.5, 3))
    expected = [np.array([10, 0, 5], np.int8), np.array([127, 40, 5], np.int8)]
    actual = [np.array([90, 0, 5], np.int8), np.array([-128, 42, 5], np.int8)]
    made = difference(out, expected, actual)
    assert made.worst == MismatchExample(1, (0,), 127.0, -128.0)
    assert made.free == MismatchExample(1, (1,), 40.0, 42.0)
    # Without such an element in run 1, the element of run 0 would explain another output.
    actual[1][1] = 40
    made = difference(out, expected, actual)
    assert (made.worst, made.free) == (MismatchExample(1, (0,), 127.0, -128.0), None)


def test_the_worst_of_equal_differences_is_in_a_run_with_an_element_inside_the_limits() -> None:
    out = Tensor(0, "out", "int8", (2,), quantization=qparams(0.5, 3))
    expected = [np.array([127, 5], np.int8), np.array([127, 40], np.int8)]
    actual = [np.array([-128, 5], np.int8), np.array([-128, 42], np.int8)]
    made = difference(out, expected, actual)
    assert (made.worst, made.free) == (
        MismatchExample(1, (0,), 127.0, -128.0),
        MismatchExample(1, (1,), 40.0, 42.0),
    )


def test_one_channel_precedes_several_channels_with_all_differences() -> None:
    """Random elements in three further channels make four channels with all differences; nearly all are in a
    single channel."""
    strays = np.isin(index(3), (1, 20, 33)) & scattered(0.005, 6)
    found = reported_patterns(SHAPE, (index(3) == 7) | strays)
    assert " %) lie in channel 7 of 43, among 420 of the 18,060 elements" in found[0]

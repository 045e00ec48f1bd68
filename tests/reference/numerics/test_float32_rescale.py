"""Rescaling in float32: it equals the rescaling in integers for all elements that it accepts."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from litecheck.model.build import qparams
from litecheck.reference.numerics.fixedpoint import Ints
from litecheck.reference.numerics.float32_rescale import (
    PERIOD,
    TILE,
    Float32Rescale,
    float32_rescale,
    repeats,
)
from litecheck.reference.numerics.requantize import Requantizer, requantizer
from litecheck.reference.numerics.rescale import Scales
from litecheck.reference.runtime_tensors import OutputSpec

F = np.float32
VARIANTS = ("double", "double-half-up", "double-by-eight")


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable the compiled loops, which would be used first."""
    monkeypatch.setattr("litecheck.reference.numerics.numba_loops.WORTH", sys.maxsize)


def requantize(variant: str, weight: np.ndarray, most: int, zero: int = 3) -> Requantizer:
    scales = Scales(F(0.037), weight.astype(F), F(0.11))
    return requantizer(variant, scales, OutputSpec("int8", (1,), qparams(0.11, zero)), None, most=most)


def both(made: Requantizer, sums: np.ndarray, offset: Ints) -> tuple[np.ndarray, np.ndarray]:
    """Return the stored values from float32 sums, and from the same sums as integers, which do not use the fast path."""
    quick, slow = np.empty(sums.shape, np.int8), np.empty(sums.shape, np.int8)
    made(sums.astype(F), offset, quick)
    made(sums, offset, slow)
    return quick, slow


def taken(made: Requantizer, offset: Ints) -> Float32Rescale:
    quick = made.constants[id(offset)].fast_path
    assert quick is not None
    return quick


def near_ties(made: Requantizer, offset: Ints, rows: int) -> np.ndarray:
    """Return integer sums around every tie of the int8 outputs, and slightly beyond both ends."""
    real = made.rescale.real
    assert real is not None
    rng = np.random.default_rng(5)
    ties = rng.integers(-140, 140, (rows, len(real))) + 0.5 - made.zero_point
    return np.rint(ties / real - offset).astype(np.int64) + rng.integers(-2, 3, ties.shape)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("channels", [1, 13, 96, PERIOD + 5])
def test_outputs_around_every_tie_equal_the_integers(variant: str, channels: int) -> None:
    weight = np.exp(np.random.default_rng(channels).uniform(-8, -3, channels))
    made = requantize(variant, weight, 1 << 21)
    offset = np.random.default_rng(0).integers(-(2**16), 2**16, channels)
    sums = near_ties(made, offset, 3 * TILE // channels + 1)
    quick, slow = both(made, sums, offset)
    np.testing.assert_array_equal(quick, slow)
    assert len(np.unique(slow)) == 256
    taken(made, offset)


@pytest.mark.parametrize("variant", VARIANTS)
def test_power_of_two_scales_make_exact_ties(variant: str) -> None:
    made = requantizer(
        variant,
        Scales(F(1), np.full(24, 2.0**-9, F), F(1)),
        OutputSpec("int8", (1,), qparams(1.0, -4)),
        None,
        most=1 << 17,
    )
    sums = np.arange(-(2**17), 2**17, dtype=np.int64).repeat(24).reshape(-1, 24)
    offset = np.zeros(24, np.int64)
    quick, slow = both(made, sums, offset)
    np.testing.assert_array_equal(quick, slow)
    taken(made, offset)


def test_without_the_check_for_ties_outputs_are_wrong() -> None:
    made = requantize("double", np.full(8, 0.02), 1 << 20)
    offset = np.zeros(8, np.int64)
    sums = near_ties(made, offset, 4096)
    assert both(made, sums, offset)[0].size
    sure = replace(taken(made, offset), error_bound=np.full(PERIOD, 2, F))
    made.constants[id(offset)] = replace(made.constants[id(offset)], fast_path=sure)
    quick, slow = both(made, sums, offset)
    assert (quick != slow).any()


def test_large_offsets_are_computed_again() -> None:
    """float32 has no fractions beside an offset of 2^30 * M, so that the channel with this offset is recomputed."""
    made = requantize("double", np.full(64, 0.02), 1 << 20)
    offset = np.zeros(64, np.int64)
    offset[7] = 2**30
    sums = near_ties(made, np.zeros(64, np.int64), 999)
    sums[:, 7] = -(2**24) + 1
    np.testing.assert_array_equal(*both(made, sums, offset))
    assert taken(made, offset).error_bound[7] < 0.49


def test_no_fast_path_if_most_elements_need_the_integers() -> None:
    few, bounds = np.zeros(4, np.int64), (-128, 127)
    coarse, fine = np.full(4, 0.3), np.full(4, 2.0**-9)
    assert float32_rescale(coarse, np.full(4, 0.25), few, 0, bounds, 1 << 12) is None
    assert float32_rescale(fine, np.full(4, 2.0**-9), few, 0, bounds, 1 << 12) is not None
    assert float32_rescale(fine, np.full(4, 2.0**-9), few, 0, bounds, 1 << 30) is None
    assert float32_rescale(fine[:0], fine[:0], few[:0], 0, bounds, 1) is None


def test_left_shifts_and_wrapping_are_computed_in_integers() -> None:
    for made in (
        requantize("double", np.full(2, 9.0), 1 << 20),
        replace(requantize("double", np.full(2, 0.01), 1 << 20), wrap=True),
    ):
        offset = np.zeros(2, np.int64)
        both(made, np.zeros((4, 2), np.int64), offset)
        assert made.constants[id(offset)].fast_path is None


@pytest.mark.parametrize(
    ("pixels", "channels", "most", "taken"),
    [(125, 64, 2048, 25), (64, 32, 2048, 64), (127, 8, 2048, 127), (10_007, 8, 2048, 1), (7, 3000, 2048, 1)],
)
def test_rows_are_whole_pixels_that_divide_the_whole(
    pixels: int, channels: int, most: int, taken: int
) -> None:
    assert repeats(pixels * channels, channels, most) == taken * channels

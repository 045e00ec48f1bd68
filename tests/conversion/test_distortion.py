"""Distortions between float values and stored values, counted by hand, and equal for any division into batches."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from litecheck.conversion.distortion import (
    Distortion,
    PairTally,
    TopAgreement,
    distortion,
    real_values,
    top_agreement,
)
from litecheck.model.build import qparams
from litecheck.model.types import Tensor
from litecheck.quantizer.litert import products
from litecheck.quantizer.types import Parameters

HALVES = Tensor(0, "x", "int8", (4,), quantization=qparams(0.5, 0))
REAL = Tensor(0, "x", "float32", (4,))


def test_sums_rails_and_the_largest_error() -> None:
    x = np.float32([1, 2.25, 0, 100])
    found = distortion(x, np.int8([2, 5, 0, 127]), HALVES)
    assert found.signal == 1 + 2.25**2 + 100**2
    assert found.noise == 0.25**2 + 36.5**2
    assert (found.largest, found.elements, found.on_rail, found.clipped) == (36.5, 4, 1, 1)
    assert found.snr == pytest.approx(10 * math.log10(found.signal / found.noise))


def test_a_value_on_a_rail_need_not_be_clipped() -> None:
    found = distortion(np.float32([-64, 63.6, -64.3, 63.8]), np.int8([-128, 127, -128, 127]), HALVES)
    assert (found.on_rail, found.clipped) == (4, 2)


def test_channels_have_scales_of_their_own() -> None:
    tensor = Tensor(0, "w", "int8", (2, 2), quantization=qparams([1, 0.5], 0, 0))
    assert distortion(np.float32([[1, 2], [1, 2]]), np.int8([[1, 2], [2, 4]]), tensor).snr == math.inf


@pytest.mark.parametrize(("dtype", "zero"), [("int8", -7), ("uint8", 131), ("int16", 0), ("int16", 5)])
def test_stored_values_are_those_of_the_quantizer(dtype: str, zero: int) -> None:
    codes = np.arange(np.iinfo(dtype).min, np.iinfo(dtype).max + 1).astype(dtype)
    tensor = Tensor(0, "x", dtype, codes.shape, quantization=qparams(0.0137, zero))
    expected = products(codes, Parameters.of(tensor.quantization), dtype)
    assert np.array_equal(real_values(codes, tensor), expected)
    assert distortion(expected, codes, tensor).noise == 0


def test_float_values_are_compared_directly() -> None:
    found = distortion(np.float32([1, 2]), np.float32([1, 2.5]), REAL)
    assert (found.noise, found.on_rail) == (0.25, 0)


def test_values_that_are_not_finite_are_excluded() -> None:
    found = distortion(np.float32([-np.inf, 1, np.nan, 2]), np.int8([-128, 2, 0, 4]), HALVES)
    assert (found.left_out, found.elements, found.noise, found.on_rail) == (2, 2, 0, 0)
    assert distortion(np.float32([np.nan]), np.int8([0]), HALVES) == Distortion(left_out=1)


@pytest.mark.parametrize("size", [1e-25, 1e25])
def test_values_of_any_size_are_squared(size: float) -> None:
    x = np.array([size, 2 * size], np.float32)
    found = distortion(x, np.float32([size, 3 * size]), REAL)
    assert found.snr == pytest.approx(10 * math.log10(5), abs=1e-4)


def test_many_values_are_compared_block_by_block() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(0, 30, 50_000).astype(np.float32)
    stored = np.clip(np.rint(x * 2), -128, 127).astype(np.int8)
    found = distortion(x, stored, HALVES)
    off = x.astype(np.float64) - stored / 2
    assert found.noise == pytest.approx(np.square(off).sum(), rel=1e-6)
    assert found.signal == pytest.approx(np.square(x.astype(np.float64)).sum(), rel=1e-6)
    assert found.largest == np.abs(off).max()
    assert found.on_rail == np.isin(stored, [-128, 127]).sum()
    assert found.clipped == (np.abs(off) > 0.25).sum()


def test_a_mean_is_no_signal() -> None:
    """103, 101, 99 and 97 off by 1, -1, 1, -1: the mean of 100 is all but 20 of a signal of 40,020."""
    x = np.float32([103, 101, 99, 97])
    found = distortion(x, x + np.float32([1, -1, 1, -1]), REAL)
    assert (found.signal, found.noise, found.mean, found.variation) == (40_020, 4, 100, 20)
    assert found.snr == pytest.approx(10 * math.log10(10_005))
    assert found.snr_without_dc == pytest.approx(10 * math.log10(5))
    assert found.mostly_dc
    offset = distortion(x - 100, x - 99, REAL)
    assert offset.snr == offset.snr_without_dc == pytest.approx(10 * math.log10(5))
    assert not offset.mostly_dc


@pytest.mark.parametrize("value", [0.1, 3e-20, 1e25, -np.pi])
def test_a_constant_has_only_its_mean_as_signal(value: float) -> None:
    x = np.full(70_000, value, np.float32)
    found = distortion(x, x * np.float32(1.01), REAL)
    assert (found.mean, found.variation) == (float(x[0]), 0)
    assert found.snr == pytest.approx(40, abs=0.01)
    assert found.snr_without_dc == -math.inf
    assert distortion(x, x, REAL).snr_without_dc == math.inf


@pytest.mark.parametrize("mean", [0, 5, -1e4, 1e6])
def test_a_variation_is_found_beside_any_mean(mean: float) -> None:
    """The variation of batches with different means equals that of the whole."""
    rng = np.random.default_rng(2)
    x = (rng.normal(mean, 3, (7, 30_000)) + np.arange(7)[:, None]).astype(np.float32)
    stored = x + np.float32(0.5)
    whole = distortion(x, stored, REAL)
    parts = Distortion()
    for row, other in zip(x, stored, strict=True):
        parts = parts.merge(distortion(row, other, REAL))
    exact = x.astype(np.float64)
    for found in (whole, parts):
        assert found.mean == pytest.approx(exact.mean(), rel=1e-6)
        assert found.variation == pytest.approx(exact.size * exact.var(), rel=1e-4)


def test_noise_without_a_signal() -> None:
    assert distortion(np.zeros(2, np.float32), np.int8([0, 1]), HALVES).snr == -math.inf


def test_the_largest_value_is_looked_for_in_rows() -> None:
    x = np.float32([[0, 3, 1], [5, 1, 1], [0, 2, 1]])
    found = top_agreement(x, np.int8([[0, 9, 9], [1, 2, 1], [0, 7, 0]]))
    assert found == TopAgreement(2, 3, ((0, 0, 1), (1, 2, 2)))
    assert top_agreement(np.ones((3, 1)), np.ones((3, 1))) is None
    assert top_agreement(np.float32(1), np.int8(1)) is None


def test_batches_add_up_and_survive_json() -> None:
    rng = np.random.default_rng(0)
    whole, parts = (PairTally([HALVES], frozenset([0])) for _ in range(2))
    for _ in range(3):
        batch = PairTally([HALVES], frozenset([0]))
        for _ in range(2):
            x = rng.normal(0, 30, (5, 4)).astype(np.float32)
            stored = np.clip(np.rint(x * 2), -128, 127).astype(np.int8)
            whole.add(0, x, stored)
            batch.add(0, x, stored)
        parts.take(json.loads(json.dumps(batch.to_plain())))
    assert parts.top == whole.top
    assert parts.found[0].elements == whole.found[0].elements == 120
    assert parts.found[0].largest == whole.found[0].largest
    for name in ("noise", "mean", "variation"):
        assert getattr(parts.found[0], name) == pytest.approx(getattr(whole.found[0], name), rel=1e-12)


def test_an_infinite_error_has_no_signal() -> None:
    """Real values of a stored tensor can overflow float32; the ratio of power to power can leave float64's range."""
    assert Distortion(signal=1.0, noise=math.inf).snr == -math.inf
    assert Distortion(signal=5e-300, noise=1e60).snr == pytest.approx(10 * (math.log10(5) - 360))
    assert Distortion(signal=0.0, noise=1.0).snr == -math.inf
    assert Distortion(signal=1.0, noise=0.0).snr == math.inf


def test_integers_without_a_scale_are_counted() -> None:
    found = distortion(
        np.array([1, 2, 3], np.int32), np.array([1, 5, 3], np.int32), Tensor(0, "y", "int32", (3,))
    )
    assert (found.equal, found.elements, found.largest) == (2, 3, 3.0)

"""The proven rescaling in float32, compared with integers for every sum of a channel."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from litecheck.model.build import qparams
from litecheck.reference.numerics import numba_loops, proven_rescale
from litecheck.reference.numerics.fixedpoint import Ints
from litecheck.reference.numerics.proven_rescale import PIXELS, ProvenRescale
from litecheck.reference.numerics.requantize import Requantizer, requantizer
from litecheck.reference.numerics.rescale import Scales
from litecheck.reference.runtime_tensors import OutputSpec

F = np.float32
VARIANTS = ("double", "double-half-up", "double-by-eight", "single", "float64", "float32", "rndnu")
CHANNELS, MOST = 40, 30_000


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable the compiled loops, which have a test in this file."""
    monkeypatch.setattr(numba_loops, "WORTH", sys.maxsize)


def made(variant: str, zero: int = -128, dtype: str = "int8", least: float = -4.0) -> Requantizer:
    weight = np.exp(np.random.default_rng(3).uniform(least, 0, CHANNELS)).astype(F)
    scales = Scales(F(0.037), weight, F(0.11))
    return requantizer(variant, scales, OutputSpec(dtype, (1,), qparams(0.11, zero)), None, most=MOST)


def offsets() -> Ints:
    return np.random.default_rng(7).integers(-20_000, 20_000, CHANNELS)


def every_sum() -> np.ndarray:
    return np.repeat(np.arange(-MOST, MOST + 1, dtype=F)[:, None], CHANNELS, axis=1)


def stored(rescale: Requantizer, sums: np.ndarray, offset: Ints) -> np.ndarray:
    out = np.empty(sums.shape, rescale.dtype)
    rescale(sums, offset, out)
    return out


def proof(rescale: Requantizer, offset: Ints) -> ProvenRescale | None:
    """Return the proof that has replaced the fast path with checks, or None."""
    path = rescale.constants[id(offset)].fast_path
    return path if isinstance(path, ProvenRescale) else None


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_sum_equals_the_integers(variant: str, dtype: str) -> None:
    rescale, offset, sums = made(variant, {"int8": -128, "uint8": 0}[dtype], dtype), offsets(), every_sum()
    integers = stored(rescale, sums.astype(np.int64), offset)
    assert len(np.unique(integers)) == 256
    stored(rescale, sums, offset)
    found = proof(rescale, offset)
    assert found is not None
    assert len(found.unproven) <= 0.1 * CHANNELS
    np.testing.assert_array_equal(stored(rescale, sums, offset), integers)


@pytest.mark.parametrize("zero", [-128, -3, 90])
def test_channels_without_a_proof_are_computed_in_integers(
    monkeypatch: pytest.MonkeyPatch, zero: int
) -> None:
    """Half away from zero moves the steps of negative and of positive outputs to different sides."""
    monkeypatch.setattr(proven_rescale, "UNPROVEN", 1.0)
    rescale, offset, sums = made("double", zero, least=-6), offsets(), every_sum()
    stored(rescale, sums, offset)
    found = proof(rescale, offset)
    assert found is not None
    assert (len(found.unproven) > CHANNELS // 4) == (zero != -128)
    np.testing.assert_array_equal(
        stored(rescale, sums, offset), stored(rescale, sums.astype(np.int64), offset)
    )


def test_most_channels_need_a_proof() -> None:
    rescale, offset = made("double", -3, least=-6), offsets()
    stored(rescale, every_sum(), offset)
    assert proof(rescale, offset) is None


def test_a_rescaling_is_proven_after_many_pixels() -> None:
    rescale, offset = made("double"), offsets()
    pixels = np.zeros((PIXELS // 2, CHANNELS), F)
    stored(rescale, pixels, offset)
    assert proof(rescale, offset) is None
    stored(rescale, pixels, offset)
    assert proof(rescale, offset) is not None


@pytest.mark.parametrize("dtype", ["int16", "int8"])
def test_wide_outputs_and_wrapping_sums_have_no_proof(dtype: str) -> None:
    rescale, offset = made("double", 0 if dtype == "int16" else -128, dtype), offsets()
    rescale = rescale if dtype == "int16" else replace(rescale, wrap=True)
    stored(rescale, every_sum()[:PIXELS], offset)
    assert proof(rescale, offset) is None


@pytest.mark.parametrize(("constant", "by"), [("factor", F(1 + 2e-4)), ("offset", F(1.01))])
def test_results_differ_for_changed_constants(constant: str, by: np.float32) -> None:
    rescale, offset, sums = made("double"), offsets(), every_sum()
    stored(rescale, sums, offset)
    found = proof(rescale, offset)
    assert found is not None
    integers = stored(rescale, sums.astype(np.int64), offset)
    rescale.constants[id(offset)].fast_path = replace(found, **{constant: getattr(found, constant) * by})
    assert (stored(rescale, sums, offset) != integers).any()


def test_large_offsets_and_multipliers_of_zero() -> None:
    scales = Scales(F(1e-20), np.full(CHANNELS, 1e-15, F), F(1))
    rescale = requantizer("double", scales, OutputSpec("int8", (1,), qparams(1.0, 5)), None, most=MOST)
    offset = offsets()
    offset[3] = 2**30
    stored(rescale, every_sum(), offset)
    np.testing.assert_array_equal(
        stored(rescale, every_sum()[:9], offset), np.full((9, CHANNELS), 5, np.int8)
    )


def test_compiled_loops_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba", reason="the extra 'speed' is not installed")
    rescale, offset, sums = made("double"), offsets(), every_sum()
    stored(rescale, sums, offset)
    assert proof(rescale, offset) is not None
    plain = stored(rescale, sums, offset)
    monkeypatch.setattr(numba_loops, "WORTH", -1)
    np.testing.assert_array_equal(stored(rescale, sums, offset), plain)

"""A recipe without deviations equals its semantics, and the roundings are exact."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest

from litecheck.quantizer.causes.variants import Lookup, Recipe, quantize_with
from litecheck.quantizer.onnx_types import RANGES
from litecheck.quantizer.rounding import ROUNDINGS
from litecheck.quantizer.semantics import semantics
from litecheck.quantizer.types import Parameters

RECIPES = {
    "litert": Recipe("half-away"),
    "onnx": Recipe("half-even"),
    "onednn": Recipe("half-even", zero_point_first=True),
    "onednn:half-away": Recipe("half-away", zero_point_first=True),
}


def values(scale: np.float32) -> np.ndarray:
    """Return ties of every integer near int8, the nearest float32 on both sides of each tie, and random values."""
    ties = (np.arange(-300, 300, dtype=np.float32) / 2) * scale
    near = [np.nextafter(ties, np.float32(side)) for side in (-np.inf, np.inf)]
    random = np.random.default_rng(0).normal(0, 90, 3000).astype(np.float32) * scale
    return np.concatenate([ties, *near, random]).astype(np.float32).reshape(48, 100)


@pytest.mark.parametrize("scale", [0.25, 0.1, 0.0123, 3.7])
@pytest.mark.parametrize(("dtype", "zero"), [("int8", 0), ("int8", -3), ("uint8", 128)])
@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_without_deviations_is_its_semantics(name, dtype, zero, scale):
    x = values(np.float32(scale))
    for parameters in (
        Parameters(np.array([scale], np.float32), np.array([zero])),
        Parameters(np.linspace(scale, 2 * scale, 100, dtype=np.float32), np.full(100, zero), 1),
    ):
        expected = semantics(name).quantize(x, parameters, dtype).reshape(-1)
        positions = np.arange(x.size)
        scales = Lookup(parameters, x.shape).at(positions, RECIPES[name])
        found = quantize_with(RECIPES[name], x.reshape(-1), *scales, RANGES[dtype])
        assert np.array_equal(found, expected)
        other = quantize_with(Recipe("floor"), x.reshape(-1), *scales, RANGES[dtype])
        assert not np.array_equal(other, expected)


EXACT = {
    "half-away": lambda q: (1 if q > 0 else -1) * floor(abs(q) + Fraction(1, 2)),
    "half-even": round,
    "half-up": lambda q: floor(q + Fraction(1, 2)),
    "half-down": lambda q: ceil(q - Fraction(1, 2)),
    "toward-zero": lambda q: int(q),
    "floor": floor,
    "ceil": ceil,
}


@pytest.mark.parametrize("mode", ROUNDINGS)
def test_roundings_are_exact_where_adding_a_half_would_round(mode):
    ties = np.array([0.5, 1.5, 2.5, 127.5, 4194303.5, 8388607.5, 1.0, 16777216], np.float32)
    near = [np.nextafter(ties, np.float32(side)) for side in (0, np.inf)]
    x = np.concatenate([ties, *near, -ties, *(-n for n in near), [0, 1e-30, -1e-30]]).astype(np.float32)
    assert ROUNDINGS[mode](x).tolist() == [float(EXACT[mode](Fraction(float(v)))) for v in x]


def test_scales_are_rounded_as_ml_dtypes_rounds_them():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    scale = np.random.default_rng(1).uniform(1e-4, 2, 5000).astype(np.float32)
    real, zero = scale * np.float32(1000.5), np.zeros(1, np.int64)
    for name, dtype in (("bfloat16", ml_dtypes.bfloat16), ("float16", np.float16)):
        narrow = scale.astype(dtype).astype(np.float32)
        found = quantize_with(Recipe(scale=name), real, scale, zero, RANGES["int32"])
        assert np.array_equal(found, quantize_with(Recipe(), real, narrow, zero, RANGES["int32"]))
        assert not np.array_equal(found, quantize_with(Recipe(), real, scale, zero, RANGES["int32"]))

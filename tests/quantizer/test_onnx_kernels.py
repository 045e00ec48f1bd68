"""Every half-precision input and every tie, compared with fractions."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from litecheck.quantizer.onnx import quantize_linear
from litecheck.quantizer.onnx_types import storage
from tests.quantizer import slow
from tests.quantizer.targets import ZERO_POINTS, at

pytestmark = pytest.mark.slow

F = np.float32
SCALES = (1.0, 0.1, 0.0234375, 6e-8)


# Every half-precision input


def every(name):
    """Return all 65,536 values of float16 or bfloat16."""
    bits = np.arange(65536, dtype=np.uint16)
    return bits.view(storage(name))


@cache
def quotients(name, division, scale):
    """Return the oracle's quotients of all inputs, in order, and the scale in the type of the division."""
    given_scale = np.array(scale, storage(division))
    exact = float(given_scale)
    return [slow.divide(float(x), exact, division) for x in every(name)], given_scale


@cache
def rounded(name, division, scale):
    """Return the quotients as integers, clipped far outside every type; the smallest integer stands for NaN."""
    far = 10**6

    def whole(q):
        if math.isnan(q):
            return -far
        return far * (1 if q > 0 else -1) if abs(q) > far else round(q)

    return np.array([whole(q) for q in quotients(name, division, scale)[0]])


HALVES = [("float16", "float16"), ("bfloat16", "bfloat16"), ("float16", "float32"), ("bfloat16", "float32")]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("name", "division"), HALVES)
def test_every_half_to_every_integer(name, division, scale):
    pytest.importorskip("ml_dtypes")
    _, y_scale = quotients(name, division, scale)
    for target, (low, high) in slow.INTEGERS.items():
        for zero_point in (0, ZERO_POINTS[target]):
            y = quantize_linear(every(name), y_scale, **at(target, zero_point))
            want = np.clip(rounded(name, division, scale) + zero_point, low, high)
            assert y.dtype == storage(target)
            assert np.array_equal(y, want), (target, zero_point)


@pytest.mark.parametrize("scale", SCALES[:3])
@pytest.mark.parametrize(("name", "division"), HALVES[:2])
def test_every_half_to_every_small_float(name, division, scale):
    pytest.importorskip("ml_dtypes")
    values, y_scale = quotients(name, division, scale)
    for target in slow.SMALL:
        for saturate in (1, 0):
            y = quantize_linear(every(name), y_scale, output_dtype=target, saturate=saturate)
            codes = y.view(np.uint8).tolist()
            want = [slow.SMALL[target].encode(q, bool(saturate)) for q in values]
            nan = np.isnan(y.astype(F)).tolist()
            wrong = [
                i
                for i in range(65536)
                if (nan[i] if want[i] is None else codes[i] != want[i]) != (want[i] is None)
            ]
            assert not wrong, (target, saturate, len(wrong), float(every(name)[wrong[0]]))


# Ties


@cache
def ties(target, zero_point, scale):
    """Return every tie of an integer type at a scale, the float32 values beside the ties, and the oracle's outputs."""
    low, high = slow.INTEGERS[target]
    halves = np.arange(low - zero_point - 2, high - zero_point + 2) + 0.5
    middle = (halves * np.float64(F(scale))).astype(F)
    x = np.concatenate([middle, np.nextafter(middle, F(np.inf)), np.nextafter(middle, F(-np.inf))])
    exact = float(F(scale))
    want = [slow.to_integer(slow.divide(v, exact, "float32"), zero_point, target) for v in x.tolist()]
    return x, np.array(want)


TIES = [
    (t, z, s)
    for t in ("int8", "uint8", "int16")
    for z in (0, ZERO_POINTS[t])
    for s in (1.0, 2.0**-7, 0.1, 3.7e-5)
]


@pytest.mark.parametrize(("target", "zero_point", "scale"), TIES)
def test_every_tie_and_its_neighbours(target, zero_point, scale):
    x, want = ties(target, zero_point, scale)
    assert np.array_equal(quantize_linear(x, F(scale) * np.ones((), F), **at(target, zero_point)), want)


def half_away(q, zero_point):
    return np.trunc(q + np.copysign(F(0.5), q)) + zero_point


def zero_point_first(q, zero_point):
    return np.rint(q + zero_point)


@pytest.mark.parametrize(("wrong", "zero_point"), [(half_away, 0), (half_away, -5), (zero_point_first, -5)])
def test_ties_notice(wrong, zero_point):
    """Half away from zero, and an odd zero point added before rounding, differ from the oracle at ties."""
    x, want = ties("int8", zero_point, 1.0)
    assert np.count_nonzero(np.clip(wrong(x, F(zero_point)), -128, 127) != want) > 100

"""Small floats: every code point, both tables of Cast, and rounding once."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

from litecheck.errors import ConfigError
from litecheck.quantizer import narrow_floats
from litecheck.quantizer.narrow_floats import LARGEST, round_to, to_ml_dtype, to_small_float
from litecheck.quantizer.onnx import dequantize_linear, quantize_linear
from litecheck.quantizer.onnx_types import storage
from tests.quantizer import slow

pytest.importorskip("ml_dtypes", reason="needs ml_dtypes")

F = np.float32
SMALL = list(slow.SMALL)


def codes(target):
    """Return every code point, and its value by the oracle."""
    small = slow.SMALL[target]
    every = np.arange(2 * small.sign, dtype=np.uint8)
    return every.view(storage(target)), np.array([small.decode(c) for c in every.tolist()], F)


@pytest.mark.parametrize("result", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("target", SMALL)
def test_every_code_point_round_trips(target, result):
    """Each code is dequantized to its value in every real type, and quantized back to itself."""
    stored, values = codes(target)
    real = dequantize_linear(stored, np.array(1, storage(result)))
    assert np.array_equal(real.astype(F), values, equal_nan=True)
    assert np.array_equal(np.signbit(real.astype(F)[values == 0]), np.signbit(values[values == 0]))
    for saturate in (0, 1):
        again = quantize_linear(real, np.array(1, storage(result)), output_dtype=target, saturate=saturate)
        finite = np.isfinite(values)
        assert np.array_equal(again.view(np.uint8)[finite], stored.view(np.uint8)[finite])
        assert np.isnan(again.astype(F)[np.isnan(values)]).all()


@pytest.mark.parametrize("target", SMALL)
def test_every_tie_and_its_neighbours(target):
    """Midpoints between two values, and one step beyond the largest, in float32 and around it in float64."""
    small = slow.SMALL[target]
    middle = np.array(small.ties + [-t for t in small.ties])
    near = middle.astype(F)
    narrow = np.concatenate([near, np.nextafter(near, F(np.inf)), np.nextafter(near, F(-np.inf))])
    wide = np.concatenate([np.nextafter(middle, np.inf), np.nextafter(middle, -np.inf)])
    for values in (narrow, wide):
        for saturate in (True, False):
            got = to_small_float(values, target, saturate)
            want = [small.encode(v, saturate) for v in values.tolist()]
            nan = np.isnan(got.astype(F))
            assert [None if n else c for n, c in zip(nan, got.view(np.uint8).tolist(), strict=True)] == want


def test_rounding_twice_would_be_noticed():
    """Rounded to float32 first, the value just above a tie becomes the tie and rounds to the even side."""
    value = np.array([1 + 2.0**-4 + 2.0**-40])
    assert value.astype(F).astype(storage("float8e4m3fn")).astype(F) == 1
    assert to_small_float(value, "float8e4m3fn", True).astype(F) == 1.125
    assert to_ml_dtype(np.array([2**30 + 2**22 + 1], np.int32), "bfloat16").astype(F) == 2**30 + 2**23


@pytest.mark.parametrize("target", SMALL)
def test_saturate_flipped_is_noticed(target):
    """The table with ``saturate`` flipped differs beyond the largest value, except for float4e2m1, which has one table."""
    values = np.array([LARGEST[target] * 1.5, -np.inf], F)
    kept, free = (to_small_float(values, target, s).astype(F) for s in (True, False))
    assert np.array_equal(kept, free) == (target == "float4e2m1")
    assert kept.tolist() == [LARGEST[target], -LARGEST[target]]


def test_nan():
    values = np.array([np.nan, -np.nan], F)
    for target in SMALL:
        for saturate in (True, False):
            got = to_small_float(values, target, saturate).astype(F)
            assert (got == 6).all() if target == "float4e2m1" else np.isnan(got).all()


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32"])
def test_rounded_to_equals_the_oracle(name):
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2**63, 4000, dtype=np.int64)
    doubles = [
        *rng.normal(0, 1e3, 4000).tolist(),
        *(bits / 2**50).tolist(),
        65520.0,
        -65519.99,
        1e-8,
        6e-8,
        3e38,
        1e39,
    ]
    integers = rng.integers(-(2**31), 2**31, 4000).astype(np.int32)
    with np.errstate(over="ignore"):
        inputs = np.array(doubles), integers, np.array(doubles, F)
    for values in inputs:
        with np.errstate(over="ignore"):
            got = round_to(values, name)
        want = [slow.to_format(float(v), name) for v in values.tolist()]
        assert got.dtype == F
        assert got.tolist() == want


def test_the_formats_of_the_oracle_are_ieee_formats():
    """Control of the oracle: Python's struct rounds to float32 and float16 without numpy."""
    import struct

    rng = np.random.default_rng(2)
    for value in [*rng.normal(0, 1, 500).tolist(), 1e-45, 7e-46, 1e-41, 6e-8, 65504.0]:
        assert slow.to_format(value, "float32") == struct.unpack("f", struct.pack("f", value))[0]
        if abs(value) <= 65504:
            assert slow.to_format(value, "float16") == struct.unpack("e", struct.pack("e", value))[0]
    assert slow.to_format(65520.0, "float16") == math.inf


def test_integer_targets_do_not_import_ml_dtypes():
    code = (
        "import sys, numpy as np\n"
        "from litecheck.quantizer.onnx import quantize_linear, dequantize_linear\n"
        "import litecheck.quantizer.onnx_dynamic, litecheck.quantizer.onednn\n"
        "for t in (np.float32, np.float16):\n"
        "    q = quantize_linear(np.ones(3, t), np.ones((), t), output_dtype='int4')\n"
        "    dequantize_linear(q, np.ones((), t))\n"
        "assert not {'ml_dtypes', 'onnx'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_ml_dtypes_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(ConfigError, match=r"pip install -e '\.\[onnx\]'"):
        narrow_floats.ml_dtype("float8e5m2")

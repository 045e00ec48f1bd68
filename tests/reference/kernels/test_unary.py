"""RSQRT, ABS, L2_NORMALIZATION in integers, and functions of float32."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.quantization import Quantization
from litecheck.reference.kernels import unary
from litecheck.reference.registry import kernels
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError

HOW = {"requantize": "double", "multiplier": "float32"}


def quantization(scale, zero=0):
    return Quantization(np.float32([scale]), np.int64([zero]))


def plain(opcode, x):
    dtype = x.dtype.name
    (kernel,) = (k for k in kernels()[opcode] if dtype in k.types and not k.steps)
    return kernel.function(Operand(x, dtype), OutputSpec(dtype, ())).tolist()


def test_rsqrt_of_bytes_is_within_a_step():
    x = np.arange(-100, 128).astype(np.int8)
    v, out = Operand(x, "int8", quantization(0.25, -100)), OutputSpec("int8", (), quantization(1 / 64, -128))
    found = unary.rsqrt(v, out, {"multiplier": "float32"})
    real = 1 / np.sqrt(0.25 * np.arange(1, 228)) * 64 - 128
    assert found[0] == 127
    assert np.abs(found[1:] - np.clip(real, -128, 127)).max() <= 0.51


@pytest.mark.parametrize("table", ["float32", "fixed-point"])
def test_rsqrt_of_words(table):
    x = np.arange(2000, 32768).astype(np.int16)
    v, out = Operand(x, "int16", quantization(0.01)), OutputSpec("int16", (), quantization(1 / 32768))
    found = unary.rsqrt_int16(v, out, {"table": table})
    assert np.abs(found - 32768 / np.sqrt(0.01 * x)).max() < 8


def test_rsqrt_rejects_negative_values():
    v = Operand(np.int8([-3]), "int8", quantization(1.0, -2))
    with pytest.raises(RunError, match="positive"):
        unary.rsqrt(v, OutputSpec("int8", (), quantization(1.0)), {"multiplier": "float32"})


def test_abs_saturates_and_rescales():
    v = Operand(np.int8([-128, -3, 3, 127]), "int8", quantization(0.5))
    assert unary.abs_(v, OutputSpec("int8", (), quantization(0.5)), HOW).tolist() == [127, 3, 3, 127]
    assert unary.abs_(v, OutputSpec("int8", (), quantization(1.0, -10)), HOW).tolist() == [54, -8, -8, 54]


def test_abs_of_plain_words_wraps():
    v = Operand(np.int16([-32768, -5]), "int16")
    assert unary.abs_(v, OutputSpec("int16", ()), HOW).tolist() == [-32768, 5]


@pytest.mark.parametrize(("dtype", "zero", "middle"), [("int8", -7, 0), ("uint8", 100, 128)])
def test_l2_normalization(dtype, zero, middle):
    """The first of the two roundings leaves about five fractional bits."""
    low = np.iinfo(dtype).min
    x = np.random.default_rng(1).integers(low, low + 256, (9, 5)).astype(dtype)
    v, out = Operand(x, dtype, quantization(0.1, zero)), OutputSpec(dtype, (), quantization(1 / 128, middle))
    offset = x.astype(float) - zero
    real = 128 * offset / np.sqrt((offset**2).sum(-1, keepdims=True)) + middle
    assert np.abs(unary.l2_normalization(v, out) - np.clip(real, low, low + 255)).max() <= 0.5 + 2.0**-5


@pytest.mark.parametrize("function", [unary.l2_normalization, unary.l2_normalization_float])
def test_a_scalar_has_no_row_to_normalize(function):
    with pytest.raises(RunError, match="no last dimension"):
        function(
            Operand(np.zeros((), np.int8), "int8", quantization(0.1)), OutputSpec("int8", (), quantization(1))
        )


def test_a_row_of_zeros_stays_zero():
    v, out = (
        Operand(np.full((1, 3), 4, np.int8), "int8", quantization(0.1, 4)),
        OutputSpec("int8", (), quantization(1 / 128)),
    )
    assert unary.l2_normalization(v, out).tolist() == [[0, 0, 0]]
    zeros = Operand(np.zeros((1, 3), np.float32), "float32")
    assert unary.l2_normalization_float(zeros, OutputSpec("float32", ())).tolist() == [[0, 0, 0]]


def test_plain_functions():
    x = np.float32([-1.5, -0.5, 0.5, 1.5])
    assert plain("ROUND", x) == [-2, 0, 0, 2]
    assert plain("CEIL", x) == [-1, 0, 1, 2]
    assert plain("FLOOR", x) == [-2, -1, 0, 1]
    assert plain("SIGN", x) == [-1, -1, 1, 1]
    assert plain("SQUARE", x) == [2.25, 0.25, 0.25, 2.25]
    assert plain("NEG", np.int64([3, -(2**40)])) == [-3, 2**40]
    assert plain("ZEROS_LIKE", np.int32([3])) == [0]
    assert plain("LOGICAL_NOT", np.array([True, False])) == [False, True]


def test_sqrt_is_truncated():
    """Real values 0.25 * (q + 100): roots over 0.1 are 0, 5, 7.07, 8.66 and 75.3, plus the zero point -20."""
    x = Operand(np.array([-100, -99, -98, -97, 127], np.int8), "int8", quantization(0.25, -100))
    out = OutputSpec("int8", (), quantization(0.1, -20))
    assert unary.sqrt(x, out).tolist() == [-20, -15, -13, -12, 55]
    narrow = OutputSpec("int8", (), quantization(0.05, 0))
    assert unary.sqrt(x, narrow).tolist() == [0, 10, 14, 17, 127]
    with pytest.raises(RunError, match="not negative"):
        unary.sqrt(Operand(np.array([-101], np.int8), "int8", quantization(0.25, -100)), out)

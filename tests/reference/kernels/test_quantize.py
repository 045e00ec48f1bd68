"""QUANTIZE and DEQUANTIZE: the roundings of each variant, and the elements they apply to."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.quantization import Quantization
from litecheck.reference.backends import ALL_BACKENDS
from litecheck.reference.kernels import quantize as kernels
from litecheck.reference.runtime_tensors import Operand, OutputSpec


def quantization(scale, zero=0):
    return Quantization(np.float32(np.atleast_1d(scale)), np.int64(np.atleast_1d(zero)))


def quantize(x, variant, dtype="int8", scale=1.0, zero=0, backends=ALL_BACKENDS):
    out = OutputSpec(dtype, (), quantization(scale, zero))
    return kernels.quantize(Operand(np.float32(x), "float32"), out, {"round": variant}, backends).tolist()


def requantize(x, variant, dtype="int8", scale=0.25, scale_out=1.0, zero_out=0, backends=ALL_BACKENDS):
    v = Operand(np.asarray(x, "int8"), "int8", quantization(scale))
    return kernels.requantize(
        v, OutputSpec(dtype, (), quantization(scale_out, zero_out)), {"requantize": variant}, backends
    ).tolist()


def test_reals_round_half_away_or_to_even():
    x = [-2.5, -1.5, 0.5, 2.5]
    assert quantize(x, "half-away") == [-3, -2, 1, 3]
    assert quantize(x, "half-even") == [-2, -2, 0, 2]


def test_the_body_rounds_to_even_and_the_tail_away():
    assert quantize([2.5] * 11, "half-even-body") == [2] * 8 + [3] * 3
    assert quantize([2.5] * 11, "half-even-body", "int16") == [2] * 8 + [3] * 3
    assert quantize([2.5] * 11, "half-even", "int16", backends=frozenset()) == [2] * 8 + [3] * 3


@pytest.mark.parametrize("variant", ["half-away", "half-even-body", "half-even"])
def test_reals_saturate(variant):
    assert quantize([-1e9, 1e9] * 5, variant, zero=3) == [-128, 127] * 5


@pytest.mark.parametrize("variant", ["half-away", "half-even-body", "half-even"])
def test_channels_divide_in_every_arithmetic(variant):
    out = OutputSpec("int8", (), Quantization(np.float32([1, 2]), np.int64([0, 1]), 1))
    x = Operand(np.float32([[2.5, 5], [0.5, -1]]), "float32")
    assert kernels.quantize(x, out, {"round": variant}).tolist() == [[3, 4], [1, 0]]


def test_integers_round_by_variant():
    x = [-10, -6, -2, 2, 6, 10]
    assert requantize(x, "double") == [-3, -2, -1, 1, 2, 3]
    assert requantize(x, "single") == [-2, -1, 0, 1, 2, 3]
    assert requantize(x, "8-bit-multipliers") == [-2, -1, 0, 1, 2, 3]


def test_sixteen_at_a_time_round_half_up():
    assert requantize([-10] * 35, "half-up-body") == [-2] * 32 + [-3] * 3
    assert requantize([-10] * 35, "half-up-body", "uint8", zero_out=9) == [7] * 32 + [6] * 3
    assert (
        requantize([-10] * 35, "8-bit-multipliers", "uint8", zero_out=9, backends=frozenset())
        == [7] * 32 + [6] * 3
    )


def test_tensors_that_xnnpack_declines_round_half_up():
    x = np.arange(-128, 128)
    declined = requantize(x, "8-bit-multipliers", scale=1e-3, backends=frozenset())
    assert declined == requantize(x, "half-up-body", scale=1e-3)


def test_dequantize_in_the_body_multiplies_the_zero_point_by_itself():
    x = Operand(np.full(11, 1, np.int8), "int8", quantization(0.1, 3))
    exact, split = (
        kernels.dequantize(x, OutputSpec("float32", ()), {"product": p}) for p in ("exact", "split-body")
    )
    assert set(exact) == {np.float32(0.1) * np.float32(-2)}
    assert set(split[:8]) == {np.float32(0.1) - np.float32(3) * np.float32(0.1)} != set(exact)
    assert (split[8:] == exact[8:]).all()


def test_only_tensors_that_xnnpack_declines_have_body_and_tail():
    x = Operand(np.full(8, 1, np.int8), "int8", quantization(0.1, 3))
    by_xnnpack, declined = (
        set(kernels.dequantize(x, OutputSpec("float32", ()), {"product": "split-int4-body"}, backends))
        for backends in (ALL_BACKENDS, frozenset())
    )
    assert by_xnnpack == {np.float32(0.1) * np.float32(-2)} != declined


def test_half_floats_are_widened():
    x = Operand(np.float16([0.1, -3]), "float16")
    assert kernels.dequantize(x, OutputSpec("float32", ()), {"product": "exact"}).tolist() == [
        np.float16(0.1),
        -3,
    ]

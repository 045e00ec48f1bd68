"""quantize and dequantize of the library: numbers, lists, arrays and the parameters of tensors."""

from __future__ import annotations

import numpy as np
import pytest

import litecheck
from litecheck.quantizer import litert
from litecheck.quantizer.types import Parameters

REALS = np.array([[-1.0, 0.126], [9.0, -0.004]], np.float32)


def test_it_is_the_semantics_of_that_name() -> None:
    parameters = Parameters(np.array([1 / 128], np.float32), np.array([3]))
    expected = litert.quantize(REALS, parameters)
    for values in (REALS, REALS.tolist()):
        assert np.array_equal(litecheck.quantize(values, 1 / 128, 3), expected)
    assert np.array_equal(litecheck.quantize(REALS, parameters), expected)
    back = litert.dequantize(expected, parameters)
    assert np.array_equal(litecheck.dequantize(expected, 1 / 128, 3), back)
    assert np.array_equal(litecheck.dequantize(expected.tolist(), 1 / 128, 3), back)


def test_several_scales_go_along_an_axis() -> None:
    made = litecheck.quantize(REALS, [1 / 128, 1 / 64], axis=0, dtype="int16")
    assert made.tolist() == [[-128, 16], [576, 0]]
    assert made.dtype == np.int16
    assert litecheck.dequantize([300, -2], 0.5, dtype="int16").tolist() == [150.0, -1.0]


def test_a_tensor_states_them_all() -> None:
    stated = litecheck.Quantization(np.array([0.5], np.float32), np.array([-3]))
    assert litecheck.quantize([0.0, 1.0], stated).tolist() == [-3, -1]
    with pytest.raises(TypeError, match="from the parameters given"):
        litecheck.quantize([0.0], stated, 3)


def test_other_semantics_and_what_they_refuse() -> None:
    half = np.array([0.5, 1.5], np.float32)
    assert litecheck.quantize(half, 1.0).tolist() == [1, 2]
    assert litecheck.quantize(half, 1.0, np.array(0, np.int8), semantics="onnx").tolist() == [0, 2]
    with pytest.raises(litecheck.ConfigError, match="no semantics"):
        litecheck.quantize(half, 1.0, semantics="onyx")
    with pytest.raises(litecheck.QuantizerError, match="round them first"):
        litecheck.quantize(half.astype(np.float64), 1.0)

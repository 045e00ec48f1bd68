"""Dynamic quantization by name: ONNX's operator chooses its parameters, oneDNN gets the parameters of the range."""

from __future__ import annotations

import numpy as np
import pytest

import litecheck
from litecheck.quantizer.onnx_dynamic import dynamic_quantize_linear
from litecheck.quantizer.types import QuantizerError

X = np.array([-1.0, -0.25, 0.0, 0.5, 1.0], np.float32)


def test_onnx_is_dynamic_quantize_linear() -> None:
    found = litecheck.dynamic_quantize(X)
    for a, b in zip(found, dynamic_quantize_linear(X), strict=True):
        assert a.dtype == b.dtype
        assert np.array_equal(a, b)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_onednn_gets_the_parameters_of_the_range(dtype: str) -> None:
    stored, scale, zero_point = litecheck.dynamic_quantize(X, "onednn", dtype=dtype)
    parameters = litecheck.choose_parameters(X, dtype, mode="asymmetric")
    assert stored.dtype == dtype
    assert scale == np.float32(2 / 255)
    assert zero_point == parameters.zero_point
    assert np.array_equal(stored, litecheck.quantize(X, parameters, dtype=dtype, semantics="onednn"))


def test_onnx_supports_uint8_only() -> None:
    with pytest.raises(QuantizerError, match="only uint8"):
        litecheck.dynamic_quantize(X, dtype="int8")


@pytest.mark.parametrize("values", [[np.nan, 1.0], [np.inf], [0.0]])
def test_a_range_without_a_positive_scale_warns(values: list[float]) -> None:
    with pytest.warns(UserWarning, match="onnx-dynamic: scale (nan|inf|0): 1 of 1 not finite and positive"):
        litecheck.dynamic_quantize(values)

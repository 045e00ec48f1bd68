"""quantize and dequantize of the library: numbers, lists, arrays and the parameters of tensors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import litecheck
from litecheck.quantizer import litert
from litecheck.quantizer.types import Parameters

REALS = np.array([[-1.0, 0.126], [9.0, -0.004]], np.float32)


def test_the_function_is_the_semantics_of_its_name() -> None:
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


def test_a_tensor_states_all_parameters() -> None:
    stated = litecheck.Quantization(np.array([0.5], np.float32), np.array([-3]))
    assert litecheck.quantize([0.0, 1.0], stated).tolist() == [-3, -1]
    with pytest.raises(TypeError, match="from the parameters given"):
        litecheck.quantize([0.0], stated, 3)


def test_each_semantics_rejects_its_invalid_arguments() -> None:
    half = np.array([0.5, 1.5], np.float32)
    assert litecheck.quantize(half, 1.0).tolist() == [1, 2]
    assert litecheck.quantize(half, 1.0, np.array(0, np.int8), semantics="onnx").tolist() == [0, 2]
    with pytest.raises(litecheck.ConfigError, match="no semantics"):
        litecheck.quantize(half, 1.0, semantics="onyx")


@pytest.mark.parametrize("semantics", ["litert", "litert:xnnpack", "onnx", "onednn"])
def test_float64_counts_as_numbers_and_is_rounded(semantics: str) -> None:
    values = np.array([0.1, -0.30000000000000004, 1e300])
    narrow = litecheck.quantize(values.tolist(), 0.1, semantics=semantics, dtype="int8")
    made = litecheck.quantize(values, np.float64(0.1), semantics=semantics, dtype="int8")
    assert made.tolist() == narrow.tolist() == [1, -3, 127]


@pytest.mark.parametrize(
    ("semantics", "zero_point", "dtype", "name"),
    [
        ("litert", None, None, "int8"), ("onednn", 3, None, "int8"), ("onnx", None, None, "uint8"),
        ("onnx", 3, None, "uint8"), ("onnx", np.int8(3), None, "int8"), ("onnx", -1, "int8", "int8"),
        ("litert", None, np.int16, "int16"), ("onnx", 3, np.dtype("int8"), "int8"),
    ],
)  # fmt: skip
def test_the_type_is_that_of_the_semantics_unless_it_is_given(
    semantics: str, zero_point: object, dtype: object, name: str
) -> None:
    made = litecheck.quantize([0.5], 0.5, zero_point, semantics=semantics, dtype=dtype)  # type: ignore[arg-type]
    assert made.dtype == name
    assert made.tolist() == [1 + int(zero_point or 0)]  # type: ignore[call-overload]


def test_a_zero_point_outside_the_default_type_names_the_fix() -> None:
    with pytest.raises(litecheck.QuantizerError, match=r"uint8 does not; name the type, for example int8"):
        litecheck.quantize([0.5], 0.5, -3, semantics="onnx")


def test_dynamic_semantics_has_its_own_function() -> None:
    with pytest.raises(TypeError, match=r"litecheck\.dynamic_quantize\(array, semantics='onnx-dynamic'\)"):
        litecheck.quantize([0.5], 0.5, semantics="onnx-dynamic")


@pytest.mark.parametrize(("scale", "integers"), [(0.0, [0, 255]), (-1.0, [1, 0]), (np.inf, [0, 0])])
def test_onnx_computes_with_unusual_scales_and_warns(scale: float, integers: list[int]) -> None:
    """The integers are those of onnxruntime 1.32."""
    with pytest.warns(UserWarning, match="not finite and positive"):
        assert litecheck.quantize([-1.0, 1.0], scale, semantics="onnx").tolist() == integers
    with pytest.raises(litecheck.QuantizerError, match="finite numbers above 0"):
        litecheck.quantize([-1.0, 1.0], scale)


@pytest.mark.parametrize(
    ("semantics", "integer"), [("litert", 3), ("litert:xnnpack", 3), ("onnx", -128), ("onednn", -128)]
)
def test_nan_is_the_zero_point_in_litert_and_the_smallest_integer_elsewhere(
    semantics: str, integer: int
) -> None:
    assert litecheck.quantize([np.nan], 0.5, 3, dtype="int8", semantics=semantics).tolist() == [integer]


@pytest.mark.parametrize(
    ("call", "ending"),
    [
        (lambda: litecheck.dequantize([300], 0.5), "dequantize: stored: got 300, expected int8, -128 to 127"),
        (lambda: litecheck.dequantize([200, 256], 0.5, dtype="uint8"), "got 256, expected uint8, 0 to 255"),
        (lambda: litecheck.dequantize([1.5], 0.5), "dequantize: stored: got 1.5, expected whole numbers"),
        (lambda: litecheck.dequantize(float("nan"), 0.5), "stored: got nan, expected whole numbers"),
        (
            lambda: litecheck.quantize([1.0], 0.5, 1.5),
            "quantize: zero_point: got 1.5, expected whole numbers",
        ),
    ],
)
def test_numbers_that_the_type_does_not_hold_are_errors(call: Callable[[], object], ending: str) -> None:
    with pytest.raises(litecheck.QuantizerError) as error:
        call()
    assert str(error.value).endswith(ending)


def test_whole_numbers_may_be_floats() -> None:
    assert litecheck.dequantize([3.0, -128], 0.5, zero_point=1.0).tolist() == [1.0, -64.5]

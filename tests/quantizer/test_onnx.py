"""QuantizeLinear and DequantizeLinear: ONNX's test cases, cases that the documents leave open, and general laws."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litecheck.quantizer.onnx import Onnx, dequantize_linear, quantize_linear
from litecheck.quantizer.onnx_types import storage
from litecheck.quantizer.types import Parameters, QuantizerError
from tests.quantizer import slow
from tests.quantizer.onnx_suite import suite
from tests.quantizer.targets import ZERO_POINTS, at

F = np.float32
FINITE = st.floats(width=32, allow_nan=False, allow_infinity=False)
POSITIVE = st.floats(min_value=2.0**-40, max_value=2.0**40, width=32)


# Test cases of ONNX


@cache
def backend_cases():
    """Return name -> (operator, attributes, inputs, outputs) of every case of the two operators in the wheel."""
    onnx = pytest.importorskip("onnx")

    def array(value):
        return onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value

    found = {}
    for case in suite():
        node = case.model.graph.node[0]
        if node.op_type in ("QuantizeLinear", "DequantizeLinear"):
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            for inputs, outputs in case.data_sets:
                arrays = [array(v) for v in inputs], [array(v) for v in outputs]
                found[case.name] = (node.op_type, attributes, *arrays)
    return found


def disagreements(change):
    """Return the cases whose output differs after ``change`` of the operator's output."""
    functions = {"QuantizeLinear": quantize_linear, "DequantizeLinear": dequantize_linear}
    wrong = []
    for name, (operator, attributes, inputs, outputs) in backend_cases().items():
        y = change(functions[operator](*inputs, **attributes))
        want = outputs[0]
        same_type = y.dtype == (want.dtype if want.dtype.itemsize > 1 or want.dtype.kind != "V" else y.dtype)
        if not same_type or not np.array_equal(y.astype(np.float64), want.astype(np.float64), equal_nan=True):
            wrong.append(name)
    return wrong


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_onnx_backend_suite():
    operators = [operator for operator, *_ in backend_cases().values()]
    assert operators.count("QuantizeLinear") >= 13
    assert operators.count("DequantizeLinear") >= 14
    assert disagreements(lambda y: y) == []


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_onnx_backend_suite_notices_one_wrong_element():
    def spoiled(y):
        y = y.copy()
        first = y.reshape(-1)[:1]
        first[:] = np.where(first.astype(F) == 0, 1, 0).astype(y.dtype)
        return y

    assert len(disagreements(spoiled)) == len(backend_cases())


# Cases that the documents leave open, and saturate


def test_infinities_saturate_and_nan_is_the_smallest():
    x = np.array([np.nan, np.inf, -np.inf, 1e-45, -1e-45, 0.0, -0.0], F)
    for target, (low, high) in slow.INTEGERS.items():
        zero_point = ZERO_POINTS[target]
        want = [low, high, low] + [zero_point] * 4
        assert quantize_linear(x, np.array(0.5, F), **at(target, zero_point)).tolist() == want


@pytest.mark.parametrize("target", [t for t in slow.SMALL if t.startswith("float8")])
def test_saturate_decides_beyond_the_largest(target):
    pytest.importorskip("ml_dtypes")
    largest = slow.SMALL[target].values[-1]
    x = np.array([largest, largest * 2, -largest * 2, np.inf, -np.inf], F)
    kept = quantize_linear(x, np.ones((), F), output_dtype=target)
    assert kept.astype(F).tolist() == [largest, largest, -largest, largest, -largest]
    free = quantize_linear(x, np.ones((), F), output_dtype=target, saturate=0).astype(F)
    assert free[0] == largest
    beyond = [np.inf, -np.inf, np.inf, -np.inf] if target == "float8e5m2" else [np.nan] * 4
    assert np.array_equal(free[1:], np.array(beyond, F), equal_nan=True)


def test_saturate_is_ignored_except_for_float8():
    pytest.importorskip("ml_dtypes")
    x = np.array([1e9, -1e9, np.nan], F)
    for target in ("int8", "int4", "float4e2m1"):
        both = [quantize_linear(x, np.ones((), F), output_dtype=target, saturate=s).astype(F) for s in (0, 1)]
        assert np.array_equal(*both)
    assert quantize_linear(x, np.ones((), F), output_dtype="float4e2m1").astype(F).tolist() == [6, -6, 6]


@pytest.mark.slow
@pytest.mark.parametrize("target", slow.SMALL)
def test_small_floats_add_their_zero_point(target):
    """A zero point of a small float follows the formula: quotient plus zero point, rounded once."""
    pytest.importorskip("ml_dtypes")
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.normal(0, 4, 3000), np.arange(-400, 400) / 64, [1e5, -1e5]]).astype(F)
    for zero_point, scale in ((1.5, 1.0), (-0.5, 0.3), (6.0, 0.01)):
        y = quantize_linear(x, np.array(scale, F), np.array(zero_point).astype(storage(target)), saturate=0)
        exact = float(F(scale))
        want = [
            slow.to_small(slow.divide(v, exact, "float32"), zero_point, target, False) for v in x.tolist()
        ]
        codes = [
            None if np.isnan(v) else c for v, c in zip(y.astype(F), y.view(np.uint8).tolist(), strict=True)
        ]
        assert codes == want


# Laws


@settings(max_examples=300)
@given(x=FINITE, scale=POSITIVE, zero_point=st.integers(-128, 127))
def test_dequantized_is_within_half_a_step(x, scale, zero_point):
    """The bound for a value clipped to the range: half a step, and the roundings of quotient, product and step."""
    arrays = np.array(scale, F), np.array(zero_point, np.int8)
    back = float(dequantize_linear(quantize_linear(np.array([x], F), *arrays), *arrays)[0])
    low, high = (float(F(scale)) * (end - zero_point) for end in (-128, 127))
    assert abs(back - min(max(x, low), high)) <= scale * (0.5 + 255 * 2.0**-22)


@settings(max_examples=200)
@given(
    x=st.lists(st.floats(width=32, allow_nan=False), min_size=2, max_size=50),
    scale=POSITIVE,
    target=st.sampled_from(list(slow.INTEGERS)),
)
def test_quantize_is_monotone(x, scale, target):
    y = quantize_linear(np.array(sorted(x), F), np.array(scale, F), **at(target, ZERO_POINTS[target]))
    assert np.all(np.diff(y.astype(np.int64)) >= 0)


@settings(max_examples=200)
@given(scale=POSITIVE, zero_point=st.integers(0, 255))
def test_zero_is_exact(scale, zero_point):
    arrays = np.array(scale, F), np.array(zero_point, np.uint8)
    y = quantize_linear(np.zeros(1, F), *arrays)
    assert y[0] == zero_point
    assert dequantize_linear(y, *arrays)[0] == 0


@settings(max_examples=200)
@given(scale=POSITIVE, target=st.sampled_from(list(slow.INTEGERS)))
def test_saturates_at_both_ends(scale, target):
    low, high = slow.INTEGERS[target]
    x = np.array([F(-3e38), F(3e38), -np.inf, np.inf], F)
    y = quantize_linear(x, np.array(min(scale, 1e30), F), **at(target, ZERO_POINTS[target]))
    assert y.tolist() == [low, high, low, high]


@settings(max_examples=200)
@given(
    bits=st.integers(0, 2**32 - 1), scale_bits=st.integers(0, 2**32 - 1), zero_point=st.integers(-128, 127)
)
def test_any_bit_pattern_is_defined_and_equals_the_oracle(bits, scale_bits, zero_point):
    x, scale = (np.array(b, np.uint32).view(F) for b in (bits, scale_bits))
    y = quantize_linear(x, scale, np.array(zero_point, np.int8))
    assert int(y) == slow.to_integer(slow.divide(float(x), float(scale), "float32"), zero_point, "int8")


# Common interface of all semantics


def test_semantics_take_zero_points_of_any_integer_type():
    x = np.array([[-1.0, 0.26], [3.0, 100.0]], F)
    wide = Parameters(np.array([0.5], F), np.array([3], np.int64))
    semantics = Onnx(21)
    for target in ("int8", "uint8", "int4", "int16"):
        narrow = quantize_linear(x, np.array(0.5, F), **at(target, 3))
        assert np.array_equal(semantics.quantize(x, wide, target), narrow)
    q = semantics.quantize(x, wide, "int8")
    assert semantics.dequantize(q, wide).tolist() == [[-1.0, 0.5], [3.0, 62.0]]
    assert Onnx(23).dequantize(q, wide, "float16").dtype == np.float16
    per_axis = Parameters(np.array([0.5, 0.25], F), np.array([3, -3], np.int64), axis=1)
    assert np.array_equal(
        semantics.quantize(x, per_axis, "int8"),
        quantize_linear(x, per_axis.scale, per_axis.zero_point.astype(np.int8), axis=1),
    )


@pytest.mark.parametrize(
    ("version", "parameters", "dtype", "argument"),
    [
        (25, Parameters(np.ones(2, F)), None, "axis"),
        (25, Parameters(np.ones(1, F), np.array([200])), "int8", "zero_point"),
        (25, Parameters(np.ones(1, F), np.array([8])), "int4", "zero_point"),
        (25, Parameters(np.ones(1, F), np.array([-1], np.int64)), None, "zero_point"),
        (25, Parameters(np.ones(1, F), np.array([1], np.int32)), None, "y_zero_point"),
        (25, Parameters(np.ones(1, F)), "int5", "dtype"),
        (13, Parameters(np.ones(1, F)), "int4", "y_zero_point"),
        (10, Parameters(np.ones(2, F), axis=0), None, "axis"),
        (13, Parameters(np.ones((2, 1), F), axis=1, block_size=3), None, "block_size"),
    ],
)
def test_semantics_refuse(version, parameters, dtype, argument):
    with pytest.raises(QuantizerError) as caught:
        Onnx(version).quantize(np.zeros((2, 3), F), parameters, dtype)
    assert (caught.value.semantics, caught.value.argument) == (f"onnx:{version}", argument)


@pytest.mark.parametrize("target", ["int2", "uint2", "int4", "uint4"])
def test_outputs_of_quantize_linear_are_inputs_of_dequantize_linear(target):
    """Outputs below eight bits are dequantized; the type is given by name, by ml_dtypes' zero point, or by the tensor."""
    x, scale = np.array([[-9.0, 0.25, 0.5], [1.0, 1.5, 99.0]], np.float32), np.array(0.5, np.float32)
    zero_point = np.array(ZERO_POINTS[target], storage(target))
    y = quantize_linear(x, scale, zero_point, version=25, zero_point_dtype=target)
    want = (y.astype(np.float32) - np.float32(ZERO_POINTS[target])) * scale
    assert np.array_equal(dequantize_linear(y, scale, zero_point, x_dtype=target), want)
    assert np.array_equal(dequantize_linear(y, scale, zero_point), want)
    parameters = Parameters(scale.reshape(1), np.array([ZERO_POINTS[target]]))
    assert np.array_equal(Onnx().dequantize(y, parameters, stored=target), want)
    ml_dtypes = pytest.importorskip("ml_dtypes")
    narrow = np.dtype(getattr(ml_dtypes, target))
    assert np.array_equal(quantize_linear(x, scale, zero_point.astype(narrow)), y)
    assert np.array_equal(dequantize_linear(y, scale, zero_point.astype(narrow)), want)
    assert np.array_equal(dequantize_linear(y.astype(narrow), scale, zero_point.astype(narrow)), want)
    scales, zeros = np.full(3, 0.5, np.float32), np.full(3, ZERO_POINTS[target]).astype(narrow)
    assert np.array_equal(dequantize_linear(y, scales, zeros, axis=1), want)


@pytest.mark.parametrize(
    ("x", "options", "argument"),
    [
        (np.array([8], np.int8), {"x_dtype": "int4"}, "q"),
        (np.array([1], np.uint8), {"x_dtype": "int4"}, "x_dtype"),
        (np.array([1], np.int8), {"x_dtype": "float8e4m3fn"}, "x_dtype"),
        (np.array([1], np.int8), {"x_dtype": "int4", "version": 19}, "x"),
        (np.array([1], np.int8), {"x_dtype": "int4", "x_zero_point": np.array(8, np.int8)}, "zero_point"),
        (np.array([1], np.int8), {"x_dtype": "int4", "x_zero_point": np.array(1, np.uint8)}, "x_zero_point"),
    ],
)
def test_values_and_types_that_contradict_x_dtype_are_rejected(x, options, argument):
    with pytest.raises(QuantizerError) as caught:
        dequantize_linear(x, np.array(1, np.float32), **options)
    assert caught.value.argument == argument

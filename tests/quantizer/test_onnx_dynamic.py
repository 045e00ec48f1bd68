"""DynamicQuantizeLinear: ONNX's test cases, an exact oracle, and the special tensors that the docstring defines."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from litecheck.quantizer.onnx_dynamic import OnnxDynamic, dynamic_parameters, dynamic_quantize_linear
from litecheck.quantizer.types import Parameters, QuantizerError
from tests.quantizer import slow
from tests.quantizer.onnx_suite import suite

F = np.float32
TENSORS = arrays(F, array_shapes(max_dims=3, max_side=6), elements=st.floats(width=32))


def oracle(x):
    """Return (y, scale, zero point) in fractions; the oracle rounds each float32 operation."""
    values = [float(v) for v in x.reshape(-1)]
    if any(map(math.isnan, values)):
        low = high = math.nan
    else:
        low, high = min(0.0, *values), max(0.0, *values)
    spread = slow.to_format(high - low, "float32") if math.isinf(high - low) else exact_difference(high, low)
    scale = slow.divide(spread, 255.0, "float32")
    offset = slow.divide(-low, scale, "float32")
    zero_point = slow.to_integer(offset, 0, "uint8")
    return (
        [slow.to_integer(slow.divide(v, scale, "float32"), zero_point, "uint8") for v in values],
        scale,
        zero_point,
    )


def exact_difference(high, low):
    if math.isnan(high):
        return math.nan
    difference = slow.Fraction(high) - slow.Fraction(low)
    return (
        slow.FORMATS["float32"].nearest(difference.numerator, difference.denominator) if difference else 0.0
    )


def agrees(x):
    y, scale, zero_point = dynamic_quantize_linear(x)
    want, want_scale, want_zero_point = oracle(x)
    assert y.shape == x.shape
    same_scale = np.array_equal(float(scale), want_scale, equal_nan=True)
    return y.reshape(-1).tolist() == want and same_scale and int(zero_point) == want_zero_point


def backend_cases():
    return [c for c in suite() if c.name.startswith("test_dynamicquantizelinear")]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_onnx_backend_suite():
    """The expanded cases, the same formula as a graph of primitive operators, have the same tensors."""
    cases = backend_cases()
    assert len(cases) >= 6
    for case in cases:
        for inputs, outputs in case.data_sets:
            for got, want in zip(dynamic_quantize_linear(*inputs), outputs, strict=True):
                assert got.dtype == want.dtype
                assert np.array_equal(got, want), case.name
        spoiled = dynamic_quantize_linear(case.data_sets[0][0][0] * F(1.01))
        assert not np.array_equal(spoiled[1], case.data_sets[0][1][1])


@pytest.mark.slow
@settings(max_examples=400)
@given(TENSORS)
def test_any_tensor_equals_the_oracle(x):
    """Any tensor gives the oracle's output, also with NaN, infinities, subnormals and overflowing ranges."""
    assert agrees(x)


@pytest.mark.parametrize("step", [1.0, 2.0**-7, 0.1])
@pytest.mark.parametrize("start", [0, -7, -128, -255])
def test_every_tie_and_its_neighbours(step, start):
    """A range of 255 steps fixes the scale. Each tie in it and the float32 values beside it give the oracle's output."""
    ends = np.array([start, start + 255], F) * F(step)
    middle = ((np.arange(start, start + 255) + 0.5) * np.float64(F(step))).astype(F)
    x = np.concatenate([ends, middle, np.nextafter(middle, F(1e9)), np.nextafter(middle, F(-1e9))])
    assert agrees(x)


def test_half_away_is_noticed():
    """Half away from zero differs from the oracle at ties (negative control)."""
    x = np.concatenate([[0, 255], np.arange(255) + 0.5]).astype(F)
    want, scale, _ = oracle(x)
    assert scale == 1
    assert np.count_nonzero(np.floor(x + F(0.5)) != want) == 128


def test_zero_point_before_rounding_is_noticed():
    """With an odd zero point, rounding the sum differs from the oracle at ties (negative control)."""
    x = np.concatenate([[-7, 248], np.arange(-7, 248) + 0.5]).astype(F)
    want, scale, zero_point = oracle(x)
    assert (scale, zero_point) == (1, 7)
    assert np.count_nonzero(np.rint(x + F(7)) != want) > 100


SPECIAL = [
    # x, y, scale, zero point
    ([0.0, -0.0], [0, 0], 0.0, 0),
    ([2.0, 2.0], [255, 255], F(2) / F(255), 0),
    ([-2.0, -2.0], [0, 0], F(2) / F(255), 255),
    ([1.0, np.inf, 0.0], [0, 0, 0], np.inf, 0),
    ([1.0, -np.inf], [0, 0], np.inf, 0),
    ([3e38, -3e38], [0, 0], np.inf, 0),
    ([1.0, np.nan], [0, 0], np.nan, 0),
]


@pytest.mark.parametrize(("x", "y", "scale", "zero_point"), SPECIAL)
def test_special_tensors(x, y, scale, zero_point):
    got = dynamic_quantize_linear(np.array(x, F))
    assert got[0].tolist() == y
    assert np.array_equal(got[1], F(scale), equal_nan=True)
    assert got[2] == zero_point


def test_a_range_below_the_smallest_scale():
    """1e-45 / 255 rounds to 0, so the quotient is infinite and saturates."""
    y, scale, zero_point = dynamic_quantize_linear(np.array([1e-45, 0.0], F))
    assert (y.tolist(), float(scale), int(zero_point)) == ([255, 0], 0.0, 0)


@settings(max_examples=200)
@given(arrays(F, 20, elements=st.floats(-(2.0**60), 2.0**60, width=32, allow_subnormal=False)))
def test_zero_is_exact_and_the_rest_within_a_step(x):
    """The zero point moves the range by at most half a step, and rounding moves a value by a further half step."""
    x[0] = 0
    y, scale, zero_point = dynamic_quantize_linear(x)
    if scale < 2.0**-100:
        return
    back = OnnxDynamic().dequantize(y, Parameters(scale, zero_point))
    assert back[0] == 0
    assert np.all(np.abs(back.astype(np.float64) - x) <= float(scale) * 1.0001)


@pytest.mark.parametrize(
    ("x", "argument"), [(np.zeros(3), "x"), (np.zeros(3, np.int8), "x"), (np.zeros((0, 3), F), "x")]
)
def test_refusals(x, argument):
    for function in (dynamic_parameters, dynamic_quantize_linear):
        with pytest.raises(QuantizerError) as caught:
            function(x)
        assert (caught.value.semantics, caught.value.argument) == ("onnx-dynamic", argument)


def test_semantics():
    x = np.array([[-1.0, 0.5], [2.0, 0.0]], F)
    semantics = OnnxDynamic()
    chosen = semantics.choose(x)
    y, scale, zero_point = dynamic_quantize_linear(x)
    assert np.array_equal(semantics.quantize(x, chosen), y)
    assert np.array_equal(semantics.dequantize(y, chosen), (y.astype(F) - F(zero_point)) * scale)
    wide = Parameters(scale.reshape(1), zero_point.reshape(1).astype(np.int64))
    assert np.array_equal(semantics.quantize(x, wide, "uint8"), y)
    with pytest.raises(QuantizerError, match="only uint8"):
        semantics.quantize(x, chosen, "int8")
    with pytest.raises(QuantizerError, match="only uint8"):
        semantics.dequantize(y.astype(np.int8), chosen)


@pytest.mark.parametrize(
    ("parameters", "argument"),
    [
        (Parameters(np.array([0.5], F), np.array([7], np.uint8)), "scale"),
        (Parameters(np.array([1.0], F), np.array([8], np.uint8)), "zero_point"),
        (Parameters(np.array([1.0], F)), "zero_point"),
        (Parameters(np.array([1.0], F), np.array([7], np.uint8), 0), "axis"),
    ],
)
def test_parameters_that_the_operator_did_not_choose_are_refused(parameters, argument):
    x = np.array([-7.0, 248.0, 3.5], F)
    assert OnnxDynamic().quantize(x, OnnxDynamic().choose(x)).tolist() == [0, 255, 11]
    with pytest.raises(QuantizerError) as caught:
        OnnxDynamic().quantize(x, parameters)
    assert (caught.value.semantics, caught.value.argument) == ("onnx-dynamic", argument)


def test_the_inverse_ignores_the_axis():
    with pytest.raises(QuantizerError, match="axis: is 0; the operator has one scale"):
        OnnxDynamic().dequantize(np.zeros(2, np.uint8), Parameters(np.ones(2, F), axis=0))

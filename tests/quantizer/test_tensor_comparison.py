"""Counts, findings and errors of ``compare``."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from litecheck.quantization import Quantization
from litecheck.quantizer import comparison_result as failure
from litecheck.quantizer import tensor_comparison as module
from litecheck.quantizer.causes.variants import Lookup, Recipe
from litecheck.quantizer.comparison_result import Bucket
from litecheck.quantizer.tensor_comparison import compare
from litecheck.quantizer.types import Parameters, QuantizerError


class HalfDown:
    """Semantics that no document has: half down."""

    name = "half-down"

    def quantize(self, x: Any, parameters: Parameters, dtype: str | None = None) -> Any:
        return np.ceil(x / parameters.scale - 0.5).astype(dtype)

    def dequantize(self, q: Any, parameters: Parameters, dtype: str | None = None) -> Any:
        return q * parameters.scale


ONE = Parameters(np.array([1], np.float32))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_extremes_of_every_type_are_compared_without_overflow(dtype):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    expected = np.array([[low, 5, high]], dtype)
    result = compare(expected, expected[:, ::-1].copy())
    assert (result.dtype, result.size, result.mismatches) == (dtype, 3, 2)
    assert (result.largest, result.first.index, result.worst.index) == (high - low, (0, 0), (0, 0))
    assert sum(bucket.count for bucket in result.histogram) == 2
    assert all(
        bucket.low <= (high - low) * (-1) ** (n + 1) <= bucket.high
        for n, bucket in enumerate(result.histogram)
    )
    assert compare(expected, expected).exact


@pytest.mark.parametrize("dtype", [None, "uint8"])
def test_bools_are_compared_as_0_and_1(dtype):
    expected = np.array([True, False, True])
    assert compare(expected, expected.copy(), dtype=dtype).mismatches == 0
    result = compare(expected, np.array([True, True, True]), dtype=dtype)
    assert (result.mismatches, result.first.index) == (1, (1,))


def test_counts_histogram_first_and_worst():
    expected = np.zeros((4, 5), np.int16)
    actual = expected.copy()
    actual[1, 2], actual[2, 0], actual[2, 1], actual[3, 4] = 1, -1, 1, -12
    result = compare(expected, actual, tolerance=1)
    assert (result.mismatches, result.beyond, result.share) == (4, 1, 0.2)
    assert (result.exact, result.within, result.exit_code) == (False, False, 1)
    assert result.histogram == (Bucket(-16, -9, 1), Bucket(-1, -1, 1), Bucket(1, 1, 2))
    assert (result.first.index, result.first.difference) == ((1, 2), 1)
    assert (result.worst.index, result.largest) == ((3, 4), -12)
    assert compare(expected, actual, tolerance=12).exit_code == 0
    assert compare(expected, np.clip(actual, -1, 1)).beyond == 4  # no tolerance by default


def test_real_values_are_quantized_first_and_the_quotient_is_exact():
    real = np.array([0.1, 0.65, -1.3], np.float32)
    parameters = Parameters(np.array([0.1], np.float32), np.array([3], np.int8))
    result = compare(real, np.array([4, 10, 7], np.int8), parameters)
    assert (result.semantics, result.mismatches) == ("litert", 2)
    worst = result.worst
    assert (worst.index, worst.expected, worst.actual) == ((2,), -10, 7)
    assert worst.quotient == Fraction(float(real[2])) / Fraction(float(np.float32(0.1)))
    assert (worst.real, worst.scale, worst.zero_point) == (float(real[2]), float(np.float32(0.1)), 3)
    assert worst.neighbours == (-10, -9)


def test_both_neighbours_of_a_whole_quotient_equal_it():
    element = compare(np.array([4], np.float32), np.array([5], np.int8), ONE).first
    assert (element.quotient, element.neighbours) == (4, (4, 4))


def test_integers_with_parameters_have_real_values():
    parameters = Parameters(np.array([0.5, 0.25], np.float32), np.array([1, -1]), 1)
    element = compare(np.array([[1, 3]], np.int8), np.array([[1, 4]], np.int8), parameters).first
    assert (element.real, element.scale, element.zero_point, element.quotient) == (1.0, 0.25, -1, None)


def test_the_parameters_of_a_model_and_a_user_defined_semantics():
    quantization = Quantization(np.array([2], np.float32), np.array([0]))
    real = np.array([1, 3, -1], np.float32)
    assert compare(real, np.array([0, 1, -1], np.int8), quantization, semantics=HalfDown()).exact
    assert not compare(real, np.array([0, 1, -1], np.int8), quantization).exact


def test_values_that_are_not_finite():
    real = np.array([np.nan, np.inf, -np.inf, 1], np.float32)
    result = compare(real, np.array([1, 127, -128, 1], np.int8), ONE)
    assert (result.mismatches, result.first.quotient, result.first.neighbours) == (1, None, None)


def test_four_bit_integers():
    values = np.array([[-8, 7, 0]], np.int8)
    result = compare(np.array([[-9, 7.5, 0]], np.float32), values, ONE, dtype="int4")
    assert (result.exact, result.dtype) == (True, "int4")
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert compare(values.astype(ml_dtypes.int4), values.astype(ml_dtypes.int4)).exact
    assert compare(values.astype(ml_dtypes.int4), np.array([[-8, 6, 0]], ml_dtypes.int4)).largest == -1


@pytest.mark.parametrize("shape", [(0,), (3, 0, 2)])
def test_tensors_without_elements_are_not_compared(shape):
    result = compare(np.zeros(shape, np.int8), np.zeros(shape, np.int8))
    assert (result.exact, result.within, result.share, result.exit_code) == (False, False, 0.0, 2)
    assert compare(np.zeros(shape, np.float32), np.zeros(shape, np.int8), ONE).exit_code == 2


def test_a_scalar():
    result = compare(np.array(3.0, np.float32), np.array(4, np.int8), ONE)
    assert (result.first.index, result.largest) == ((), 1)
    assert compare(np.array(3, np.int8), np.array(3, np.int8)).exact


INT8 = np.zeros((2, 3), np.int8)
REAL = np.zeros((2, 3), np.float32)


@pytest.mark.parametrize(
    ("arguments", "options", "argument", "message"),
    [
        ((INT8, INT8.T), {}, "shape", "expected has 2x3, actual has 3x2"),
        ((INT8, INT8.astype(np.uint8)), {}, "dtype", "expected holds int8, actual uint8"),
        ((INT8, REAL), {}, "actual", "holds float32, no stored integers; quantize it first"),
        ((INT8, INT8 > 0), {}, "actual", "holds bool"),
        ((REAL, INT8), {}, "quantization", "scale and zero point are needed"),
        ((INT8, INT8), {"tolerance": -1}, "tolerance", "cannot be negative"),
        ((INT8 + 9, INT8), {"dtype": "int4"}, "expected", "from 9 to 9, which is not int4"),
        ((INT8, INT8), {"dtype": "int16"}, "actual", "which is not int16"),
        ((INT8, INT8), {"dtype": "float8"}, "dtype", "float8 is not an integer type"),
        ((INT8, INT8, Parameters(np.ones(3, np.float32))), {}, "scale", "3 scales do not fit"),
        ((INT8, INT8, Parameters(np.ones(2, np.float32), None, 1)), {}, "scale", "2 scales along axis 1"),
        ((INT8, INT8, Parameters(np.ones(2, np.float32), None, 2)), {}, "axis", "2 is not an axis of 2"),
    ],
)  # fmt: skip
def test_inputs_that_cannot_be_compared(arguments, options, argument, message):
    with pytest.raises(QuantizerError) as error:
        compare(*arguments, **options)
    assert (error.value.semantics, error.value.argument) == ("compare", argument)
    assert message in str(error.value)


def test_tiles_give_the_same_as_the_whole(monkeypatch):
    random = np.random.default_rng(8)
    real = random.normal(0, 40, (3, 50, 7)).astype(np.float32).round(1)
    scale, zero = random.uniform(0.3, 0.9, 7).astype(np.float32), random.integers(-5, 5, 7)
    parameters = Parameters(scale, zero, 2)
    actual = np.clip(np.rint(real / scale) + zero + (random.random(real.shape) < 0.1), -128, 127).astype(
        np.int8
    )
    whole = compare(real, actual, parameters)
    for place in (failure, module):
        monkeypatch.setattr(place, "TILE", 64)
    assert compare(real, actual, parameters) == whole
    assert whole.mismatches > 64


def test_parameters_by_position_are_those_of_spread():
    """Per-axis and blocked parameters, with uneven last blocks, have the same value by position as from ``spread``."""
    random = np.random.default_rng(9)
    for shape, axis, block in (((3, 4, 5), 1, 0), ((3, 4, 5), -1, 2), ((7, 2), 0, 3), ((2, 9), 1, 4)):
        own = axis % len(shape)
        size = (
            tuple(-(-n // block) if i == own else n for i, n in enumerate(shape)) if block else (shape[own],)
        )
        parameters = Parameters(random.random(size), random.integers(-9, 9, size), axis, block)
        scale, zero = parameters.broadcast_to(shape)
        positions = random.permutation(int(np.prod(shape)))
        found = Lookup(parameters, shape).at(positions, Recipe())
        assert np.array_equal(found[0], np.broadcast_to(scale, shape).reshape(-1)[positions])
        assert np.array_equal(found[1], np.broadcast_to(zero, shape).reshape(-1)[positions])

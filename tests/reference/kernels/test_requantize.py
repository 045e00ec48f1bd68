"""QUANTIZE from integers to integers: the ratio of the scales as a 31-bit multiplier, rounded twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from litecheck.model.build import qparams
from litecheck.quantization import Quantization
from litecheck.reference.kernels.quantize import requantize
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Operand, OutputSpec


def requantized(q: NDArray[Any], source: Quantization, target: Quantization, dtype: str) -> NDArray[Any]:
    wanted = OutputSpec(dtype, q.shape, target)
    return requantize(Operand(q, q.dtype.name, source), wanted, {"requantize": "double"})


@pytest.mark.parametrize(
    ("source", "target", "ratio", "zeros", "pairs"),
    [
        (
            "int8",
            "int8",
            0.5,
            (0, 0),
            {1: 1, -1: 0, 3: 2, -3: -1, 127: 64, -128: -64},
        ),  # halves up: one rounding
        (
            "int8",
            "int8",
            0.25,
            (0, 0),
            {2: 1, -2: -1, 1: 1, -1: 0, 6: 2, -6: -2},
        ),  # twice rounded: 1/4 -> 1/2 -> 1
        ("int8", "uint8", 1.0, (-128, 0), {-128: 0, 0: 128, 127: 255}),
        ("uint8", "int8", 1.0, (128, 0), {0: -128, 255: 127}),
        ("int8", "uint8", 2.0, (-128, 0), {127: 255, -127: 2}),
        ("int16", "int8", 1 / 256, (0, -3), {32767: 125, -32768: -128, 0: -3}),
        ("int16", "int32", 1.0, (0, 7), {-5: 2}),
        ("int16", "int16", 3.0, (0, 0), {20000: 32767, -7: -21}),
        ("int32", "int16", 2.0**-16, (0, 0), {2**31 - 1: 32767, -(2**31): -32768, 32768: 1}),
        ("int8", "int8", 2.0**-40, (0, 9), {127: 9, -128: 9}),
    ],
)
def test_requantized_values(
    source: str, target: str, ratio: float, zeros: tuple[int, int], pairs: dict[int, int]
) -> None:
    q = np.array(list(pairs), source)
    made = requantized(q, qparams(ratio, zeros[0]), qparams(1, zeros[1]), target)
    assert made.dtype == NUMPY_TYPES[target]
    assert made.tolist() == list(pairs.values())


@given(st.integers(-128, 127), st.integers(-128, 127), st.floats(0.25, 4, width=32))
def test_requantizing_is_within_one_step_of_the_real_value(zero: int, zero_out: int, scale: float) -> None:
    q = np.arange(-128, 128).astype(np.int8)
    made = requantized(q, qparams(scale, zero), qparams(1, zero_out), "int8").astype(np.int64)
    exact = ((q.astype(np.int64) - zero) * float(np.float32(scale)) + zero_out).clip(-128, 127)
    assert (abs(made - exact) <= 1).all()
    assert (np.diff(made) >= 0).all()


@pytest.mark.parametrize("source", ["int8", "uint8", "int16", "int32"])
def test_large_arrays_are_requantized_as_small_ones(source: str) -> None:
    """Large arrays in any memory layout equal the outputs of small arrays."""
    ends = np.iinfo(source)
    q = np.random.default_rng(5).integers(ends.min, ends.max, (257, 300), endpoint=True).astype(source).T
    to = "int16" if source == "int16" else "int8"
    parameters = qparams(0.3, 0), qparams(0.7, 0)
    made = requantized(q, *parameters, to)
    rows = [requantized(row, *parameters, to) for row in q]
    np.testing.assert_array_equal(made, np.stack(rows))


def test_requantizing_to_the_same_parameters_changes_nothing() -> None:
    q = np.arange(-128, 128).astype(np.int8)
    np.testing.assert_array_equal(requantized(q, qparams(0.3, 5), qparams(0.3, 5), "int8"), q)

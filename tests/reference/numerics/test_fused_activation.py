"""Bounds of fused activations, in steps of the output."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.quantization import Quantization
from litecheck.reference.numerics.fused_activation import (
    activate_real,
    activation_bounds,
    clamp_real,
    stored_bounds,
)
from litecheck.reference.runtime_tensors import OutputSpec


def options(code: int) -> Table:
    return Table("AddOptions", {"fused_activation_function": code})


def spec(scale: float, zero_point: int, dtype: str = "int8") -> OutputSpec:
    return OutputSpec(dtype, (), Quantization(np.float32([scale]), np.int64([zero_point])))


@pytest.mark.parametrize(
    ("code", "expected"),
    [(0, (-np.inf, np.inf)), (1, (0, np.inf)), (2, (-1, 1)), (3, (0, 6)), (4, (-np.inf, np.inf))],
)
def test_real_bounds(code: int, expected: tuple[float, float]) -> None:
    assert activation_bounds(options(code)) == expected
    assert activation_bounds(None) == (-np.inf, np.inf)


@pytest.mark.parametrize(
    ("code", "output", "expected"),
    [
        (0, spec(0.5, 4), (-128, 127)),
        (1, spec(0.5, 4), (4, 127)),
        (2, spec(0.5, 4), (2, 6)),
        (3, spec(0.5, 4), (4, 16)),
        (3, spec(0.01, -128), (-128, 127)),  # 6 is beyond the type
        (1, spec(0.5, -200), (-128, 127)),
        (3, spec(0.5, 4, "uint8"), (4, 16)),
        (3, spec(0.001, 0, "int16"), (0, 6000)),
        (3, spec(4.0, 1), (1, 3)),  # 1.5 steps round away from zero
        (2, spec(2.0, 1), (0, 2)),  # -0.5 and 0.5 steps
    ],
)
def test_stored_bounds(code: int, output: OutputSpec, expected: tuple[int, int]) -> None:
    assert stored_bounds(options(code), output) == expected


@pytest.mark.parametrize(
    ("code", "output", "expected"),
    [
        (3, spec(4.0, 1), (1, 2)),
        (3, spec(4.0, 2), (2, 4)),
        (2, spec(2.0, 1), (0, 2)),
        (2, spec(2.0, 2), (2, 2)),
    ],
)
def test_bounds_half_to_even(code: int, output: OutputSpec, expected: tuple[int, int]) -> None:
    """The sum with the zero point is rounded: 1.5 + 1 to 2, 1.5 + 2 to 4; -0.5 + 1 to 0, 0.5 + 1 to 2."""
    assert stored_bounds(options(code), output, half_even=True) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [(0, [-9, -0.5, 0.5, 9]), (1, [0, 0, 0.5, 9]), (2, [-1, -0.5, 0.5, 1]), (3, [0, 0, 0.5, 6])],
)
def test_unquantized_values(code: int, expected: list[float]) -> None:
    made = clamp_real(np.float32([-9, -0.5, 0.5, 9]), options(code))
    assert made.tolist() == expected
    assert made.dtype == np.float32


@pytest.mark.parametrize(
    ("code", "expected"), [(0, [0, 3, 9]), (1, [0, 3, 9]), (2, [1, 1, 1]), (3, [0, 3, 6])]
)
def test_a_bound_of_minus_1_is_the_largest_unsigned_integer(code: int, expected: list[int]) -> None:
    made = clamp_real(np.uint32([0, 3, 9]), options(code))
    assert made.tolist() == expected
    assert made.dtype == np.uint32


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (0, [-3, 0, 7]), (1, [0, 0, 7]), (2, [-1, 0, 1]), (3, [0, 0, 6]),
        (4, [-0.9950547814369202, 0, 0.9999983310699463]), (5, [1, 0, 0]),
    ],
)  # fmt: skip
def test_activations_of_reals(code: int, expected: list[float]) -> None:
    found = activate_real(np.float32([-3, 0, 7]), options(code))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-7)


def test_no_options_are_no_activation() -> None:
    assert activate_real(np.float32([-3, 7]), None).tolist() == [-3, 7]

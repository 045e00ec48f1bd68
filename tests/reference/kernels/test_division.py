"""DIV, FLOOR_DIV and FLOOR_MOD, with numbers calculated by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.reference.kernels.division import SHIFTS, div, div_plain, floor_div, floor_mod
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError
from tests.reference.kernels.layers import RELU, output, real, stored

USUAL = {"shift": "exact", "multiplier": "float32", "by_zero": "refused"}


def divided(lhs: Operand, rhs: Operand, spec: OutputSpec, fused: int = 0, **variants: str) -> list[Any]:
    options = Table("DivOptions", {"fused_activation_function": fused})
    return div(lhs, rhs, spec, options, {**USUAL, **variants}).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("lhs", "rhs", "expected"),
    [
        # (6 * 0.5) / (4 * 0.25) is 3 or 24 steps of 0.125
        ([6, -6, 6, -6], [4, 4, -4, -4], [24, -24, -24, 24]),
        ([0, 1, -1], [4, 4, 4], [0, 4, -4]),
        ([1, 2, 5], [127, 127, 127], [0, 0, 1]),
        ([100, -100], [1, 1], [127, -128]),
        ([7], [3, -3], [37, -37]),
        ([-128, 127], [-128, 127], [16, 16]),
    ],
)
def test_quotients(lhs: list[int], rhs: list[int], expected: list[int]) -> None:
    assert divided(stored(lhs, 0.5), stored(rhs, 0.25), output(0.125)) == expected


def test_zero_points() -> None:
    assert divided(stored([9, -3], 0.5, 3), stored([-1, -1], 0.25, -5), output(0.125, 10)) == [34, -14]


def test_fused_activation() -> None:
    assert divided(stored([6, -6], 0.5), stored([4, 4], 0.25), output(0.125, -7), RELU) == [17, -7]


@pytest.mark.parametrize(("dtype", "limit"), [("int8", 127), ("uint8", 255), ("int16", 32767)])
def test_types(dtype: str, limit: int) -> None:
    made = divided(
        stored([100], 0.5, dtype=dtype), stored([1], 2.0**-10, dtype=dtype), output(0.125, dtype=dtype)
    )
    assert made == [limit]


def test_a_divisor_of_zero() -> None:
    lhs, rhs = stored([6], 0.5), stored([4, 2], 0.25, 2)
    with pytest.raises(RunError, match="division by zero"):
        divided(lhs, rhs, output(0.125))
    made = divided(lhs, rhs, output(0.125), by_zero="reciprocal")
    assert made[0] == 48
    assert divided(stored([0], 0.5), rhs, output(0.125), by_zero="reciprocal") == [0, 0]


def test_precision_of_the_multiplier() -> None:
    """90 / 3 / 3 is 10 with the multiplier 1 / 9 in either precision."""
    lhs, rhs = stored([90], 1.0, dtype="int16"), stored([1], 3.0, dtype="int16")
    for name in ("float32", "float64"):
        assert divided(lhs, rhs, output(3.0, dtype="int16"), multiplier=name) == [10]


@pytest.mark.parametrize(
    ("name", "x", "bits", "expected"),
    [
        ("exact", [6, -6, 5, -5, 7], 2, [2, -2, 1, -1, 2]),
        ("exact", [3], 0, [3]),
        ("exact", [3, -3], -2, [12, -12]),
        ("exact", [5, -5], 40, [0, 0]),
        ("exact", [5, -5], 99, [0, 0]),
        ("exact", [1], -40, [1 << 31]),
        ("word", [6, -6, 5, -5, 7], 2, [2, -2, 1, -1, 2]),
        ("word", [3], 0, [3]),
        # the shift counts modulo 32, and the remainder is the value itself
        ("word", [5, -5, 0], 33, [2 + 1, -3, 1]),
    ],
)
def test_shifts(name: str, x: list[int], bits: int, expected: list[int]) -> None:
    values = np.array(x, np.int64)
    assert SHIFTS[name](values, np.full(len(x), bits)).tolist() == expected


def test_integers_are_truncated_towards_zero() -> None:
    lhs, rhs = stored([7, -7, 7, -7, 0], dtype="int32"), stored([2, 2, -2, -2, 5], dtype="int32")
    made = div_plain(lhs, rhs, output(dtype="int32"), None)
    assert (made.tolist(), made.dtype) == ([3, -3, -3, 3, 0], np.int32)
    with pytest.raises(RunError, match="division by zero"):
        div_plain(lhs, stored([2, 2, 0, 1, 1], dtype="int32"), output(dtype="int32"), None)


def test_reals_are_divided_and_clamped() -> None:
    options = Table("DivOptions", {"fused_activation_function": RELU})
    made = div_plain(real([3, -3, 1]), real([2, 2, 0]), OutputSpec("float32", ()), options)
    assert made.tolist() == [1.5, 0.0, np.inf]


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32"])
def test_floor_of_integers(dtype: str) -> None:
    lhs, rhs = stored([7, -7, 7, -7], dtype=dtype), stored([2, 2, -2, -2], dtype=dtype)
    made = floor_div(lhs, rhs, output(dtype=dtype))
    assert (made.tolist(), made.dtype) == ([3, -4, -4, 3], np.dtype(dtype))
    made = floor_mod(lhs, rhs, output(dtype=dtype))
    assert (made.tolist(), made.dtype) == ([1, 1, -1, -1], np.dtype(dtype))
    for kernel in (floor_div, floor_mod):
        with pytest.raises(RunError, match="division by zero"):
            kernel(lhs, stored([2, 0, 1, 1], dtype=dtype), output(dtype=dtype))


def test_floor_of_reals() -> None:
    lhs, rhs = real([7, -7, 7, -7, 6, -6, 0]), real([2, 2, -2, -2, 3, 3, -3])
    spec = OutputSpec("float32", ())
    made = floor_div(lhs, rhs, spec)
    assert (made.tolist(), made.dtype) == ([3, -4, -4, 3, 2, -2, 0], np.float32)
    assert floor_mod(lhs, rhs, spec).tolist() == [1, 1, -1, -1, 0, 0, 0]
    assert floor_div(real([1, -1]), real([0, 0]), spec).tolist() == [np.inf, -np.inf]


def test_remainders_of_int64() -> None:
    """The smallest integer by -1 overflows in a division: the remainder is 0."""
    least = -(2**63)
    lhs = stored([7, -7, least, 5, 2**62 + 1], dtype="int64")
    rhs = stored([-2, 2, -1, -1, 2**40], dtype="int64")
    assert floor_mod(lhs, rhs, output(dtype="int64")).tolist() == [-1, 1, 0, 0, 1]

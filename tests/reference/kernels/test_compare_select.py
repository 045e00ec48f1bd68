"""Comparisons, choices and operators on bits, each with a table worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.reference.kernels import compare_select
from litecheck.reference.kernels.compare_select import COMPARISONS, Scaled
from litecheck.reference.runtime_tensors import RunError

from .layers import output, real, stored

OUT = output()
#: Comparison of a smaller, an equal and a larger left side.
ASKED = {
    "EQUAL": [False, True, False], "NOT_EQUAL": [True, False, True], "LESS": [True, False, False],
    "LESS_EQUAL": [True, True, False], "GREATER": [False, False, True], "GREATER_EQUAL": [False, True, True],
}  # fmt: skip


@pytest.mark.parametrize("opcode", COMPARISONS)
@pytest.mark.parametrize("rounding", ["double", "single"])
def test_real_values_are_compared(opcode: str, rounding: str) -> None:
    """(0, 3, 5 less 1) * 0.5 with (4 less 0) * 0.25: -0.5, 1 and 2 with 1."""
    multiplier = {0.5: (1 << 30, 0), 0.25: (1 << 30, -1)}
    formula = Scaled(COMPARISONS[opcode], (1, 0), (multiplier[0.5], multiplier[0.25]), rounding)
    assert formula(np.int64([0, 3, 5]), np.int64([4, 4, 4])).tolist() == ASKED[opcode]
    quantized, plain = compare_select._comparison(opcode)
    lhs, rhs = stored([0, 3, 5], 0.5, 1), stored([4, 4, 4], 0.25)
    assert quantized(lhs, rhs, output(dtype="bool"), {"rescale": rounding}).tolist() == ASKED[opcode]
    values = stored([3, 4, 5], 0.5, 1), stored([4], 9.0)
    assert plain(*values, output(dtype="bool")).tolist() == ASKED[opcode]


def test_values_that_differ_by_less_than_a_256th_are_equal() -> None:
    quantized, _ = compare_select._comparison("EQUAL")
    for step, expected in ((1 / 1024, True), (1 / 64, False)):
        made = quantized(stored([1], step), stored([0], 1.0), output(dtype="bool"), {"rescale": "single"})
        assert made.tolist() == [expected]


def test_int16_without_scales_is_compared_as_stored() -> None:
    quantized, _ = compare_select._comparison("EQUAL")
    lhs, rhs = stored([5, 6], [], 0, "int16"), stored([5, 5], [], 3, "int16")
    assert quantized(lhs, rhs, output(dtype="bool"), {"rescale": "double"}).tolist() == [True, False]


def test_the_larger_and_the_smaller() -> None:
    lhs, rhs = stored([[-3], [4]]), stored([1, -5, 4])
    assert compare_select.maximum(lhs, rhs, OUT).tolist() == [[1, -3, 4], [4, 4, 4]]
    assert compare_select.minimum(lhs, rhs, OUT).tolist() == [[-3, -5, -3], [1, -5, 4]]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ([True, False], [[1, 2], [7, 8]]),
        (True, [[1, 2], [3, 4]]),
        ([[False, True], [True, False]], [[5, 2], [3, 8]]),
    ],
)
def test_select(condition: Any, expected: Any) -> None:
    """A condition with one dimension chooses rows."""
    asked = stored(condition, dtype="bool")
    assert (
        compare_select.select(asked, stored([[1, 2], [3, 4]]), stored([[5, 6], [7, 8]]), OUT).tolist()
        == expected
    )


def test_select_v2_broadcasts() -> None:
    asked = stored([True, False], dtype="bool")
    assert compare_select.select_v2(asked, stored([[1, 2], [3, 4]]), stored([9]), OUT).tolist() == [
        [1, 9],
        [3, 9],
    ]


def test_where() -> None:
    assert compare_select.where(stored([[0, 2], [3, 0]]), OUT).tolist() == [[0, 1], [1, 0]]


def test_logic_and_bits() -> None:
    lhs, rhs = (
        stored([False, False, True, True], dtype="bool"),
        stored([False, True, False, True], dtype="bool"),
    )
    assert compare_select.logical_and(lhs, rhs, OUT).tolist() == [False, False, False, True]
    assert compare_select.logical_or(lhs, rhs, OUT).tolist() == [False, True, True, True]
    assert compare_select.bitwise_xor(stored([6, -1]), stored([3, 5]), OUT).tolist() == [5, -6]


@pytest.mark.parametrize(
    ("dtype", "x", "by", "expected"),
    [("int8", -128, 3, -16), ("int8", -128, 7, -1), ("int8", 64, 9, 0), ("int8", 64, -2, 64), ("uint8", 200, 7, 1),
     ("int16", -32768, 15, -1), ("int16", 16384, 14, 1)],
)  # fmt: skip
def test_a_shift_stays_within_the_width(dtype: str, x: int, by: int, expected: int) -> None:
    made = compare_select.right_shift(stored([x], dtype=dtype), stored([by], dtype="int8"), OUT)
    assert made.tolist() == [expected]


@pytest.mark.parametrize(
    ("base", "exponent", "expected"),
    [
        (3, 4, 81),
        (-2, 31, -(2**31)),
        (2, 30, 2**30),
        (2, 31, -(2**31)),
        (-3, 3, -27),
        (0, 0, 1),
        (7, 40, -(2**31)),
    ],
)
def test_powers_of_integers(base: int, exponent: int, expected: int) -> None:
    """A power beyond int32 is the smallest int32."""
    lhs, rhs = stored([base], dtype="int32"), stored([exponent], dtype="int32")
    assert compare_select.power(lhs, rhs, output(dtype="int32")).tolist() == [expected]


def test_powers() -> None:
    assert compare_select.power(real([4.0, 2.0]), real([0.5, -1.0]), output(dtype="float32")).tolist() == [
        2.0,
        0.5,
    ]
    with pytest.raises(RunError, match="an int32 exponent is negative"):
        compare_select.power(
            stored([2, 2], dtype="int32"), stored([1, -1], dtype="int32"), output(dtype="int32")
        )


def test_angles() -> None:
    made = compare_select.atan2(real([0.0, 1.0, 0.0]), real([1.0, 0.0, -1.0]), output(dtype="float32"))
    np.testing.assert_allclose(made, [0.0, np.pi / 2, np.pi], rtol=1e-6)
    with pytest.raises(RunError, match=r"shapes \[1\] and \[2\] differ"):
        compare_select.atan2(real([1.0]), real([1.0, 2.0]), output(dtype="float32"))


def test_a_sum_of_several() -> None:
    first = real([1.0, 2.0])
    assert compare_select.add_n((first, real([3.0, 4.0]), real([5.0, 6.0])), OUT).tolist() == [9.0, 12.0]
    assert first.data.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("exponents", "expected"), [([2], [9, 1073741824, -2147479015]), ([2, 2, 2], [9, 1073741824, -(2**31)])]
)
def test_a_single_exponent_wraps_and_several_do_not(exponents: list[int], expected: list[int]) -> None:
    """46341^2 = 2^31 + 4633, which wraps to -2^31 + 4633."""
    made = compare_select.power(
        stored([3, 32768, 46341], [], 0, "int32"), stored(exponents, [], 0, "int32"), output(dtype="int32")
    )
    assert made.tolist() == expected

"""Elementwise operators without rescaling, each with a table calculated by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.reference.kernels import elementwise
from litecheck.reference.runtime_tensors import RunError

from .layers import output, real, stored

OUT = output()


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ([True, False], [[1, 2], [7, 8]]),
        (True, [[1, 2], [3, 4]]),
        ([[False, True], [True, False]], [[5, 2], [3, 8]]),
    ],
)
def test_select(condition: Any, expected: Any) -> None:
    """A condition of a single dimension selects rows."""
    selector = stored(condition, dtype="bool")
    assert (
        elementwise.select(selector, stored([[1, 2], [3, 4]]), stored([[5, 6], [7, 8]]), OUT).tolist()
        == expected
    )


def test_select_v2_broadcasts() -> None:
    selector = stored([True, False], dtype="bool")
    assert elementwise.select_v2(selector, stored([[1, 2], [3, 4]]), stored([9]), OUT).tolist() == [
        [1, 9],
        [3, 9],
    ]


def test_where() -> None:
    assert elementwise.where(stored([[0, 2], [3, 0]]), OUT).tolist() == [[0, 1], [1, 0]]


def test_logic_and_bits() -> None:
    lhs, rhs = (
        stored([False, False, True, True], dtype="bool"),
        stored([False, True, False, True], dtype="bool"),
    )
    assert elementwise.logical_and(lhs, rhs, OUT).tolist() == [False, False, False, True]
    assert elementwise.logical_or(lhs, rhs, OUT).tolist() == [False, True, True, True]
    assert elementwise.bitwise_xor(stored([6, -1]), stored([3, 5]), OUT).tolist() == [5, -6]


@pytest.mark.parametrize(
    ("dtype", "x", "by", "expected"),
    [("int8", -128, 3, -16), ("int8", -128, 7, -1), ("int8", 64, 9, 0), ("int8", 64, -2, 64), ("uint8", 200, 7, 1),
     ("int16", -32768, 15, -1), ("int16", 16384, 14, 1)],
)  # fmt: skip
def test_a_shift_stays_within_the_width(dtype: str, x: int, by: int, expected: int) -> None:
    made = elementwise.right_shift(stored([x], dtype=dtype), stored([by], dtype="int8"), OUT)
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
    assert elementwise.power(lhs, rhs, output(dtype="int32")).tolist() == [expected]


def test_powers() -> None:
    assert elementwise.power(real([4.0, 2.0]), real([0.5, -1.0]), output(dtype="float32")).tolist() == [
        2.0,
        0.5,
    ]
    with pytest.raises(RunError, match="an int32 exponent is negative"):
        elementwise.power(
            stored([2, 2], dtype="int32"), stored([1, -1], dtype="int32"), output(dtype="int32")
        )


def test_angles() -> None:
    made = elementwise.atan2(real([0.0, 1.0, 0.0]), real([1.0, 0.0, -1.0]), output(dtype="float32"))
    np.testing.assert_allclose(made, [0.0, np.pi / 2, np.pi], rtol=1e-6)
    with pytest.raises(RunError, match=r"shapes \[1\] and \[2\] differ"):
        elementwise.atan2(real([1.0]), real([1.0, 2.0]), output(dtype="float32"))


def test_a_sum_of_several() -> None:
    first = real([1.0, 2.0])
    assert elementwise.add_n((first, real([3.0, 4.0]), real([5.0, 6.0])), OUT).tolist() == [9.0, 12.0]
    assert first.data.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("exponents", "expected"), [([2], [9, 1073741824, -2147479015]), ([2, 2, 2], [9, 1073741824, -(2**31)])]
)
def test_a_single_exponent_wraps_and_several_do_not(exponents: list[int], expected: list[int]) -> None:
    """46341^2 = 2^31 + 4633, which wraps to -2^31 + 4633."""
    made = elementwise.power(
        stored([3, 32768, 46341], [], 0, "int32"), stored(exponents, [], 0, "int32"), output(dtype="int32")
    )
    assert made.tolist() == expected

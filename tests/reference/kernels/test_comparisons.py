"""Comparisons of two operands, each with a table calculated by hand."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.reference.kernels import comparisons
from litecheck.reference.kernels.comparisons import COMPARISONS, ScaledComparison

from .layers import output, stored

OUT = output()
#: Comparison of a smaller, an equal and a larger left operand.
EXPECTED = {
    "EQUAL": [False, True, False], "NOT_EQUAL": [True, False, True], "LESS": [True, False, False],
    "LESS_EQUAL": [True, True, False], "GREATER": [False, False, True], "GREATER_EQUAL": [False, True, True],
}  # fmt: skip


@pytest.mark.parametrize("opcode", COMPARISONS)
@pytest.mark.parametrize("rounding", ["double", "single"])
def test_real_values_are_compared(opcode: str, rounding: str) -> None:
    """(0, 3, 5 minus 1) * 0.5 compared with (4 minus 0) * 0.25: -0.5, 1 and 2 with 1."""
    multiplier = {0.5: (1 << 30, 0), 0.25: (1 << 30, -1)}
    formula = ScaledComparison(COMPARISONS[opcode], (1, 0), (multiplier[0.5], multiplier[0.25]), rounding)
    assert formula(np.int64([0, 3, 5]), np.int64([4, 4, 4])).tolist() == EXPECTED[opcode]
    quantized, plain = comparisons._comparison(opcode)
    lhs, rhs = stored([0, 3, 5], 0.5, 1), stored([4, 4, 4], 0.25)
    assert quantized(lhs, rhs, output(dtype="bool"), {"rescale": rounding}).tolist() == EXPECTED[opcode]
    values = stored([3, 4, 5], 0.5, 1), stored([4], 9.0)
    assert plain(*values, output(dtype="bool")).tolist() == EXPECTED[opcode]


def test_values_that_differ_by_less_than_a_256th_are_equal() -> None:
    quantized, _ = comparisons._comparison("EQUAL")
    for step, expected in ((1 / 1024, True), (1 / 64, False)):
        made = quantized(stored([1], step), stored([0], 1.0), output(dtype="bool"), {"rescale": "single"})
        assert made.tolist() == [expected]


def test_int16_without_scales_is_compared_as_stored() -> None:
    quantized, _ = comparisons._comparison("EQUAL")
    lhs, rhs = stored([5, 6], [], 0, "int16"), stored([5, 5], [], 3, "int16")
    assert quantized(lhs, rhs, output(dtype="bool"), {"rescale": "double"}).tolist() == [True, False]


def test_the_larger_and_the_smaller() -> None:
    lhs, rhs = stored([[-3], [4]]), stored([1, -5, 4])
    assert comparisons.maximum(lhs, rhs, OUT).tolist() == [[1, -3, 4], [4, 4, 4]]
    assert comparisons.minimum(lhs, rhs, OUT).tolist() == [[-3, -5, -3], [1, -5, 4]]

"""The words that pages have of an operator's row."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from litecheck.rendering.wording.operator_lines import OperatorLine, operator_cells, operator_words
from litecheck.suite.case_outcome import CaseOutcome

ENDS = {CaseOutcome.PASSED: 3, CaseOutcome.BROKE_DOWN: 1, CaseOutcome.HUNG: 0}
LINE = OperatorLine(
    "npu", "ADD", "int8", "", "fails", ENDS, 1.0, -3.0, "LSB", "tflm\x1b", "proved", (0, 2)
)  # fmt: skip


def test_words_of_a_row() -> None:
    """Outcomes that do not occur are omitted, pages have their codes, and the sign is that of the verdict."""
    assert operator_words(LINE) == {
        "opcode": "ADD", "kind": "int8", "weights": "", "verdict": "fails", "sign": "≠",
        "ends": {"passed": 3, "broke down": 1},
        "tolerance": 1.0, "allowed": "1 LSB", "size": 3.0, "worst": "3 LSB", "arithmetic": "tflm\\x1b",
        "placement": "proved", "positions": [0, 2],
    }  # fmt: skip
    assert LINE.cases == 4
    assert "3 passed, 1 crashed on an invalid model" in operator_cells(LINE)


@pytest.mark.parametrize("worst", [math.inf, -math.inf])
def test_a_difference_that_is_not_finite(worst: float) -> None:
    assert operator_words(replace(LINE, worst=worst))["size"] == "inf"

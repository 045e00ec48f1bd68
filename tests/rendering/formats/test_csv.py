"""CSV: columns, numbers and cells that a spreadsheet would take for formulas."""

from __future__ import annotations

import csv
import io
from types import SimpleNamespace
from typing import Any

from litecheck.rendering.formats.csv import FORMAT
from litecheck.rendering.wording.operator_lines import OperatorLine
from litecheck.suite.case_outcome import CaseOutcome
from tests.rendering.formats.conftest import Compare

HEAD = ["device", "operator", "type", "weights", "verdict", "cases", "passed", "failed", "tolerance", "worst", "unit",
        "arithmetic", "placement"]  # fmt: skip


def rows(*lines: Any) -> list[list[str]]:
    sheet = SimpleNamespace(operators=lambda: lines)
    return list(csv.reader(io.StringIO(FORMAT.render(sheet))))  # type: ignore[arg-type]


def line(**fields: Any) -> OperatorLine:
    known: dict[str, Any] = {
        "device": "npu", "opcode": "ADD", "kind": "int8", "granularity": "", "verdict": "fails", "cases": 12_000,
        "ends": {CaseOutcome.PASSED: 11_999, CaseOutcome.FAILED: 1},
        "tolerance": 0.5, "worst": 3.0, "unit": "LSB", "arithmetic": "tflm",
        "placement": "proved", "model": "",
    }  # fmt: skip
    return SimpleNamespace(**(known | fields))  # type: ignore[return-value]


def test_whole_reports(same_as_golden: Compare) -> None:
    same_as_golden("csv", "csv")


def test_a_line_for_each_operator() -> None:
    """Numbers have no thousands separators, because a spreadsheet must add them."""
    cells = ["npu", "ADD", "int8", "", "fails", "12000", "11999", "1", "0.5", "3", "LSB", "tflm", "proved"]
    assert rows(line()) == [HEAD, cells]


def test_several_models_have_a_column() -> None:
    """The column of models exists if any line names a model."""
    found = rows(line(), line(model="a.tflite"))
    assert [row[:2] for row in found] == [["model", "device"], ["", "npu"], ["a.tflite", "npu"]]


def test_no_lines() -> None:
    assert rows() == [[h for h in HEAD if h not in ("passed", "failed")]]


def test_cells_are_no_formulas() -> None:
    shown = [rows(line(device=text))[1][0] for text in ("=1+1", "+1", "-1", "@a", "a=1")]
    assert shown == ["'=1+1", "'+1", "'-1", "'@a", "a=1"]

"""Counts of a run: computed cases, endings of the remaining valid cases, and the first message."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.devices.outcome import Outcome
from litecheck.suite.manifest import Suite
from litecheck.suite.run_summary import summarize
from tests.suite.recorded import OPERATORS, recorded


@pytest.mark.parametrize(
    ("failing", "idle"), [((), False), (OPERATORS[:1], False), (OPERATORS, True)], ids=["none", "one", "all"]
)
def test_valid_cases_are_counted(failing: tuple[str, ...], idle: bool, small: Suite, tmp_path: Path) -> None:
    valid = [case for case in small.manifest.cases if not case.broken]
    outcomes = {
        case.name: Outcome.REFUSED.value if case.broken or case.opcode in failing else "answered"
        for case in small.manifest.cases
    }
    found = summarize(small, recorded(small, tmp_path / "results", outcomes=outcomes))
    refused = sum(case.opcode in failing for case in valid)
    assert (found.cases, found.results) == (len(small.manifest.cases),) * 2
    assert (found.valid, found.computed) == (len(valid), len(valid) - refused)
    assert found.outcomes == ({"refused": refused} if refused else {})
    assert found.message == ("so it ended" if refused else "")
    assert found.idle is idle


def test_cases_without_a_result_are_not_counted(small: Suite, tmp_path: Path) -> None:
    found = summarize(small, recorded(small, tmp_path / "results", missing=OPERATORS))
    assert (found.results, found.valid, found.idle) == (0, 0, False)

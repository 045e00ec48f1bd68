"""First lines of suites: the end of a run in one line."""

from __future__ import annotations

import pytest

from litecheck.rendering.suite.headline import run_sentence
from litecheck.suite.run_summary import RunSummary


@pytest.mark.parametrize(
    ("summary", "told"),
    [
        (RunSummary(52, 52, 3, 3, {}), "results of 52 of 52 cases"),
        (
            RunSummary(52, 9, 3, 1, {"refused": 1, "crashed": 1}, "exit status 3\n\nno memory"),
            "results of 9 of 52 cases; 1 of 3 valid cases computed, 1 refused, 1 crashed: exit status 3; no memory",
        ),
        (
            RunSummary(52, 3, 3, 0, {"timed out": 3}),
            "results of 3 of 52 cases; 0 of 3 valid cases computed, 3 timed out",
        ),
    ],
)
def test_the_end_of_a_run(summary: RunSummary, told: str) -> None:
    assert run_sentence(summary) == told

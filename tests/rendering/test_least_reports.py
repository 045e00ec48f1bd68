"""Reports with no optional part, whole: no empty heading, table or list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from litecheck.devices.outcome import Outcome
from litecheck.diagnosis.result import Diagnosis, Hypothesis, OperatorDiagnosis
from litecheck.rendering.formats import render
from litecheck.report import ModelReport, OperatorReport, Report
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.mutation_coverage import MutantCoverage, MutationCoverage
from litecheck.suite.verdict import CaseVerdict, OperatorRow, SuiteReport
from litecheck.verification.result import Verdict, Verification
from tests.rendering.differences.test_differences import SAME
from tests.rendering.page_reader import content
from tests.rendering.test_run import record
from tests.rendering.tracing.traces import GOOD

EXACT = Verdict("0000-ADD", 0, (0,), ("ADD",), "sum", Outcome.EXACT, 5, ("random",), "tflm", fits=("tflm",))
NAMED = OperatorDiagnosis("ADD", "int8", ("round",), 1, 5, (Hypothesis((("round", "floor"),)),))
PASSED = CaseVerdict(
    "ADD/int8/plain", "ADD", "int8", "", "plain", CaseOutcome.PASSED, 5, 0, "tflm", ("tflm",)
)
KILLED = MutantCoverage("ADD", "int8", "m", "does", "c", 1, 9)
REPORTS: dict[str, Any] = {
    "diagnosis": Diagnosis("1", "d", "d", (), 0, (NAMED,)),
    "difference": SAME,
    "mutation": MutationCoverage("1", "", "p", "smoke", "tflm", 1, 2, (KILLED,)),
    "run": record(statistics=False, target=None),
    "suite": SuiteReport(
        "1", "p", "smoke", 0, "", "", "", "d", "d", "", ("tflm",),
        (OperatorRow("ADD", "int8", "", {"passed": 1}, "tflm", ("tflm",)),), (PASSED,),
    ),
    "trace": GOOD,
    "validation": Report("1", (ModelReport("m.tflite", "", 1, ("p",), (OperatorReport(0, 0, "ADD", "sum", "conforms"),)),)),
    "verification": Verification("1", "m", "", "d", "d", ("tflm",), "operators", "random", (EXACT,)),
}  # fmt: skip


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
@pytest.mark.parametrize("name", REPORTS)
def test_least_reports(name: str, form: str, golden: Callable[[str, str], None]) -> None:
    text = render(REPORTS[name], form)
    golden(f"least.{name}.{form}.txt", content(text) if form == "html" else text)

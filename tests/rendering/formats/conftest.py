"""Reports with all content that a format must support, and their golden files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from litecheck.rendering.formats import render
from litecheck.report import Report
from litecheck.suite.verdict import SuiteReport
from litecheck.verification.result import Verification
from tests.rendering.suite.conftest import sample as of_suite
from tests.rendering.validation.conftest import good, make_finding, report_of, sample
from tests.rendering.verification.conftest import sample as of_verification

__all__ = ["good", "make_finding", "of_suite", "of_verification", "report_of", "sample"]
FOLDER = Path(__file__).parent.parent
Compare = Callable[[str, str], None]


@pytest.fixture
def same_as_golden(sample: Report, of_verification: Verification, of_suite: SuiteReport) -> Compare:
    """Return ``same_as_golden("csv", "csv")``: reports in a format must equal the golden files with a suffix."""

    def compare(name: str, suffix: str) -> None:
        compared = 0
        for kind, stem, report in (
            ("validation", "report", sample),
            ("verification", "verification", of_verification),
            ("suite", "suite", of_suite),
        ):
            file = FOLDER / kind / "golden" / f"{stem}.{suffix}"
            if file.exists():
                compared += 1
                assert render(report, name) == file.read_text("utf-8")
        assert compared

    return compare

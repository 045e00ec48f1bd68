"""Golden files with the complete reports of the broken models, including every additional finding.

``pytest tests/test_broken.py --update-golden`` writes them again; review the changes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fixtures.broken import BROKEN
from fixtures.build import HERE
from litecheck.checks.validate import validate_file
from litecheck.rendering.formats import render
from litecheck.report import Report


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_the_whole_report(
    name: str, golden: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(HERE.parent)
    file = f"broken_{name}"
    golden(f"{file}.txt", render(Report("0", validate_file(f"{HERE.name}/{file}.tflite"))))


def test_every_golden_report_has_a_model() -> None:
    kept = {path.stem for path in (Path(__file__).parent / "golden").glob("broken_*.txt")}
    assert kept == {f"broken_{name}" for name in BROKEN}

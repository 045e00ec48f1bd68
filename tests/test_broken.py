"""Whole reports of the broken models: every word that somebody reads, and nothing else that fired.

``pytest tests/test_broken.py --update-golden`` writes them anew; look at what changed.
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


def test_every_report_is_that_of_a_model_there_is() -> None:
    kept = {path.stem for path in (Path(__file__).parent / "golden").glob("broken_*.txt")}
    assert kept == {f"broken_{name}" for name in BROKEN}

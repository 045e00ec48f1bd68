"""Text without a terminal: whole reports."""

from __future__ import annotations

from tests.rendering.formats.conftest import Compare


def test_whole_reports(same_as_golden: Compare) -> None:
    same_as_golden("text", "txt")

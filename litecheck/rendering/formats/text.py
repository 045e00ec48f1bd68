"""Text for people at a terminal, here at 80 columns and without color."""

from __future__ import annotations

from litecheck.rendering.report_view import WHOLE, Format, ReportView


def render(sheet: ReportView) -> str:
    """Return the text that is printed if the output is not a terminal."""
    from litecheck.rendering.text_page import capture_text

    return capture_text(sheet.print)


FORMAT = Format("text", "for people, at a terminal", WHOLE, render)

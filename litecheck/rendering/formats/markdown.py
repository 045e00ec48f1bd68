"""GitHub Flavored Markdown, for a job summary."""

from __future__ import annotations

from litecheck.rendering.report_view import WHOLE, Format, ReportView


def render(sheet: ReportView) -> str:
    """Return the document; failures are open, tables are folded."""
    from litecheck.rendering.markdown import markdown_text

    return markdown_text(sheet.document())


FORMAT = Format("markdown", "GitHub Flavored Markdown, for a job summary", WHOLE, render)

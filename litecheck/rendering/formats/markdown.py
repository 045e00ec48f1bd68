"""GitHub-flavoured Markdown, for a job summary."""

from __future__ import annotations

from litecheck.rendering.sheet import WHOLE, Format, Sheet


def render(sheet: Sheet) -> str:
    """Return the document; failures are open, tables are folded."""
    from litecheck.rendering.markdown import written

    return written(sheet.document())


FORMAT = Format("markdown", "GitHub-flavoured Markdown, for a job summary", WHOLE, render)

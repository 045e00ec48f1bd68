"""Text for people at a terminal, here at 80 columns and without color."""

from __future__ import annotations

from litecheck.rendering.sheet import WHOLE, Format, Sheet


def render(sheet: Sheet) -> str:
    """Return the text that is printed if the output is not a terminal."""
    from litecheck.rendering.page import captured

    return captured(sheet.print)


FORMAT = Format("text", "for people, at a terminal", WHOLE, render)

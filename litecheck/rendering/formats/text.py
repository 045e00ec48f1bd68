"""Text for people at a terminal; here at 80 columns and without colour."""

from __future__ import annotations

from litecheck.rendering.sheet import WHOLE, Format, Sheet


def render(sheet: Sheet) -> str:
    """What is printed where the output is no terminal."""
    from litecheck.rendering.page import captured

    return captured(sheet.print)


FORMAT = Format("text", "for people, at a terminal", WHOLE, render)

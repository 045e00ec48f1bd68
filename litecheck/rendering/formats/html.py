"""HTML: one page for people, which needs no network."""

from __future__ import annotations

from litecheck.rendering.sheet import EVERY, Format, Sheet


def render(sheet: Sheet) -> str:
    """The page, complete in one file."""
    return sheet.page()


FORMAT = Format("html", "one page for people, which needs no network", EVERY, render)

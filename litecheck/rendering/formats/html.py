"""HTML: one page for people, which needs no network."""

from __future__ import annotations

from litecheck.rendering.sheet import EVERY, Format, Sheet

FORMAT = Format("html", "one page for people, which needs no network", EVERY, Sheet.page)

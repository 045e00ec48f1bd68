"""HTML: a page for people, which needs no network."""

from __future__ import annotations

from litecheck.rendering.sheet import WHOLE, Format, Sheet

FORMAT = Format("html", "one page for people, which needs no network", WHOLE, Sheet.page)

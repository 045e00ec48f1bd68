"""HTML: a page for people, which needs no network."""

from __future__ import annotations

from litecheck.rendering.report_view import WHOLE, Format, ReportView

FORMAT = Format("html", "one page for people, which needs no network", WHOLE, ReportView.page)

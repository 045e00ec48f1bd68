"""JSON: complete reports in a stable order, as schemas/*.schema.json describe them."""

from __future__ import annotations

from litecheck.rendering.escape import json_document
from litecheck.rendering.report_view import WHOLE, Format, ReportView


def render(sheet: ReportView) -> str:
    """Return the report as a JSON document."""
    return json_document(sheet.values(), allow_nan=False)


FORMAT = Format("json", "everything, for programs", WHOLE, render)

"""JSON: complete reports in a stable order, as schemas/*.schema.json describe them."""

from __future__ import annotations

from litecheck.rendering.escape import safe_json
from litecheck.rendering.report_view import WHOLE, Format, ReportView


def render(sheet: ReportView) -> str:
    """Return the report as a JSON document."""
    import json

    return safe_json(json.dumps(sheet.values(), indent=2, allow_nan=False)) + "\n"


FORMAT = Format("json", "everything, for programs", WHOLE, render)

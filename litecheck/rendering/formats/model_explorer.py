"""Node data for Model Explorer: the outcomes on the picture of the graph."""

from __future__ import annotations

from litecheck.rendering.escape import json_document
from litecheck.rendering.report_view import Format, ReportView


def render(sheet: ReportView) -> str:
    """Return the data as a JSON document. Raise ConfigError for several models: a graph shows a single model."""
    return json_document(sheet.nodes())


NAME = "model-explorer"
PURPOSE = "node data for Model Explorer: the outcomes on the picture of the graph"
FORMAT = Format(NAME, PURPOSE, ("validate", "verify", "trace", "convert"), render)

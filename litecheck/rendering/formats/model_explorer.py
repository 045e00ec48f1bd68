"""Node data for Model Explorer: the outcomes on the picture of the graph."""

from __future__ import annotations

from litecheck.rendering.escape import safe_json
from litecheck.rendering.report_view import Format, ReportView


def render(sheet: ReportView) -> str:
    """Return the data as a JSON document. Raise ConfigError for several models: a graph shows a single model."""
    import json

    from litecheck.errors import ConfigError
    from litecheck.rendering.verification.values import nodes
    from litecheck.verification.result import Verification

    if not isinstance(sheet.report, Verification):
        raise ConfigError(f"{NAME} is about one model: verify them one by one")
    return safe_json(json.dumps(nodes(sheet.report), indent=2)) + "\n"


NAME = "model-explorer"
PURPOSE = "node data for Model Explorer: the outcomes on the picture of the graph"
FORMAT = Format(NAME, PURPOSE, ("verify",), render)

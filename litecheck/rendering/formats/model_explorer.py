"""Node data for Model Explorer: the outcomes on the picture of the graph."""

from __future__ import annotations

from litecheck.rendering.sheet import Format, Sheet


def render(sheet: Sheet) -> str:
    """The data as one JSON document."""
    import json

    from litecheck.rendering.verification.values import nodes

    return json.dumps(nodes(sheet.report), indent=2) + "\n"


PURPOSE = "node data for Model Explorer: the outcomes on the picture of the graph"
FORMAT = Format("model-explorer", PURPOSE, ("verify",), render)

"""Node data of a validation for Model Explorer: the status of each operator, or its placement on an NPU."""

from __future__ import annotations

from typing import Any

from litecheck.errors import ConfigError
from litecheck.rendering.escape import shorten, visible
from litecheck.rendering.validation.targets import places_of
from litecheck.report import Report
from litecheck.summary_text import Status

#: Background and text color of each status.
_COLORS: dict[Status, tuple[str, str]] = {
    "conforms": ("#cdeae0", "#07513c"),
    "violates": ("#c44400", "#ffffff"),
    "waived": ("#e3b505", "#000000"),
    "structure checked only": ("#cfe2f5", "#0d4275"),
    "not covered": ("#6d3fa0", "#ffffff"),
    "not applicable": ("#e9ecef", "#000000"),
}


def nodes(report: Report) -> dict[str, Any]:
    """Return graph -> operator number -> status with the first finding, or the placement for a conforming operator.

    Raises ConfigError for several models: a graph shows one model.
    """
    if len(report.models) != 1:
        raise ConfigError("--format model-explorer is about one model: validate them one by one")
    model = report.models[0]
    places, findings = places_of(model), dict[tuple[int, int], str]()
    for finding in model.active:
        findings.setdefault((finding.where.subgraph, finding.where.operator), finding.path)
    graphs: dict[str, Any] = {}
    for op in sorted(model.operators, key=lambda op: (op.subgraph, op.index)):
        name = f"subgraph_{op.subgraph}" if op.subgraph else "main"
        graph = graphs.setdefault(name, {"name": visible("litecheck validate"), "results": {}})
        place = op.subgraph, op.index
        words = ": ".join(filter(None, (op.status, findings.get(place) or places.get(place, ""))))
        background, text = _COLORS[op.status]
        graph["results"][str(op.index)] = {"value": shorten(words), "bgColor": background, "textColor": text}
    return graphs or {"main": {"name": "litecheck validate", "results": {}}}

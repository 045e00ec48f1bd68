"""Node data of a validation for Model Explorer: the status of each operator, or its placement on an NPU."""

from __future__ import annotations

from typing import Any

from litecheck.errors import ConfigError
from litecheck.rendering.escape import shorten
from litecheck.rendering.node_data import Colors, GraphNode, graph_name, node_data
from litecheck.rendering.validation.targets import places_of
from litecheck.report import OperatorReport, Report
from litecheck.summary_text import Status

#: Background and text color of each status.
_COLORS: dict[Status, Colors] = {
    "conforms": ("#cdeae0", "#07513c"),
    "violates": ("#c44400", "#ffffff"),
    "waived": ("#e3b505", "#000000"),
    "structure checked only": ("#cfe2f5", "#0d4275"),
    "not covered": ("#6d3fa0", "#ffffff"),
    "not applicable": ("#e9ecef", "#000000"),
}


def nodes(report: Report) -> dict[str, Any]:
    """Return graph -> operator number -> status with the first finding, or the placement for a conforming operator.

    Raise ConfigError for several models: a graph shows one model.
    """
    if len(report.models) != 1:
        raise ConfigError("--format model-explorer is about one model: validate them one by one")
    model = report.models[0]
    places, findings = places_of(model), dict[tuple[int, int], str]()
    for finding in model.active:
        findings.setdefault((finding.where.subgraph, finding.where.operator), finding.path)

    def node(op: OperatorReport) -> GraphNode:
        place = op.subgraph, op.index
        words = ": ".join(filter(None, (op.status, findings.get(place) or places.get(place, ""))))
        return GraphNode(graph_name(op.subgraph), str(op.index), shorten(words), _COLORS[op.status])

    operators = sorted(model.operators, key=lambda op: (op.subgraph, op.index))
    return node_data("litecheck validate", map(node, operators))

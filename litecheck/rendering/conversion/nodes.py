"""Node data of a conversion for Model Explorer: the new type of each operator of the float model."""

from __future__ import annotations

from typing import Any

from litecheck.conversion.conversion_plan import Decision
from litecheck.conversion.record import ConversionRecord
from litecheck.conversion.request import REAL
from litecheck.rendering.escape import shorten
from litecheck.rendering.node_data import GraphNode, graph_name, node_data

#: Background and text color of quantized operators, of operators that stay float32, and of the rest.
_QUANTIZED, _STAYS, _OTHER = ("#cdeae0", "#07513c"), ("#c44400", "#ffffff"), ("#e9ecef", "#000000")


def nodes(record: ConversionRecord) -> dict[str, Any]:
    """Return graph -> operator number -> the type that the operator becomes, and why it stays float32."""
    return node_data(f"litecheck convert: {record.source}", map(_node, record.conversion.plan.operators))


def _node(one: Decision) -> GraphNode:
    words = shorten(": ".join(filter(None, (one.becomes, one.because))), 80)
    colors = _STAYS if one.becomes == REAL else _QUANTIZED if one.becomes else _OTHER
    return GraphNode(graph_name(one.subgraph), str(one.operator), words, colors)

"""Node data for Model Explorer: a value and colors for each operator of a graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from litecheck.rendering.escape import visible

#: Background and text color.
Colors = tuple[str, str]


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node, by the names of Model Explorer: graph, and operator number or output tensor."""

    graph: str
    key: str
    value: float | str
    colors: Colors


def graph_name(subgraph: int) -> str:
    """Return the name of a subgraph without an own name."""
    return f"subgraph_{subgraph}" if subgraph else "main"


def node_data(title: str, nodes: Iterable[GraphNode]) -> dict[str, Any]:
    """Return graph -> node -> value and colors, with ``title`` as the name of the data."""
    graphs: dict[str, Any] = {}
    for node in nodes:
        background, text = node.colors
        graph = graphs.setdefault(node.graph, {"name": visible(title), "results": {}})
        graph["results"][node.key] = {"value": node.value, "bgColor": background, "textColor": text}
    return graphs or {"main": {"name": visible(title), "results": {}}}

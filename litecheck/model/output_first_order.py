"""Visit order of a compiler that starts from a subgraph's outputs: the last output and the last input first."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from litecheck.model.graph import Graph, graph_of
from litecheck.model.types import Model, Subgraph


@dataclass(frozen=True, slots=True)
class VisitOrder:
    """First visit of each operator and output, as a step number by index.

    Visited operators are those that an output needs, and those without an output. ``readers`` has the operator from
    which each tensor is first visited, -1 for an output.
    """

    graph: Graph
    operators: dict[int, int]
    outputs: dict[int, int]
    readers: dict[int, int]


_VISITS: WeakKeyDictionary[Model, dict[int, VisitOrder]] = WeakKeyDictionary()


def visit_order_of(model: Model, subgraph: Subgraph) -> VisitOrder:
    """Return the visits to a subgraph of a model, cached for the model's lifetime."""
    known = _VISITS.setdefault(model, {})
    if subgraph.index not in known:
        known[subgraph.index] = _visit(graph_of(subgraph))
    return known[subgraph.index]


def _visit(graph: Graph) -> VisitOrder:
    operators, outputs, readers = dict[int, int](), dict[int, int](), dict[int, int]()
    given = [(tensor, -1) for tensor in graph.subgraph.outputs if tensor >= 0]
    for operator in graph.subgraph.operators:
        if not operator.outputs:
            operators[operator.index] = len(operators)
            given += [(index, operator.index) for index in operator.inputs if index >= 0]
    while given:
        tensor, reader = given.pop()
        turn = len(operators) + len(outputs)
        readers.setdefault(tensor, reader)
        if reader < 0:
            outputs.setdefault(tensor, turn)
        writer = graph.producer[tensor]
        if writer >= 0 and writer not in operators:
            operators[writer] = turn + 1
            given += [(index, writer) for index in graph.subgraph.operators[writer].inputs if index >= 0]
    return VisitOrder(graph, operators, outputs, readers)

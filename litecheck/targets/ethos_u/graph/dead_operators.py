"""Dead operators: the compiler removes operators that no output needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from litecheck.model.graph import graph_of
from litecheck.model.types import Operator, Subgraph
from litecheck.placement import Place
from litecheck.profile.operators import traits_of
from litecheck.targets.ethos_u.graph.partitions import schedule_operators
from litecheck.targets.ethos_u.graph.resident_variables import handles_of


def detach_dead_operators(subgraph: Subgraph, places: Sequence[Place]) -> Subgraph:
    """Return the subgraph with dead operators detached: they keep their index and have neither inputs nor outputs.

    On the NPU, an operator that is a view of its input does not need the operators that compute its shape, and a reader
    or writer of a variable does not need the variable's handle. Operators without outputs are not dead.
    """
    operators = [_live_inputs(op, place) for op, place in zip(subgraph.operators, places, strict=True)]
    live = {op.index for op in schedule_operators(graph_of(replace(subgraph, operators=tuple(operators))))}
    detached = (op if op.index in live else replace(op, inputs=(), outputs=()) for op in operators)
    return replace(subgraph, operators=tuple(detached))


def _live_inputs(op: Operator, place: Place) -> Operator:
    if place != "npu":
        return op
    if traits_of(op.kind).view:
        return replace(op, inputs=op.inputs[:1])
    handles = {*handles_of(op)}
    return replace(op, inputs=tuple(t for t in op.inputs if t not in handles)) if handles else op

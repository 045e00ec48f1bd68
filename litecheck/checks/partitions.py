"""The stretches of operators that run on a target's accelerator: the order in which its compiler runs them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from litecheck.model.graph import Graph
from litecheck.model.types import Operator
from litecheck.placement import Place


def stretches(graph: Graph, places: Sequence[Place]) -> tuple[int, dict[int, int]]:
    """How many stretches of operators run on the accelerator one after the other, the processor between them; and in which
    of them, counted from 1, each operator runs, by its index.

    The order is Vela's, not the file's: as `depth_first` has it, and then the processor's operators move. Those that need
    nothing of the accelerator go to the front, those that make only outputs, read by nothing, to the end, and each other one
    to right before the accelerator's first reader of its results, or the processor's next operator. What no output needs
    does not run. Operators beyond those whose places are given are the accelerator's own.
    """
    outputs = set(graph.subgraph.outputs)
    turns, early, between = dict[int, int](), set[int](), list[Operator]()
    for op in depth_first(graph):
        if op.index >= len(places) or places[op.index] == "npu":
            turns[op.index] = len(turns)
        elif all(producer in early for producer in _writers(graph, op.inputs)):
            early.add(op.index)
        elif _readers(graph, op) or not outputs.issuperset(op.outputs):
            between.append(op)
    cut, cuts = len(turns), set[int]()
    for op in reversed(between):
        cut = min([cut, *(turns[reader] for reader in _readers(graph, op) if reader in turns)])
        cuts.add(cut)
    ends = sorted(cuts - {0, len(turns)})
    return bool(turns) + len(ends), {index: 1 + bisect_right(ends, turn) for index, turn in turns.items()}


def depth_first(graph: Graph) -> list[Operator]:
    """The operators that some output needs, or that do something else than make one, each behind those that it needs, the
    last operand's first."""
    operators, ordered, seen = graph.subgraph.operators, list[Operator](), set[int]()
    waiting = [op.index for op in operators if op.inputs and not op.outputs]
    waiting += _writers(graph, graph.subgraph.outputs)
    while waiting:
        index = waiting.pop()
        if index < 0:
            ordered.append(operators[~index])
        elif index not in seen:
            seen.add(index)
            waiting += [~index, *_writers(graph, operators[index].inputs)]
    return ordered


def _writers(graph: Graph, tensors: Iterable[int]) -> list[int]:
    found = (graph.producer[tensor] for tensor in tensors if tensor >= 0)
    return [index for index in found if index >= 0]


def _readers(graph: Graph, operator: Operator) -> list[int]:
    return [reader for tensor in operator.outputs if tensor >= 0 for reader in graph.consumers[tensor]]

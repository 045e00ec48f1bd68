"""Partitions: operators that the NPU runs consecutively, in the order in which the compiler schedules them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from litecheck.model.graph import Graph
from litecheck.model.types import Operator
from litecheck.placement import Place


def count_partitions(graph: Graph, places: Sequence[Place]) -> tuple[int, dict[int, int]]:
    """Return the number of partitions, and the partition of each NPU operator by its index, counted from 1.

    The schedule is Vela's and not the order of the file. It starts as :func:`schedule_operators` has it. Then the CPU
    operators move: to the front if no NPU operator is needed before them, to the end if they make only outputs that no
    operator reads, and otherwise to the place before the first NPU reader of their outputs or before the next CPU
    operator. Dead operators are not scheduled. Operators beyond the given places were inserted by a pass and are on the
    NPU. For example, NPU, CPU, NPU in a chain gives 2 partitions.
    """
    outputs = set(graph.subgraph.outputs)
    turns, early, between = dict[int, int](), set[int](), list[Operator]()
    for op in schedule_operators(graph):
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


def schedule_operators(graph: Graph) -> list[Operator]:
    """Return the operators that an output needs, and those without outputs, in depth-first order.

    The search starts at the last output. Each operator comes after its producers, the producer of its last input first.
    """
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

"""Graph view of a subgraph: the producer and the consumers of each tensor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from litecheck.model.types import Operator, Subgraph


@dataclass(frozen=True, slots=True)
class Graph:
    """Producers and consumers of every tensor of a subgraph.

    ``producer[t]`` is the index of the operator that writes tensor t, or -1. ``consumers[t]`` are the operators that
    read tensor t, once for each operand.
    """

    subgraph: Subgraph
    producer: tuple[int, ...]
    consumers: tuple[tuple[int, ...], ...]


def graph_of(subgraph: Subgraph) -> Graph:
    """Return the graph view of a subgraph."""
    producer = [-1] * len(subgraph.tensors)
    consumers: list[list[int]] = [[] for _ in subgraph.tensors]
    for operator in subgraph.operators:
        for index in operator.inputs:
            if index >= 0:
                consumers[index].append(operator.index)
        for index in operator.outputs:
            if index >= 0:
                producer[index] = operator.index
    return Graph(subgraph, tuple(producer), tuple(map(tuple, consumers)))


@dataclass(frozen=True, slots=True)
class Wiring:
    """Writers and readers of the tensors of a subgraph by tensor index, as operator indices; inputs and outputs.

    Each operator that reads a tensor counts once. For example, ADD of tensor 3 and tensor 3 is one reader of tensor 3.
    """

    first_writer: Mapping[int, int]
    last_writer: Mapping[int, int]
    readers: Mapping[int, Sequence[int]]
    inputs: frozenset[int]
    outputs: frozenset[int]


_WIRINGS: WeakKeyDictionary[Subgraph, Wiring] = WeakKeyDictionary()


def wiring_of(subgraph: Subgraph) -> Wiring:
    """Return the wiring of a subgraph, cached for the subgraph's lifetime."""
    known = _WIRINGS.get(subgraph)
    if known is None:
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        readers: dict[int, list[int]] = {}
        for place, operator in enumerate(subgraph.operators):
            for index in operator.outputs:
                first.setdefault(index, place)
                last[index] = place
            for index in dict.fromkeys(operator.inputs):
                readers.setdefault(index, []).append(place)
        ends = frozenset(subgraph.inputs), frozenset(subgraph.outputs)
        known = _WIRINGS[subgraph] = Wiring(first, last, readers, *ends)
    return known


def has_ends(operator: Operator, operand: int = 0) -> bool:
    """Return True if an operator has its first input, the input ``operand`` and its first output."""
    ends = (*operator.inputs[:1], *operator.inputs[operand : operand + 1], *operator.outputs[:1])
    return len(ends) == 3 and min(ends) >= 0


def name_of(subgraph: Subgraph, operator: Operator) -> str:
    """Return a name of an operator: the name of its first named output tensor, or its kind and number."""
    for index in operator.outputs:  # a loop: this is asked of every operator
        if index >= 0 and (name := subgraph.tensors[index].name):
            return name
    return f"{operator.opcode} {operator.index}"

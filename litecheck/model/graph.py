"""The graph view of a subgraph: who computes a tensor, who reads it."""

from __future__ import annotations

from dataclasses import dataclass

from litecheck.model.types import Operator, Subgraph


@dataclass(frozen=True, slots=True)
class Graph:
    """Producers and consumers of every tensor of one subgraph.

    ``producer[t]`` is the index of the operator that writes tensor t, or -1; ``consumers[t]`` are the
    operators that read it, each once per operand.
    """

    subgraph: Subgraph
    producer: tuple[int, ...]
    consumers: tuple[tuple[int, ...], ...]


def graph_of(subgraph: Subgraph) -> Graph:
    """The graph view of one subgraph."""
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


def has_ends(operator: Operator, operand: int = 0) -> bool:
    """Whether an operator has its first input and result, and that operand."""
    ends = (*operator.inputs[:1], *operator.inputs[operand : operand + 1], *operator.outputs[:1])
    return len(ends) == 3 and min(ends) >= 0


def name_of(subgraph: Subgraph, operator: Operator) -> str:
    """What to call an operator: the name of its first output tensor, or its kind and number."""
    names = (subgraph.tensors[i].name for i in operator.outputs if i >= 0)
    return next((name for name in names if name), f"{operator.opcode} {operator.index}")

"""Canonical order of operators: determined by the graph, not by the order in the file."""

from __future__ import annotations

from litecheck.model.graph import wiring_of
from litecheck.model.types import Subgraph


def canonical_order(subgraph: Subgraph) -> tuple[int, ...]:
    """Return the operators depth first from the outputs, each after the producers of its inputs, inputs in their order.

    Operators without a path to an output follow. Example: a file with the operators B, A, ADD(A, B) gives A, B, ADD.
    """
    producer = wiring_of(subgraph).last_writer
    order: list[int] = []
    seen: set[int] = set()
    roots = [producer[t] for t in subgraph.outputs if t in producer]
    for root in (*roots, *range(len(subgraph.operators))):
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, iter(subgraph.operators[root].inputs))]
        while stack:
            place, rest = stack[-1]
            found = next((producer[t] for t in rest if t in producer and producer[t] not in seen), None)
            if found is None:
                order.append(place)
                stack.pop()
            else:
                seen.add(found)
                stack.append((found, iter(subgraph.operators[found].inputs)))
    return tuple(order)

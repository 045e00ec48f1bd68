"""Variables that a target's compiler keeps on the accelerator: all that reads or writes one is there, or it dies of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from litecheck.model.graph import graph_of
from litecheck.model.types import Operator, Subgraph
from litecheck.placement import Place
from litecheck.profile.operators import facts_of


def astray(
    subgraph: Subgraph, used: Subgraph, places: Sequence[Place], maker: str
) -> Iterator[tuple[Operator, str]]:
    """The operators on the accelerator whose variable is not kept there, and why: another operator stays on the CPU, or
    no ``maker`` of handles has made this one. ``used`` is the subgraph without what is folded away."""
    graph, sides = graph_of(subgraph), dict[int, list[Operator]]()
    for op, left in zip(subgraph.operators, used.operators, strict=True):
        if left.inputs or left.outputs:
            for handle in handles_of(op):
                sides.setdefault(handle, []).append(op)
    for handle, operators in sides.items():
        others = [op for op in operators if places[op.index] == "cpu"]
        why = f"#{others[0].index} {others[0].opcode} stays on the CPU" if others else ""
        made_by = graph.producer[handle]
        if not why and (made_by < 0 or subgraph.operators[made_by].opcode != maker):
            why = "no operator makes its handle"
        if why:
            yield from ((op, why) for op in operators if places[op.index] == "npu")


def handles_of(op: Operator) -> Iterator[int]:
    """The tensors by which an operator knows its variable."""
    if _has_handles(op.kind):
        facts = facts_of(op.kind)
        yield from (index for role, index in facts.tensors(op).items() if facts.inputs.get(role) == "handle")


@cache
def _has_handles(kind: str) -> bool:
    return "handle" in facts_of(kind).inputs.values()

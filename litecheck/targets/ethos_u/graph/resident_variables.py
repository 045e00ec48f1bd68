"""Variables in the memory of the NPU: all their readers and writers must be on the NPU, or the compiler crashes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from litecheck.model.graph import graph_of
from litecheck.model.types import Operator, Subgraph
from litecheck.placement import Place
from litecheck.profile.operators import traits_of


def stranded_variables(
    subgraph: Subgraph, live: Subgraph, places: Sequence[Place], maker: str
) -> Iterator[tuple[Operator, str]]:
    """Return the NPU operators whose variable cannot be resident, each with the reason.

    A reader or writer of the variable is on the CPU, or its handle is not the output of an operator ``maker``. ``live`` is
    the subgraph with dead operators detached. Example of a reason: ``#3 READ_VARIABLE stays on the CPU``.
    """
    graph, users = graph_of(subgraph), dict[int, list[Operator]]()
    for op, left in zip(subgraph.operators, live.operators, strict=True):
        if left.inputs or left.outputs:
            for handle in handles_of(op):
                users.setdefault(handle, []).append(op)
    for handle, operators in users.items():
        on_cpu = [op for op in operators if places[op.index] == "cpu"]
        why = f"#{on_cpu[0].index} {on_cpu[0].opcode} stays on the CPU" if on_cpu else ""
        made_by = graph.producer[handle]
        if not why and (made_by < 0 or subgraph.operators[made_by].opcode != maker):
            why = "no operator makes its handle"
        if why:
            yield from ((op, why) for op in operators if places[op.index] == "npu")


def handles_of(op: Operator) -> Iterator[int]:
    """Return the indices of an operator's inputs that are handles of variables."""
    if has_handles(op.kind):
        facts = traits_of(op.kind)
        yield from (index for role, index in facts.tensors(op).items() if facts.inputs.get(role) == "handle")


@cache
def has_handles(kind: str) -> bool:
    """Return True if an operator reads or writes a variable."""
    return "handle" in traits_of(kind).inputs.values()

"""The operators that a target's compiler folds away, as no output of the subgraph needs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from litecheck.checks.kept import handles_of
from litecheck.checks.partitions import depth_first
from litecheck.model.graph import graph_of
from litecheck.model.types import Operator, Subgraph
from litecheck.placement import Place
from litecheck.profile.operators import facts_of


def needed(subgraph: Subgraph, places: Sequence[Place]) -> Subgraph:
    """The same operators, where those that no output needs neither read nor make anything. What reshapes on the accelerator
    reads its input alone, and needs nobody who works out the shape; what reads or writes a variable there needs no handle;
    what has no results does something else."""
    operators = [_read(op, place) for op, place in zip(subgraph.operators, places, strict=True)]
    kept = {op.index for op in depth_first(graph_of(replace(subgraph, operators=tuple(operators))))}
    left = (op if op.index in kept else replace(op, inputs=(), outputs=()) for op in operators)
    return replace(subgraph, operators=tuple(left))


def _read(op: Operator, place: Place) -> Operator:
    facts = facts_of(op.kind)
    if place != "npu":
        return op
    if facts.reshapes:
        return replace(op, inputs=op.inputs[:1])
    handles = {*handles_of(op)}
    return replace(op, inputs=tuple(t for t in op.inputs if t not in handles)) if handles else op

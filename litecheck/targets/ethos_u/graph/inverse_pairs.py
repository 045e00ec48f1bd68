"""Inverse pairs: the compiler removes two consecutive NPU operators if the second inverts the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from litecheck.model.graph import Graph, graph_of, has_ends
from litecheck.model.shapes.call import constant_integers
from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.placement import Place
from litecheck.profile.operators import traits_of


def detach_inverse_pairs(subgraph: Subgraph, places: Sequence[Place]) -> Subgraph:
    """Return the subgraph with inverse pairs detached: they keep their index and have neither inputs nor outputs.

    The tensor between the two operators has no further reader. The input of the first operator replaces the output of the
    second, which may make the operators around them a pair, too. Where the NPU needs a copy of that input, the first
    operator stays as the copy. Example: TRANSPOSE (0, 2, 3, 1) and TRANSPOSE (0, 3, 1, 2).
    """
    graph, names, others = graph_of(subgraph), dict[int, int](), dict[int, Operator]()
    for op, place in zip(subgraph.operators, places, strict=True):
        if place != "npu" or not has_ends(op):
            continue
        between = names.get(op.inputs[0], op.inputs[0])
        first = _first_of_pair(graph, op, between, places)
        if first is None or first.index in others or not _is_inverse(first, op, subgraph):
            continue
        source = names.get(first.inputs[0], first.inputs[0])
        others[op.index] = replace(op, inputs=(), outputs=())
        if _needs_copy(source, first, op, graph, places):
            others[first.index] = replace(first, outputs=op.outputs)
        else:
            names[op.outputs[0]] = source
            others[first.index] = replace(first, inputs=(), outputs=())
    if not others:
        return subgraph
    changed = (others.get(op.index, op) for op in subgraph.operators)
    operators = (replace(op, inputs=tuple(names.get(t, t) for t in op.inputs)) for op in changed)
    ends = tuple(names.get(t, t) for t in subgraph.outputs)
    return replace(subgraph, operators=tuple(operators), outputs=ends)


def _first_of_pair(graph: Graph, op: Operator, between: int, places: Sequence[Place]) -> Operator | None:
    """Return the NPU operator that computes ``between``, the input of ``op``, if only ``op`` reads it."""
    alone = len(graph.consumers[op.inputs[0]]) == len(graph.consumers[between]) == 1
    writer = graph.producer[between] if alone else -1
    first = graph.subgraph.operators[writer] if writer >= 0 and places[writer] == "npu" else None
    return first if first is not None and has_ends(first) else None


def _needs_copy(
    source: int, first: Operator, second: Operator, graph: Graph, places: Sequence[Place]
) -> bool:
    """Return True if the NPU copies the input of a pair.

    A pair of TRANSPOSE copies an input of the model and an input with further readers. A pair of views copies an input
    that the CPU computes or the model has, if the CPU or the caller reads the output.
    """
    result, outputs, writer = second.outputs[0], graph.subgraph.outputs, graph.producer[source]
    if not traits_of(first.kind).view:
        return writer < 0 or len(graph.consumers[first.inputs[0]]) > 1
    if second.inputs[0] not in first.outputs:
        return False  # another pair was in between
    if result not in outputs and all(places[reader] == "npu" for reader in graph.consumers[result]):
        return False
    return writer < 0 or places[writer] != "npu" or source in outputs


def _is_inverse(first: Operator, second: Operator, subgraph: Subgraph) -> bool:
    tensors = subgraph.tensors
    if traits_of(first.kind).view and traits_of(second.kind).view:
        same = tensors[first.inputs[0]].shape == tensors[second.outputs[0]].shape
        return same and first.outputs[0] not in subgraph.outputs
    before, after = _permutation(first, tensors), _permutation(second, tensors)
    return before is not None and after is not None and [before[n] for n in after] == list(range(len(before)))


def _permutation(op: Operator, tensors: Sequence[Tensor]) -> list[int] | None:
    """Return the constant permutation of a TRANSPOSE, else None."""
    facts = traits_of(op.kind)
    role = next((role for role, kind in facts.inputs.items() if kind == "order"), "")
    index = facts.tensors(op).get(role, -1) if role else -1
    values = None if index < 0 else constant_integers(tensors[index])
    order = [] if values is None else [int(n) for n in values.flat]
    return order if order and sorted(order) == list(range(len(order))) else None

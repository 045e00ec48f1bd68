"""Two operators in a row, on a target's accelerator, of which the second undoes what the first has done: neither is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from litecheck.model.graph import Graph, graph_of, has_ends
from litecheck.model.shapes.call import constant_integers
from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.placement import Place
from litecheck.profile.operators import facts_of


def undone(subgraph: Subgraph, places: Sequence[Place]) -> Subgraph:
    """The same operators, where such a pair, of which nobody else reads what is in between, neither reads nor makes
    anything: what the first one reads takes the place of the second one's result, which may make a pair of those around
    the two. Some copy what they read, as the first one does then."""
    graph, names, others = graph_of(subgraph), dict[int, int](), dict[int, Operator]()
    for op, place in zip(subgraph.operators, places, strict=True):
        if place != "npu" or not has_ends(op):
            continue
        between = names.get(op.inputs[0], op.inputs[0])
        first = _before(graph, op, between, places)
        if first is None or first.index in others or not _undoes(first, op, subgraph):
            continue
        source = names.get(first.inputs[0], first.inputs[0])
        others[op.index] = replace(op, inputs=(), outputs=())
        if _is_copied(source, first, op, graph, places):
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


def _before(graph: Graph, op: Operator, between: int, places: Sequence[Place]) -> Operator | None:
    """The operator on the accelerator that makes what is read, where nobody else reads that, under either name."""
    alone = len(graph.consumers[op.inputs[0]]) == len(graph.consumers[between]) == 1
    writer = graph.producer[between] if alone else -1
    first = graph.subgraph.operators[writer] if writer >= 0 and places[writer] == "npu" else None
    return first if first is not None and has_ends(first) else None


def _is_copied(source: int, first: Operator, second: Operator, graph: Graph, places: Sequence[Place]) -> bool:
    """Of an order that is undone, where others read it, too, or the model is given it; of dimensions, where the processor
    or the caller takes the result, unless the accelerator has made it for others than the caller."""
    result, outputs, writer = second.outputs[0], graph.subgraph.outputs, graph.producer[source]
    if not facts_of(first.kind).reshapes:
        return writer < 0 or len(graph.consumers[first.inputs[0]]) > 1
    if second.inputs[0] not in first.outputs:
        return False  # another pair was in between
    if result not in outputs and all(places[reader] == "npu" for reader in graph.consumers[result]):
        return False
    return writer < 0 or places[writer] != "npu" or source in outputs


def _undoes(first: Operator, second: Operator, subgraph: Subgraph) -> bool:
    tensors = subgraph.tensors
    if facts_of(first.kind).reshapes and facts_of(second.kind).reshapes:
        same = tensors[first.inputs[0]].shape == tensors[second.outputs[0]].shape
        return same and first.outputs[0] not in subgraph.outputs
    before, after = _order(first, tensors), _order(second, tensors)
    return before is not None and after is not None and [before[n] for n in after] == list(range(len(before)))


def _order(op: Operator, tensors: Sequence[Tensor]) -> list[int] | None:
    """The order in which an operator puts dimensions, where it does no more and is known."""
    facts = facts_of(op.kind)
    role = next((role for role, kind in facts.inputs.items() if kind == "order"), "")
    index = facts.tensors(op).get(role, -1)
    values = None if index < 0 else constant_integers(tensors[index])
    order = [] if values is None else [int(n) for n in values.flat]
    return order if order and sorted(order) == list(range(len(order))) else None

"""Operators that a target's compiler takes for one: what it then judges in their place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from litecheck.model.graph import Graph
from litecheck.model.shapes.call import constant_integers
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.model.visits import visits_of
from litecheck.profile.rewrites import Fusion
from litecheck.profile.types import Profile


@dataclass(frozen=True, slots=True)
class Fused:
    """Three operators as one, which stands in a subgraph with the tensors it has; ``ends`` are the first and the last by
    their indices in the file. ``block`` are the values that dilate it, None where they are computed."""

    fusion: Fusion
    ends: tuple[int, int]
    operator: Operator
    subgraph: Subgraph
    block: tuple[int, ...] | None


def fused(model: Model, subgraph: Subgraph, profile: Profile) -> Iterator[Fused]:
    """Every three operators that a profile's compiler could take for one."""
    fusions = profile.rewrites.fusions
    if not any(op.opcode in fusions for op in subgraph.operators):
        return
    visits = visits_of(model, subgraph)
    for operator in subgraph.operators:
        fusion = fusions.get(operator.opcode)
        if fusion is not None and operator.index in visits.operators:
            around = _around(visits.graph, operator, fusion, visits.operators)
            if around is not None:
                yield _as_one(subgraph, operator, fusion, *around)


def _around(
    graph: Graph, operator: Operator, fusion: Fusion, needed: dict[int, int]
) -> tuple[Operator, Operator] | None:
    """The operators before and after, where nothing but these three takes what is between them."""
    options, operators = operator.options, graph.subgraph.operators
    if options is None or options.get("fused_activation_function", 0) or not _has(operator, 0):
        return None
    between = operator.inputs[0], operator.outputs[0]
    writer = graph.producer[between[0]]
    readers = [[reader for reader in graph.consumers[t] if reader in needed] for t in between]
    if writer < 0 or readers[0] != [operator.index] or len(readers[1]) != 1:
        return None
    before, after = operators[writer], operators[readers[1][0]]
    whole = _has(before, fusion.dilation) and _has(after, 0)
    return (
        (before, after) if whole and (before.opcode, after.opcode) == (fusion.before, fusion.after) else None
    )


def _has(operator: Operator, operand: int) -> bool:
    """Whether an operator has its first input and result, and that operand."""
    first = (*operator.inputs[:1], *operator.inputs[operand : operand + 1], *operator.outputs[:1])
    return len(first) == 3 and min(first) >= 0


def _as_one(
    subgraph: Subgraph, operator: Operator, fusion: Fusion, before: Operator, after: Operator
) -> Fused:
    """The one operator: the tensors at its ends have the shapes of those outside, the parameters of those inside."""
    tensors, count = subgraph.tensors, len(subgraph.tensors)
    given = _formed(tensors[operator.inputs[0]], tensors[before.inputs[0]], count)
    made = _formed(tensors[operator.outputs[0]], tensors[after.outputs[0]], count + 1)
    options = operator.options
    values = constant_integers(tensors[before.inputs[fusion.dilation]])
    block = None if values is None else tuple(values.flat)
    if block:
        assert options is not None
        sides = {"dilation_h_factor": int(block[0]), "dilation_w_factor": int(block[-1])}
        options = replace(options, fields={**options.fields, **sides})
    one = replace(
        operator,
        inputs=(count, *operator.inputs[1:]),
        outputs=(count + 1, *operator.outputs[1:]),
        options=options,
    )
    whole = replace(subgraph, tensors=(*tensors, given, made))
    return Fused(fusion, (before.index, after.index), one, whole, block)


def _formed(inside: Tensor, outside: Tensor, index: int) -> Tensor:
    return replace(outside, index=index, quantization=inside.quantization)

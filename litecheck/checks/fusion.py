"""Operators that a target's compiler takes for one: what it then judges in their place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from litecheck.model.graph import Graph
from litecheck.model.shapes.call import constant_integers
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.model.visits import Visits, visits_of
from litecheck.placement import Place
from litecheck.profile.operators import facts_of
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


def fused(model: Model, subgraph: Subgraph, profile: Profile, places: Sequence[Place]) -> Iterator[Fused]:
    """Every three operators that a profile's compiler could take for one; ``places`` are where each by itself would run."""
    fusions = profile.rewrites.fusions
    if not any(op.opcode in fusions for op in subgraph.operators):
        return
    visits = visits_of(model, subgraph)
    for operator in subgraph.operators:
        fusion = fusions.get(operator.opcode)
        if fusion is not None and operator.index in visits.operators:
            around = _around(visits, operator, fusion)
            if around is not None and all(places[n.reshape] == "npu" for n in around if n.reshape >= 0):
                yield _as_one(subgraph, operator, fusion, *around)


@dataclass(frozen=True, slots=True)
class _Neighbour:
    """The operator before or after another, and what lies between them: a tensor, or two and a dimension of 1 that a reshape
    puts in or takes out at ``place``, by its index."""

    operator: Operator
    place: int = -1
    reshape: int = -1

    def spread(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape with that dimension."""
        return shape if self.place < 0 else (*shape[: self.place], 1, *shape[self.place :])


def _around(visits: Visits, operator: Operator, fusion: Fusion) -> tuple[_Neighbour, _Neighbour] | None:
    """The operators before and after, where nothing but these three takes what is between them."""
    options = operator.options
    if options is None or options.get("fused_activation_function", 0) or not _has(operator, 0):
        return None
    before, after = _before(visits, operator.inputs[0]), _after(visits, operator.outputs[0])
    if before is None or after is None:
        return None
    whole = _has(before.operator, fusion.dilation) and _has(after.operator, 0)
    kinds = before.operator.opcode, after.operator.opcode
    return (before, after) if whole and kinds == (fusion.before, fusion.after) else None


def _before(visits: Visits, tensor: int, reshaped: bool = False) -> _Neighbour | None:
    """What writes a tensor that one operator reads, past a reshape."""
    writer = visits.graph.producer[tensor]
    if writer < 0 or len(_readers(visits, tensor)) != 1:
        return None
    operator = visits.graph.subgraph.operators[writer]
    if reshaped or not facts_of(operator.kind).reshapes or not _has(operator, 0):
        return _Neighbour(operator)
    further = _before(visits, operator.inputs[0], True)
    place = _inserted(visits.graph, operator.inputs[0], tensor)
    return None if further is None or place < 0 else _Neighbour(further.operator, place, writer)


def _after(visits: Visits, tensor: int, reshaped: bool = False) -> _Neighbour | None:
    """The one operator that reads a tensor, past a reshape."""
    readers = _readers(visits, tensor)
    if len(readers) != 1:
        return None
    operator = visits.graph.subgraph.operators[readers[0]]
    if reshaped or not facts_of(operator.kind).reshapes or not _has(operator, 0):
        return _Neighbour(operator)
    further = _after(visits, operator.outputs[0], True)
    place = _inserted(visits.graph, operator.outputs[0], tensor)
    return None if further is None or place < 0 else _Neighbour(further.operator, place, readers[0])


def _readers(visits: Visits, tensor: int) -> list[int]:
    return [reader for reader in visits.graph.consumers[tensor] if reader in visits.operators]


def _inserted(graph: Graph, bare: int, spread: int) -> int:
    """Where a shape has one dimension of 1 more than another, behind the first; -1 where that is not all."""
    short, long = (graph.subgraph.tensors[t].shape for t in (bare, spread))
    places = range(1, len(long))
    return next((at for at in places if (*short[:at], 1, *short[at:]) == long), -1)


def _has(operator: Operator, operand: int) -> bool:
    """Whether an operator has its first input and result, and that operand."""
    first = (*operator.inputs[:1], *operator.inputs[operand : operand + 1], *operator.outputs[:1])
    return len(first) == 3 and min(first) >= 0


def _as_one(
    subgraph: Subgraph, operator: Operator, fusion: Fusion, before: _Neighbour, after: _Neighbour
) -> Fused:
    """The one operator: the tensors at its ends have the shapes of those outside, the parameters of those inside."""
    tensors, count = subgraph.tensors, len(subgraph.tensors)
    first, last = before.operator, after.operator
    given = _formed(tensors[operator.inputs[0]], tensors[first.inputs[0]], count, before)
    made = _formed(tensors[operator.outputs[0]], tensors[last.outputs[0]], count + 1, after)
    options = operator.options
    values = constant_integers(tensors[first.inputs[fusion.dilation]])
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
    return Fused(fusion, (first.index, last.index), one, whole, block)


def _formed(inside: Tensor, outside: Tensor, index: int, side: _Neighbour) -> Tensor:
    return replace(outside, index=index, shape=side.spread(outside.shape), quantization=inside.quantization)

"""Operators that a target's compiler takes for one: what it then judges in their place."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, replace

from litecheck.model.graph import Graph, has_ends
from litecheck.model.shapes.call import constant_integers
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.model.visits import visits_of
from litecheck.profile.rewrites import Fusion
from litecheck.profile.types import Profile


@dataclass(frozen=True, slots=True)
class Fused:
    """Operators as one, and what the tensors at its two ends are to it, by their indices; ``ends`` are the others than the
    middle one by theirs, the first of which dilates it. ``block`` are the values that do, None where they are computed."""

    fusion: Fusion
    ends: tuple[int, ...]
    operator: Operator
    tensors: Mapping[int, Tensor]
    block: tuple[int, ...] | None


def fused(model: Model, subgraph: Subgraph, profile: Profile) -> Iterator[Fused]:
    """All operators in a row that a profile's compiler could take for one."""
    kinds = {op.opcode for op in subgraph.operators}
    fusions = {k: f for k, f in profile.rewrites.fusions.items() if {k, f.before, f.after} <= kinds}
    if not fusions:
        return
    visits = visits_of(model, subgraph)
    for operator in subgraph.operators:
        fusion = fusions.get(operator.opcode)
        if fusion is not None and operator.index in visits.operators and _whole(operator):
            row = _Row(visits.graph, visits.operators, fusion.across)
            before, after = row.before(operator), row.after(operator)
            ends = [side[-1].opcode if side else "" for side in (before, after)]
            if ends == [fusion.before, fusion.after] and has_ends(before[-1], fusion.dilation):
                yield _as_one(subgraph, operator, fusion, before[::-1], after)


def _whole(operator: Operator) -> bool:
    """Whether an operator has what it needs, and does nothing behind."""
    options = operator.options
    return options is not None and not options.get("fused_activation_function", 0) and has_ends(operator)


@dataclass(frozen=True, slots=True)
class _Row:
    """Operators in a row, where nothing but these takes what is between them; ``across`` are those that may be passed."""

    graph: Graph
    needed: Container[int]
    across: Container[str]

    def before(self, operator: Operator) -> list[Operator]:
        """The operators in front, the nearest first, up to the first that is not passed."""
        return self._side(operator, lambda op: (op.inputs[0], self.graph.producer[op.inputs[0]]))

    def after(self, operator: Operator) -> list[Operator]:
        """The same behind."""
        return self._side(operator, lambda op: (op.outputs[0], (*self._readers(op.outputs[0]), -1)[0]))

    def _side(self, operator: Operator, step: Callable[[Operator], tuple[int, int]]) -> list[Operator]:
        found = [operator]
        while len(found) == 1 or (len(found) == 2 and self._passes(found[1])):
            tensor, index = step(found[-1])
            if index < 0 or len(self._readers(tensor)) != 1:
                return []
            found.append(self.graph.subgraph.operators[index])
            if not has_ends(found[-1]):
                return []
        return found[1:]

    def _readers(self, tensor: int) -> list[int]:
        return [reader for reader in self.graph.consumers[tensor] if reader in self.needed]

    def _passes(self, operator: Operator) -> bool:
        """Whether an operator only puts dimensions of 1 elsewhere."""
        ends = (operator.inputs[0], operator.outputs[0])
        given, made = (_long(self.graph.subgraph.tensors[t]) for t in ends)
        return operator.opcode in self.across and given == made


def _long(tensor: Tensor) -> list[int]:
    """The dimensions that are not 1; one that is open, behind the first, is like no length."""
    signature = tensor.shape_signature or tensor.shape
    dims = [
        d if n == 0 or s >= 0 else -1 for n, (d, s) in enumerate(zip(tensor.shape, signature, strict=False))
    ]
    return [d for d in dims if d != 1]


def _as_one(
    subgraph: Subgraph, operator: Operator, fusion: Fusion, before: list[Operator], after: list[Operator]
) -> Fused:
    """The one operator: the tensors at its ends have the shapes of those outside, the parameters of those inside."""
    tensors = subgraph.tensors
    given = _formed(tensors[operator.inputs[0]], tensors[before[0].inputs[0]])
    made = _formed(tensors[operator.outputs[0]], tensors[after[-1].outputs[0]])
    options = operator.options
    values = constant_integers(tensors[before[0].inputs[fusion.dilation]])
    block = None if values is None else tuple(values.flat)
    if block:
        assert options is not None
        sides = {"dilation_h_factor": int(block[0]), "dilation_w_factor": int(block[-1])}
        options = replace(options, fields={**options.fields, **sides})
    one = replace(
        operator,
        inputs=(given.index, *operator.inputs[1:]),
        outputs=(made.index, *operator.outputs[1:]),
        options=options,
    )
    ends = tuple(op.index for op in (*before, *after))
    return Fused(fusion, ends, one, {t.index: t for t in (given, made)}, block)


def _formed(inside: Tensor, outside: Tensor) -> Tensor:
    """Of as many dimensions as the operator takes: those of 1 in front are none of a row of pixels."""
    shape = outside.shape
    if shape and inside.shape:
        shape = (1,) * (len(inside.shape) - len(shape)) + tuple(shape)
    return replace(outside, shape=shape, quantization=inside.quantization)

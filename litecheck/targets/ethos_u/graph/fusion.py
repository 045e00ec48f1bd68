"""Fusion: the compiler turns three consecutive operators into a dilated convolution."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, replace

from litecheck.model.graph import Graph, has_ends
from litecheck.model.output_first_order import visit_order_of
from litecheck.model.shapes.call import constant_integers
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.profile.types import Profile
from litecheck.targets.ethos_u.rewrites import Fusion, rewrites_of


@dataclass(frozen=True, slots=True)
class FusedOperator:
    """A candidate for a fusion.

    ``operator`` is the fused form of the operator in the middle, ``outer`` are the indices of the outer operators, the
    dilating operator first. ``tensors`` are the input and output of the fused operator by index. ``block_shape`` is the
    dilation; None if it is computed.
    """

    fusion: Fusion
    outer: tuple[int, ...]
    operator: Operator
    tensors: Mapping[int, Tensor]
    block_shape: tuple[int, ...] | None


def fusion_candidates(model: Model, subgraph: Subgraph, profile: Profile) -> Iterator[FusedOperator]:
    """Return all consecutive operators that a fusion of the profile matches."""
    kinds = {op.opcode for op in subgraph.operators}
    fusions = rewrites_of(profile).fusions
    fusions = {k: f for k, f in fusions.items() if {k, f.before, f.after} <= kinds}
    if not fusions:
        return
    visits = visit_order_of(model, subgraph)
    for operator in subgraph.operators:
        fusion = fusions.get(operator.opcode)
        if fusion is not None and operator.index in visits.operators and _is_fusible(operator):
            chain = _Chain(visits.graph, visits.operators, fusion.across)
            before, after = chain.before(operator), chain.after(operator)
            ends = [side[-1].opcode if side else "" for side in (before, after)]
            if ends == [fusion.before, fusion.after] and has_ends(before[-1], fusion.dilation):
                yield _fuse(subgraph, operator, fusion, before[::-1], after)


def _is_fusible(operator: Operator) -> bool:
    """Return True if an operator has options, an input and an output, and no fused activation."""
    options = operator.options
    return options is not None and not options.get("fused_activation_function", 0) and has_ends(operator)


@dataclass(frozen=True, slots=True)
class _Chain:
    """Operators around another operator, if each tensor between has one reader; ``across`` are skipped types."""

    graph: Graph
    live: Container[int]
    across: Container[str]

    def before(self, operator: Operator) -> list[Operator]:
        """Return the producers of the operator's input, the nearest first, up to the first that is not skipped."""
        return self._neighbors(operator, lambda op: (op.inputs[0], self.graph.producer[op.inputs[0]]))

    def after(self, operator: Operator) -> list[Operator]:
        """Return the readers of the operator's output, the nearest first, up to the first that is not skipped."""
        return self._neighbors(operator, lambda op: (op.outputs[0], (*self._readers(op.outputs[0]), -1)[0]))

    def _neighbors(self, operator: Operator, step: Callable[[Operator], tuple[int, int]]) -> list[Operator]:
        found = [operator]
        while len(found) == 1 or (len(found) == 2 and self._is_skipped(found[1])):
            tensor, index = step(found[-1])
            if index < 0 or len(self._readers(tensor)) != 1:
                return []
            found.append(self.graph.subgraph.operators[index])
            if not has_ends(found[-1]):
                return []
        return found[1:]

    def _readers(self, tensor: int) -> list[int]:
        return [reader for reader in self.graph.consumers[tensor] if reader in self.live]

    def _is_skipped(self, operator: Operator) -> bool:
        """Return True if an operator only moves dimensions of 1."""
        ends = (operator.inputs[0], operator.outputs[0])
        input_dims, output_dims = (_dims_above_one(self.graph.subgraph.tensors[t]) for t in ends)
        return operator.opcode in self.across and input_dims == output_dims


def _dims_above_one(tensor: Tensor) -> list[int]:
    """Return the dimensions that are not 1. A dynamic dimension, except the first, is -1."""
    signature = tensor.shape_signature or tensor.shape
    dims = [
        d if n == 0 or s >= 0 else -1 for n, (d, s) in enumerate(zip(tensor.shape, signature, strict=False))
    ]
    return [d for d in dims if d != 1]


def _fuse(
    subgraph: Subgraph, operator: Operator, fusion: Fusion, before: list[Operator], after: list[Operator]
) -> FusedOperator:
    """Return the fused operator: shapes are those of the outer tensors, quantization that of the inner tensors."""
    tensors = subgraph.tensors
    outer_input = _copy_outer_shape(tensors[operator.inputs[0]], tensors[before[0].inputs[0]])
    outer_output = _copy_outer_shape(tensors[operator.outputs[0]], tensors[after[-1].outputs[0]])
    options = operator.options
    values = constant_integers(tensors[before[0].inputs[fusion.dilation]])
    block = None if values is None else tuple(values.flat)
    if block:
        assert options is not None
        sides = {"dilation_h_factor": int(block[0]), "dilation_w_factor": int(block[-1])}
        options = replace(options, fields={**options.fields, **sides})
    fused = replace(
        operator,
        inputs=(outer_input.index, *operator.inputs[1:]),
        outputs=(outer_output.index, *operator.outputs[1:]),
        options=options,
    )
    outer = tuple(op.index for op in (*before, *after))
    return FusedOperator(fusion, outer, fused, {t.index: t for t in (outer_input, outer_output)}, block)


def _copy_outer_shape(inside: Tensor, outside: Tensor) -> Tensor:
    """Return the outer tensor with as many dimensions as the inner tensor; a sequence has no height, which becomes 1."""
    shape = outside.shape
    if shape and inside.shape:
        shape = (1,) * (len(inside.shape) - len(shape)) + tuple(shape)
    return replace(outside, shape=shape, quantization=inside.quantization)

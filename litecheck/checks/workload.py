"""What a subgraph costs: multiply-accumulates by operator, and the most bytes of computed tensors that live at one time."""

from __future__ import annotations

from math import prod

from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.profile.operators import facts_of
from litecheck.quantization import BITS


def multiply_accumulates(subgraph: Subgraph, operator: Operator) -> int:
    """How many products an operator adds up, by the shapes the file states; 0 of those that add up none.

    Every result takes as many as a filter has elements for one channel, or a row of a matrix; where filters are stamped,
    every input takes a whole filter of each channel.
    """
    facts = facts_of(operator.kind)
    if not facts.products or not operator.outputs or operator.outputs[0] < 0:
        return 0
    tensors = facts.tensors(operator)
    first, second = (tensors.get(role, -1) for role in facts.products)
    if first < 0 or second < 0:
        return 0
    source, factor = subgraph.tensors[first], subgraph.tensors[second]
    result = subgraph.tensors[operator.outputs[0]]
    channels = facts.accumulates.channels if facts.accumulates else 0
    if not factor.shape or not source.shape or channels >= len(factor.shape):
        return 0
    if facts.over == "stamps":
        return prod(source.shape) * prod(factor.shape[:-1])
    if facts.inputs.get(facts.products[1]) != "weight":
        turned = bool(operator.options and operator.options.get("adj_x", False))
        return prod(result.shape) * source.shape[-2 if turned and len(source.shape) > 1 else -1]
    return prod(result.shape) * (prod(factor.shape) // max(factor.shape[channels], 1))


def largest_live_set(subgraph: Subgraph) -> int:
    """The most bytes that tensors need which an operator reads or writes, or a later one will read."""
    last: dict[int, int] = dict.fromkeys(subgraph.outputs, len(subgraph.operators))
    for n, operator in enumerate(subgraph.operators):
        for index in (*operator.inputs, *operator.outputs):
            last[index] = max(last.get(index, 0), n)
    held = {i: _bytes(subgraph.tensors[i]) for i in subgraph.inputs if i >= 0}
    most = sum(held.values())
    for n, operator in enumerate(subgraph.operators):
        held.update((i, _bytes(subgraph.tensors[i])) for i in operator.outputs if i >= 0)
        most = max(most, sum(held.values()))
        for index in [i for i in held if last.get(i, -1) <= n]:
            del held[index]
    return most


def _bytes(tensor: Tensor) -> int:
    return 0 if tensor.data is not None else -(-prod(tensor.shape) * BITS.get(tensor.dtype, 32) // 8)

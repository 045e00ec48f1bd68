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
    tensors = subgraph.tensors
    last = dict.fromkeys(subgraph.inputs, 0)
    last |= {t: n for n, op in enumerate(subgraph.operators) for t in (*op.inputs, *op.outputs)}
    last |= dict.fromkeys(subgraph.outputs, len(subgraph.operators))
    freed: dict[int, list[int]] = {}
    for t, n in last.items():
        freed.setdefault(n, []).append(t)
    held = {t: _bytes(tensors[t]) for t in subgraph.inputs if t >= 0}
    live = most = sum(held.values())
    for n, operator in enumerate(subgraph.operators):
        for t in operator.outputs:
            if t >= 0 and t not in held:
                held[t] = _bytes(tensors[t])
                live += held[t]
        most = max(most, live)
        live -= sum(held.pop(t, 0) for t in freed.get(n, ()))
    return most


def _bytes(tensor: Tensor) -> int:
    return 0 if tensor.data is not None else -(-prod(tensor.shape) * BITS.get(tensor.dtype, 32) // 8)

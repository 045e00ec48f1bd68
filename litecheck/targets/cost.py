"""Cost of a subgraph: multiply-accumulates of an operator, and peak activation memory."""

from __future__ import annotations

from math import prod

from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.profile.operators import traits_of
from litecheck.quantization import BITS


def count_macs(subgraph: Subgraph, operator: Operator) -> int:
    """Count the multiply-accumulates of an operator by the declared shapes; 0 for operators without products.

    CONV_2D takes output elements x kernel height x kernel width x input channels / groups. TRANSPOSE_CONV takes input
    elements x output channels x kernel height x kernel width. FULLY_CONNECTED and BATCH_MATMUL take output elements x
    depth. For example, an output (1, 4, 4, 8) of a filter (8, 3, 3, 2) takes 128 x 18 = 2,304.
    """
    facts = traits_of(operator.kind)
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


def peak_live_bytes(subgraph: Subgraph) -> int:
    """Return the peak activation memory in bytes: operators run in the order of the file, and a tensor
    is live until its last reader has run. Constants do not count."""
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

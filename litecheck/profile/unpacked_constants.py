"""Constants that the default delegate converts when LiteRT loads a model: DEQUANTIZE and DENSIFY of constants."""

from __future__ import annotations

from litecheck.model.graph import wiring_of
from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.profile.operators import traits_of


def is_unpacked(subgraph: Subgraph, tensor: Tensor) -> bool:
    """Return True if a tensor is the output of DEQUANTIZE or DENSIFY of a constant, directly or through several
    operators.

    For example, float32 weights that DEQUANTIZE computes from constant float16 weights are unpacked.
    """
    wiring = wiring_of(subgraph)
    followed: set[int] = set()
    while not tensor.is_constant and tensor.index not in wiring.inputs and tensor.index not in followed:
        followed.add(tensor.index)
        writer = wiring.first_writer.get(tensor.index)
        if writer is None:
            return False
        operator = subgraph.operators[writer]
        given = [subgraph.tensors[i] for i in operator.inputs if i >= 0]
        if len(given) != 1 or given[0].dtype not in traits_of(operator.opcode).unpacked:
            return False
        (tensor,) = given
    return tensor.is_constant and bool(followed)


def unpacking_operators(subgraph: Subgraph) -> list[Operator]:
    """Return the operators with a single output that is an unpacked constant."""
    return [
        operator
        for operator in subgraph.operators
        if len(operator.outputs) == 1 and is_unpacked(subgraph, subgraph.tensors[operator.outputs[0]])
    ]

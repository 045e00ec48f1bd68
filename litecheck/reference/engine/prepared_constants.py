"""Constants of a model as operands of kernels."""

from __future__ import annotations

import numpy as np

from litecheck.model.graph import wiring_of
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Subgraph, Tensor
from litecheck.quantization import Blockwise
from litecheck.reference.registry import densifier
from litecheck.reference.runtime_tensors import Array, Operand, RunError


def constant(subgraph: Subgraph, tensor: Tensor) -> Operand | None:
    """Return a constant tensor as an operand, None if it has no values or no numpy type.

    Raises RunError for a shape that no array has: too many dimensions, or too large dimensions beside a dimension of 0.
    """
    try:
        values = stored_integers(tensor) if tensor.sparsity is None else _densify(subgraph, tensor)
    except ValueError as error:
        raise RunError(
            f"constant '{tensor.name}' (tensor {tensor.index}) has a shape that no array has"
        ) from error
    if values is None:
        return None
    held = values.astype(np.bool_) if tensor.dtype == "bool" else values
    details = tensor.quantization.details
    blocks = None
    if isinstance(details, Blockwise) and 0 <= details.scales < len(subgraph.tensors):
        blocks = (
            constant(subgraph, subgraph.tensors[details.scales]) if details.scales != tensor.index else None
        )
    return Operand(held, tensor.dtype, tensor.quantization, True, blocks)


def _densify(subgraph: Subgraph, tensor: Tensor) -> Array | None:
    """Return the dense values of a sparse constant if all its readers are of one operator with a densifier, else None."""
    readers = {subgraph.operators[at].opcode for at in wiring_of(subgraph).readers.get(tensor.index, ())}
    unfold = densifier(readers.pop()) if len(readers) == 1 else None
    return unfold(tensor) if unfold else None

"""Tensors that contain only the real value 0 in every run: initial states of unrolled recurrent layers."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from litecheck.model.constant_values import zero_points
from litecheck.model.shapes import Law
from litecheck.model.shapes.call import LawOf
from litecheck.model.shapes.conv import fully_connected
from litecheck.model.shapes.creation import fill
from litecheck.model.shapes.lengths import multiply
from litecheck.model.shapes.movement import expand_dims, reshape, squeeze, transpose
from litecheck.model.shapes.slices import slice_, split, split_v, strided_slice
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Subgraph, Tensor

#: Laws of operators that copy the values of an input, with its role.
_COPIED: dict[Law, str] = {
    fill: "value",
    **dict.fromkeys(
        (expand_dims, reshape, slice_, split, split_v, squeeze, strided_slice, transpose), "input"
    ),
}
#: Laws of operators with products of two inputs, with their roles.
_PRODUCTS: dict[Law, frozenset[str]] = {
    multiply: frozenset({"lhs", "rhs"}),
    fully_connected: frozenset({"input", "weight"}),
}


def known_zeros(subgraph: Subgraph, law_of: LawOf) -> frozenset[int]:
    """Return the indices of the tensors that contain only the real value 0.

    Example: FILL with 0, FULLY_CONNECTED of its output without a bias, and STRIDED_SLICE of that output.
    """
    zeros: set[int | None] = {tensor.index for tensor in subgraph.tensors if _is_constant_zero(tensor)}
    for operator in subgraph.operators:
        entry = law_of(operator)
        if entry is None:
            continue
        law, roles = entry[0], entry[1]
        inputs = {role: index for role, index in zip(roles, operator.inputs, strict=False) if index >= 0}
        if inputs.get(_COPIED.get(law, "")) in zeros or _is_zero_product(law, inputs, zeros):
            zeros.update(index for index in operator.outputs if index >= 0)
    return frozenset(index for index in zeros if index is not None)


def _is_zero_product(law: Law, inputs: dict[str, int], zeros: Collection[int | None]) -> bool:
    factors = _PRODUCTS.get(law, frozenset())
    added = inputs.keys() - factors
    return any(inputs.get(role) in zeros for role in factors) and all(inputs[role] in zeros for role in added)


def _is_constant_zero(tensor: Tensor) -> bool:
    stored = stored_integers(tensor) if tensor.is_constant else None
    if stored is None or not stored.size or tensor.quantization.details is not None:
        return False
    zero = np.unique(zero_points(tensor.quantization)) if tensor.quantization.scale.size else np.zeros(1)
    return zero.size == 1 and bool((stored == zero[0]).all())

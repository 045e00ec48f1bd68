"""Similarity of constants: samples of an operator's largest constant, and the closeness of two samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.model.constant_values import constant_sample
from litecheck.model.node_signatures import View
from litecheck.model.types import Tensor

#: Elements of a constant that are compared if several operators have one signature.
_SAMPLED = 256


def closeness(one: NDArray[Any], other: NDArray[Any]) -> float:
    """Return 1 for equal values, 0 for opposite values: (1, 2) and (1, 2.2) give 0.96."""
    lengths = float(np.linalg.norm(one) + np.linalg.norm(other))
    return 1 - float(np.linalg.norm(one - other)) / lengths if lengths else 1.0


def fingerprint(view: View, index: int) -> NDArray[Any]:
    """Return up to 256 real values of an operator's largest constant, or an empty array."""
    largest = largest_constant(view, index)
    sample = None if largest is None else constant_sample(largest, _SAMPLED)
    return np.empty(0) if sample is None else np.nan_to_num(sample)


def largest_constant(view: View, index: int) -> Tensor | None:
    """Return the constant input of an operator with the most elements, or None."""
    tensors = (view.subgraph.tensors[n] for kind, n in view.sources[index] if kind == "constant")
    return max(tensors, key=lambda tensor: tensor.size, default=None)

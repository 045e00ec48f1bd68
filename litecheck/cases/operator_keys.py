"""Keys of operators in tables: activation type and granularity of weights."""

from __future__ import annotations

from itertools import chain

from litecheck.model.types import Operator, Subgraph


def activation_type(subgraph: Subgraph, operator: Operator) -> str:
    """Return the type of an operator's activations: of its first computed input, else of its first output."""
    computed = (i for i in operator.inputs if i >= 0 and not subgraph.tensors[i].is_constant)
    found = next(chain(computed, (i for i in operator.outputs if i >= 0)), None)
    return "" if found is None else subgraph.tensors[found].dtype


def weight_granularity(subgraph: Subgraph, operator: Operator) -> str:
    """Return ``per-axis`` or ``per-tensor`` by the scales of an operator's constants; "" if no constant has a scale."""
    tensors = (subgraph.tensors[i] for i in operator.inputs if i >= 0)
    counts = [t.quantization.scale.size for t in tensors if t.is_constant and t.quantization.scale.size]
    if not counts:
        return ""
    return "per-axis" if max(counts) > 1 else "per-tensor"

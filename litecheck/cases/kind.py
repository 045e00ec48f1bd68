"""What operators are told apart by in tables: the type of their activations, the granularity of their weights."""

from __future__ import annotations

from itertools import chain

from litecheck.model.types import Operator, Subgraph


def activation_type(subgraph: Subgraph, operator: Operator) -> str:
    """The type of an operator's activations: its first computed input's, else its first output's."""
    computed = (i for i in operator.inputs if i >= 0 and not subgraph.tensors[i].is_constant)
    found = next(chain(computed, (i for i in operator.outputs if i >= 0)), None)
    return "" if found is None else subgraph.tensors[found].dtype


def weight_granularity(subgraph: Subgraph, operator: Operator) -> str:
    """``per-axis`` or ``per-tensor`` by the scales of an operator's constants; nothing where none has any."""
    tensors = (subgraph.tensors[i] for i in operator.inputs if i >= 0)
    counts = [t.quantization.scale.size for t in tensors if t.is_constant and t.quantization.scale.size]
    if not counts:
        return ""
    return "per-axis" if max(counts) > 1 else "per-tensor"

"""Real values of hybrid models: blocks of weights dequantized, and constants in place of a DEQUANTIZE."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Buffer, Model, Subgraph, Tensor
from litecheck.quantization import Blockwise


def blocks_of(tensor: Tensor, graph: Subgraph) -> np.ndarray | None:
    """Return the real values of a blockwise constant, or None if its blocks do not fit."""
    details = tensor.quantization.details
    if not isinstance(details, Blockwise) or not 0 <= details.scales < len(graph.tensors):
        return None
    values, scales = stored_integers(tensor), stored_integers(graph.tensors[details.scales])
    zeros = stored_integers(graph.tensors[details.zero_points]) if details.zero_points >= 0 else None
    if (
        values is None
        or scales is None
        or details.block_size < 1
        or values.size != scales.size * details.block_size
    ):
        return None
    if not np.isfinite(scales).all():
        return None
    blocks = values.reshape(-1, details.block_size).astype(np.float64)
    blocks = blocks - (0 if zeros is None else zeros.reshape(-1, 1).astype(np.float64))
    return (
        np.asarray(blocks * scales.reshape(-1, 1).astype(np.float64)).reshape(tensor.shape).astype(np.float32)
    )


def folded(model: Model) -> Model:
    """Return the model without a DEQUANTIZE at its beginning: its output becomes a constant."""
    graph = model.subgraphs[0]
    first, *rest = graph.operators
    if first.opcode != "DEQUANTIZE" or not rest:
        return model
    values = stored_integers(graph.tensors[first.inputs[0]])
    assert values is not None
    held = values.astype(np.float32).reshape(-1).view(np.uint8)
    tensors = list(graph.tensors)
    tensors[first.outputs[0]] = replace(
        tensors[first.outputs[0]], dtype="float32", buffer=len(model.buffers), data=held
    )
    graph = replace(graph, tensors=tuple(tensors), operators=tuple(rest))
    return replace(model, subgraphs=(graph,), buffers=(*model.buffers, Buffer(held)))

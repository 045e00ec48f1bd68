"""Search for the float parts of a model: inputs and outputs of its entry points, and islands of float operators."""

from __future__ import annotations

from collections.abc import Iterable

from litecheck.checks.coverage import FLOATS
from litecheck.float_parts import FloatParts
from litecheck.model.types import Model, Subgraph, Tensor


def float_parts(model: Model) -> FloatParts:
    """Return the float parts of a model.

    For example, SQRT of float32 between DEQUANTIZE and QUANTIZE is an island; DEQUANTIZE and QUANTIZE are none.
    """
    entries = {0, *(signature.subgraph for signature in model.signatures)}
    graphs = [subgraph for subgraph in model.subgraphs if subgraph.index in entries]
    return FloatParts(
        sum(_floats(graph, graph.inputs) for graph in graphs),
        sum(_floats(graph, graph.outputs) for graph in graphs),
        tuple(island for subgraph in model.subgraphs for island in _islands(subgraph)),
        any(_is_quantized(tensor) for graph in model.subgraphs for tensor in graph.tensors),
    )  # fmt: skip


def _is_quantized(tensor: Tensor) -> bool:
    """Return True if a tensor has scales, or names a tensor that holds them, as blockwise weights do."""
    quantization = tensor.quantization
    return tensor.dtype not in FLOATS and bool(quantization.scale.size or quantization.details is not None)


def _floats(subgraph: Subgraph, indices: Iterable[int]) -> int:
    return sum(subgraph.tensors[i].dtype in FLOATS for i in set(indices))


def _islands(subgraph: Subgraph) -> list[tuple[tuple[int, int], ...]]:
    """Return the connected operators that have a computed float input and a float output."""
    computed = {t.index for t in subgraph.tensors if t.dtype in FLOATS and t.data is None}
    if not computed:
        return []
    islands: list[tuple[set[int], list[int]]] = []
    for operator in subgraph.operators:
        tensors = computed.intersection((*operator.inputs, *operator.outputs))
        if computed.isdisjoint(operator.inputs) or computed.isdisjoint(operator.outputs):
            continue
        joined = [island for island in islands if not tensors.isdisjoint(island[0])]
        islands = [island for island in islands if tensors.isdisjoint(island[0])]
        tensors = tensors.union(*(one for one, _ in joined))
        islands.append((tensors, [*(n for _, members in joined for n in members), operator.index]))
    return [tuple((subgraph.index, n) for n in members) for _, members in islands]

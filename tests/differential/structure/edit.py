"""Model with a single change, and the edits that changes consist of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from litecheck.model.save import model_bytes
from litecheck.model.stored_values import pack, stored_integers
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.quantization import BITS


@dataclass(frozen=True)
class Mutant:
    """Changed model. ``place``: the changed part of the operator (``input1``, ``option stride_w``); ``change``: the new
    value.
    """

    kind: str
    operator: str
    place: str
    change: str
    model: Model

    @property
    def name(self) -> str:
        return f"{self.operator} {self.place} {self.change}"


@dataclass(frozen=True)
class Operand:
    """Tensor at its first use by an operator."""

    graph: Subgraph
    operator: Operator
    place: str
    tensor: Tensor

    @property
    def indexes(self) -> bool:
        """True for a constant of plain integers: a permutation, a shape, an axis."""
        t = self.tensor
        return t.is_constant and not t.quantization.scale.size and t.dtype in ("int32", "int64")


def operands(model: Model) -> Iterator[Operand]:
    """Yield every input, output and intermediate tensor of an operator once."""
    for graph in model.subgraphs:
        seen: set[int] = set()
        for op in graph.operators:
            for side in ("inputs", "outputs", "intermediates"):
                for at, index in enumerate(getattr(op, side)):
                    if index >= 0 and index not in seen:
                        seen.add(index)
                        yield Operand(graph, op, f"{side[:-1]}{at}", graph.tensors[index])


def with_tensor(model: Model, graph: Subgraph, tensor: Tensor) -> Model:
    """Return the model with the tensor of this index replaced."""
    tensors = (*graph.tensors[: tensor.index], tensor, *graph.tensors[tensor.index + 1 :])
    return with_graph(model, replace(graph, tensors=tensors))


def with_operator(model: Model, graph: Subgraph, op: Operator) -> Model:
    """Return the model with the operator of this index replaced."""
    return with_graph(
        model, replace(graph, operators=(*graph.operators[: op.index], op, *graph.operators[op.index + 1 :]))
    )


def with_graph(model: Model, graph: Subgraph) -> Model:
    """Return the model with the subgraph of this index replaced."""
    return replace(
        model, subgraphs=(*model.subgraphs[: graph.index], graph, *model.subgraphs[graph.index + 1 :])
    )


def added(graph: Subgraph, tensor: Tensor) -> tuple[Subgraph, int]:
    """Return the subgraph with an additional tensor, and the tensor's index."""
    index = len(graph.tensors)
    return replace(graph, tensors=(*graph.tensors, replace(tensor, index=index))), index


def holding(tensor: Tensor, values: np.ndarray, dtype: str | None = None) -> Tensor:
    """Return a constant with new values, in their shape; for a different type they are clipped to its range."""
    dtype = dtype or tensor.dtype
    if BITS[dtype] < 8:
        limit = 1 << (BITS[dtype] - 1)
        data = pack(np.clip(values, -limit, limit - 1).astype(np.int8), dtype)
    else:
        kind = np.dtype("uint16" if dtype == "bfloat16" else dtype)
        if kind.kind in "iu" and values.dtype.kind in "iu":
            info = np.iinfo(kind)
            values = np.asarray(np.clip(values.astype(object), info.min, info.max))
        with np.errstate(over="ignore"):
            data = np.frombuffer(values.astype(kind).tobytes(), np.uint8)
    return replace(tensor, dtype=dtype, shape=values.shape, data=data)


@lru_cache(maxsize=8)
def file_of(model: Model) -> bytes:
    """Return the file of a model. Cached: several functions need the file in sequence."""
    return model_bytes(model)


def values_of(tensor: Tensor) -> np.ndarray:
    """Return a constant's values."""
    values = stored_integers(tensor)
    assert values is not None
    return values

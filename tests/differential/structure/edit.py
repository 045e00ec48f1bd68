"""A model with one thing broken, and the few edits that every kind of breaking is made of."""

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
    """``place`` says what of which operator was changed (``input1``, ``option stride_w``), ``change`` into what."""

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
    """One tensor where an operator first meets it."""

    graph: Subgraph
    operator: Operator
    place: str
    tensor: Tensor

    @property
    def indexes(self) -> bool:
        """Whether it is a constant of plain integers: a permutation, a shape, an axis."""
        t = self.tensor
        return t.is_constant and not t.quantization.scale.size and t.dtype in ("int32", "int64")


def operands(model: Model) -> Iterator[Operand]:
    """Every tensor that an operator reads, writes or sets aside, once."""
    for graph in model.subgraphs:
        seen: set[int] = set()
        for op in graph.operators:
            for side in ("inputs", "outputs", "intermediates"):
                for at, index in enumerate(getattr(op, side)):
                    if index >= 0 and index not in seen:
                        seen.add(index)
                        yield Operand(graph, op, f"{side[:-1]}{at}", graph.tensors[index])


def with_tensor(model: Model, graph: Subgraph, tensor: Tensor) -> Model:
    """The model with another tensor in the place of that index."""
    tensors = (*graph.tensors[: tensor.index], tensor, *graph.tensors[tensor.index + 1 :])
    return with_graph(model, replace(graph, tensors=tensors))


def with_operator(model: Model, graph: Subgraph, op: Operator) -> Model:
    """The model with another operator in the place of that index."""
    return with_graph(
        model, replace(graph, operators=(*graph.operators[: op.index], op, *graph.operators[op.index + 1 :]))
    )


def with_graph(model: Model, graph: Subgraph) -> Model:
    """The model with another subgraph in the place of that index."""
    return replace(
        model, subgraphs=(*model.subgraphs[: graph.index], graph, *model.subgraphs[graph.index + 1 :])
    )


def added(graph: Subgraph, tensor: Tensor) -> tuple[Subgraph, int]:
    """The subgraph with one more tensor, and its index."""
    index = len(graph.tensors)
    return replace(graph, tensors=(*graph.tensors, replace(tensor, index=index))), index


def holding(tensor: Tensor, values: np.ndarray, dtype: str | None = None) -> Tensor:
    """A constant with other values, in their shape; where the type is another they are cut to what it holds."""
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
    """The file of a model, which several ask for in turn."""
    return model_bytes(model)


def values_of(tensor: Tensor) -> np.ndarray:
    """A constant's values."""
    values = stored_integers(tensor)
    assert values is not None
    return values

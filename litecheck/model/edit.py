"""Edits of a subgraph: tensors replaced or added, operators inserted, indices renumbered at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import ConfigError, wrong_type
from litecheck.flatbuffer.table import Table
from litecheck.model.types import Buffer, Model, Operator, Subgraph, Tensor
from litecheck.public_call import shows_call
from litecheck.quantization import Quantization
from litecheck.summary_text import count_of


class SubgraphEditor:
    """Editor of a subgraph. Tensors keep their numbers and new tensors follow. :meth:`finish` renumbers the operators
    and returns their former numbers."""

    def __init__(self, subgraph: Subgraph) -> None:
        if not isinstance(subgraph, Subgraph):
            raise wrong_type("SubgraphEditor", "a Subgraph", subgraph, "SubgraphEditor(model.subgraphs[0])")
        self.subgraph = subgraph
        self.tensors: list[Tensor] = [replace(t, buffer=0) for t in subgraph.tensors]
        self.inputs = list(subgraph.inputs)
        self.outputs = list(subgraph.outputs)
        self._operators: dict[int, Operator] = {op.index: op for op in subgraph.operators}
        self._inserted: dict[int, list[Operator]] = {}

    def operator(self, index: int) -> Operator:
        """Return an operator of the subgraph in its current state. Raises ConfigError for a missing operator."""
        if index not in self._operators:
            raise self._missing_error("operator", index, len(self._operators))
        return self._operators[index]

    def change(self, index: int, **fields: Any) -> None:
        """Change fields of an operator. Raises ConfigError for a missing operator."""
        self._operators[index] = replace(self.operator(index), **fields)

    def set_tensor(self, index: int, **fields: Any) -> None:
        """Change fields of a tensor. Raises ConfigError for a missing tensor."""
        if not 0 <= index < len(self.tensors):
            raise self._missing_error("tensor", index, len(self.tensors))
        self.tensors[index] = replace(self.tensors[index], **fields)

    def _missing_error(self, kind: str, index: int, count: int) -> ConfigError:
        where = f"subgraph {self.subgraph.index}"
        return ConfigError(f"{where}: got {kind} {index}, expected one of its {count_of(count, kind)}")

    def add_tensor(
        self, name: str, shape: Sequence[int], dtype: str, quantization: Quantization | None = None,
        data: NDArray[np.uint8] | None = None,
    ) -> int:  # fmt: skip
        """Add a tensor after the existing tensors, and return its number."""
        index = len(self.tensors)
        quantization = quantization or Quantization()
        self.tensors.append(Tensor(index, name, dtype, tuple(shape), data=data, quantization=quantization))
        return index

    def add_like(
        self, tensor: Tensor, name: str, dtype: str, quantization: Quantization,
        data: NDArray[np.uint8] | None = None,
    ) -> int:  # fmt: skip
        """Add a tensor with the shape of another tensor, and return its number."""
        index = self.add_tensor(name, tensor.shape, dtype, quantization, data)
        self.set_tensor(index, shape_signature=tensor.shape_signature, has_rank=tensor.has_rank)
        return index

    def insert(
        self, behind: int, opcode: str, source: int, target: int, options: Table | None, version: int
    ) -> None:
        """Insert an operator with one input after an existing operator; ``behind`` -1 inserts it first."""
        operator = Operator(-1, opcode, (source,), (target,), version, options=options)
        self._inserted.setdefault(behind, []).append(operator)

    def finish(self) -> tuple[Subgraph, tuple[int, ...]]:
        """Return the subgraph, and the former number of each operator, -1 for inserted operators."""
        order: list[tuple[int, Operator]] = [(-1, op) for op in self._inserted.get(-1, ())]
        for index, operator in self._operators.items():
            order.append((index, operator))
            order += [(-1, op) for op in self._inserted.get(index, ())]
        operators = tuple(replace(op, index=n, code_index=0) for n, (_, op) in enumerate(order))
        subgraph = replace(
            self.subgraph,
            tensors=tuple(self.tensors),
            operators=operators,
            inputs=tuple(self.inputs),
            outputs=tuple(self.outputs),
        )
        return subgraph, tuple(old for old, _ in order)


@shows_call("litecheck.with_subgraphs(model, [editor.finish()[0]])")
def with_subgraphs(model: Model, subgraphs: Sequence[Subgraph]) -> Model:
    """Return a model with these subgraphs, and the buffers and operator codes that they need; metadata stays."""
    blocks = [Buffer(np.empty(0, np.uint8))]
    metadata = []
    for name, number in model.metadata:
        if number < len(model.buffers):
            metadata.append((name, len(blocks)))
            blocks.append(Buffer(model.buffers[number].data))
    return replace(
        model, subgraphs=tuple(subgraphs), buffers=tuple(blocks), operator_codes=(), metadata=tuple(metadata)
    )


def with_metadata(model: Model, name: str, content: bytes) -> Model:
    """Return a model with a named block of bytes, which replaces a block of that name."""
    kept = tuple(pair for pair in model.metadata if pair[0] != name)
    buffers = (*model.buffers, Buffer(np.frombuffer(content, np.uint8)))
    return replace(model, buffers=buffers, metadata=(*kept, (name, len(buffers) - 1)))

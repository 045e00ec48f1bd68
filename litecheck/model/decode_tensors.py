"""The tensors of a model file, with their constants as views into it."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.flatbuffer.table import Table
from litecheck.flatbuffer.tables import Tables
from litecheck.model.columns import beyond_schema, lists, texts
from litecheck.model.external import ExternalFiles
from litecheck.model.parameters import quantizations
from litecheck.model.types import Buffer
from litecheck.quantization import BITS, Quantization


class TensorDecoder:
    """The tensors of one flatbuffer. ``longer`` lists those whose constant has more bytes than they need."""

    def __init__(self, tables: Tables, external: ExternalFiles) -> None:
        self.tables = tables
        self.external = external
        self.types = {v: k.lower() for k, v in tables.schema.enums["TensorType"].items()}
        self.bits = self._bits() if tables.count("Tensor") else []
        self.longer: list[int] = []

    def rows(self, buffers: tuple[Buffer, ...]) -> list[tuple[Any, ...]]:
        """The fields of every tensor behind its index, in the order of the Tensor class."""
        t = self.tables
        shapes, names = lists(t, "Tensor", "shape"), texts(t, "Tensor", "name")
        signatures, has_signature = (
            lists(t, "Tensor", "shape_signature"),
            t.has("Tensor", "shape_signature").tolist(),
        )
        kind, buffer = t.column("Tensor", "type").tolist(), t.column("Tensor", "buffer").tolist()
        variable, has_rank = (t.column("Tensor", name).tolist() for name in ("is_variable", "has_rank"))
        external = t.column("Tensor", "external_buffer").tolist()
        quantization = t.refs("Tensor", "quantization").row.tolist()
        parameters = quantizations(t)
        sparsity = t.refs("Tensor", "sparsity").row.tolist()
        has_variants = t.has("Tensor", "variant_tensors").tolist()
        unknown = beyond_schema(t, "Tensor")
        none = Quantization()
        out: list[tuple[Any, ...]] = []
        for row in range(t.count("Tensor")):
            parameter = quantization[row]
            out.append(
                (
                    names[row],
                    self.types.get(kind[row]) or f"type {kind[row]}",
                    shapes[row],
                    buffer[row],
                    self._data(row, buffers, buffer[row], external[row], shapes[row]),
                    parameters[parameter] if parameter >= 0 else none,
                    bool(variable[row]),
                    signatures[row] if has_signature[row] else None,
                    bool(has_rank[row]),
                    external[row],
                    t.record("SparsityParameters", sparsity[row]) if sparsity[row] >= 0 else None,
                    self._variants(row) if has_variants[row] else (),
                    t.unknown("Tensor", row) if unknown[row] else (),
                )
            )
        return out

    def _variants(self, row: int) -> tuple[Table, ...]:
        t = self.tables
        return tuple(t.record("VariantSubType", int(v)) for v in t.children("Tensor", "variant_tensors", row))

    def _data(
        self, row: int, buffers: tuple[Buffer, ...], index: int, external: int, shape: tuple[int, ...]
    ) -> NDArray[np.uint8] | None:
        """A tensor's constant, as much of it as shape and type need."""
        if external:
            data = self.external.data(self.tables, external)
        else:  # buffer 0 stands for "no data", whatever it holds
            data = buffers[index].data if index else self.tables.data.raw[:0]
        if data is None or not len(data):
            return data if 0 in shape else None
        bits = self.bits[row]
        needed = (prod(shape) * bits + 7) // 8 if bits else len(data)
        if len(data) > needed:
            self.longer.append(row)
        return data[:needed]

    def _bits(self) -> list[int]:
        """Bits of an element of every tensor; 0 where shape and type do not say how many bytes it has."""
        t = self.tables
        dense = ~t.has("Tensor", "sparsity")
        width = [BITS.get(self.types.get(kind, ""), 0) for kind in t.column("Tensor", "type").tolist()]
        return [bits if plain else 0 for bits, plain in zip(width, dense.tolist(), strict=True)]

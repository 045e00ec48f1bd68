"""Tensors of a model file, with constants and parameters as views into the file; columns of a flatbuffer as lists."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Array
from litecheck.flatbuffer.table import Table
from litecheck.flatbuffer.tables import Tables, numpy_type
from litecheck.model.external_buffers import ExternalFiles
from litecheck.model.types import Buffer
from litecheck.quantization import BITS, Blockwise, Custom, Details, MultiAxis, Quantization

#: Maximum product of nonzero dimensions. numpy rejects arrays, even empty arrays, whose nonzero dimensions have 2^63 bytes,
#: and a value has at most 16 bytes.
_ADDRESSABLE = 1 << 59


def lists(tables: Tables, table: str, name: str) -> list[tuple[int, ...]]:
    """Return a vector of scalars of every row, as tuples."""
    refs = tables.refs(table, name)
    dtype = numpy_type(tables.schema.field(table, name).type)
    width = np.dtype(dtype).itemsize
    view = tables.data.view(dtype)
    spans = zip((refs.begin // width).tolist(), refs.length.tolist(), strict=True)
    return [tuple(view[b : b + n].tolist()) if n else () for b, n in spans]


def texts(tables: Tables, table: str, name: str) -> list[str]:
    """Return the string of every row."""
    refs, raw = tables.refs(table, name), tables.data.raw
    spans = zip(refs.begin.tolist(), refs.length.tolist(), strict=True)
    return [raw[b : b + n].tobytes().decode("utf-8", "backslashreplace") for b, n in spans]


def rows_beyond_schema(tables: Tables, table: str) -> list[bool]:
    """Return a flag per row: True if its vtable is longer than the slots in litecheck's schema."""
    last = max(f.slot for f in tables.schema.tables[table])
    return (tables.rows[table].vtable_size > 6 + 2 * last).tolist()  # type: ignore[no-any-return]


_TABLE = "QuantizationParameters"


def quantizations(tables: Tables) -> list[Quantization]:
    """Return the quantization of every row of the table, in row order."""
    if not tables.count(_TABLE):
        return []
    axis, details = tables.column(_TABLE, "quantized_dimension").tolist(), tables.refs(_TABLE, "details")
    keys = list(zip(details.row.tolist(), details.union_type.tolist(), strict=True))
    known = {key: _details(tables, *key) for key in set(keys) if key[1]}  # rows may share a details table
    scale, zero_point, least, most = (
        _vector_views(tables, name) for name in ("scale", "zero_point", "min", "max")
    )
    return [
        Quantization(scale[row], zero_point[row], axis[row], known.get(keys[row]), least[row], most[row])
        for row in range(tables.count(_TABLE))
    ]


def _vector_views(tables: Tables, name: str) -> list[Array]:
    """Return a vector of numbers of every row, as views into the file."""
    refs = tables.refs(_TABLE, name)
    dtype = numpy_type(tables.schema.field(_TABLE, name).type)
    width = np.dtype(dtype).itemsize
    view = tables.data.view(dtype)
    spans = zip((refs.begin // width).tolist(), refs.length.tolist(), strict=True)
    return [view[b : b + n] for b, n in spans]


def _details(tables: Tables, row: int, kind: int) -> Details:
    members = tables.schema.unions["QuantizationDetails"]
    if row < 0 or kind > len(members):
        return Custom(b"")
    table = tables.record(members[kind - 1], row)
    if table.type == "CustomQuantization":
        return Custom(bytes(table.get("custom", b"")))
    blockwise = table.type == "BlockwiseQuantization"
    sizes = table.get("block_shape" if blockwise else "quantized_dimensions", ())
    scales, zero_points, size = (table.get(name, 0) for name in ("scales", "zero_points", "block_size"))
    return (Blockwise if blockwise else MultiAxis)(scales, zero_points, size, tuple(int(n) for n in sizes))


class TensorDecoder:
    """Tensors of a flatbuffer. ``longer`` lists the rows whose constant has more bytes than shape and type need."""

    def __init__(self, tables: Tables, external: ExternalFiles) -> None:
        self.tables = tables
        self.external = external
        self.types = {v: k.lower() for k, v in tables.schema.enums["TensorType"].items()}
        self.bits = self._element_bits() if tables.count("Tensor") else []
        self.longer: list[int] = []

    def rows(self, buffers: tuple[Buffer, ...]) -> list[tuple[Any, ...]]:
        """Return the fields of every tensor except its index, in the order of the Tensor class."""
        t = self.tables
        shapes, names = lists(t, "Tensor", "shape"), texts(t, "Tensor", "name")
        has_shape = t.has("Tensor", "shape").tolist()
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
        unknown = rows_beyond_schema(t, "Tensor")
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
                    self._constant_bytes(row, buffers, buffer[row], external[row], shapes[row]),
                    parameters[parameter] if parameter >= 0 else none,
                    bool(variable[row]),
                    signatures[row] if has_signature[row] else None,
                    bool(has_rank[row]),
                    external[row],
                    t.record("SparsityParameters", sparsity[row]) if sparsity[row] >= 0 else None,
                    self._variants(row) if has_variants[row] else (),
                    t.unknown("Tensor", row) if unknown[row] else (),
                    not has_shape[row],
                )
            )
        return out

    def _variants(self, row: int) -> tuple[Table, ...]:
        t = self.tables
        return tuple(t.record("VariantSubType", int(v)) for v in t.children("Tensor", "variant_tensors", row))

    def _constant_bytes(
        self, row: int, buffers: tuple[Buffer, ...], index: int, external: int, shape: tuple[int, ...]
    ) -> NDArray[np.uint8] | None:
        """Return the bytes of a tensor's constant that shape and type need; None if there are none."""
        if 0 in shape and prod(n or 1 for n in shape) >= _ADDRESSABLE:
            return None
        if external:
            data = self.external.data(self.tables, external)
        else:  # buffer 0 means "no data", also if it has bytes
            data = buffers[index].data if index else self.tables.data.raw[:0]
        if data is None or not len(data):
            return data if 0 in shape else None
        bits = self.bits[row]
        needed = (prod(shape) * bits + 7) // 8 if bits else len(data)
        if len(data) > needed:
            self.longer.append(row)
        return data[:needed]

    def _element_bits(self) -> list[int]:
        """Return the bits per element of every tensor; 0 if shape and type do not determine the number of bytes."""
        t = self.tables
        dense = ~t.has("Tensor", "sparsity")
        width = [BITS.get(self.types.get(kind, ""), 0) for kind in t.column("Tensor", "type").tolist()]
        return [bits if plain else 0 for bits, plain in zip(width, dense.tolist(), strict=True)]

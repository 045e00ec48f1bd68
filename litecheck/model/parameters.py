"""Quantization tables to Quantization values: scales and zero points as views into the file."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from litecheck.arrays import Array
from litecheck.flatbuffer.table import Table
from litecheck.flatbuffer.tables import Tables, numpy_type
from litecheck.quantization import Blockwise, Custom, Details, MultiAxis, Quantization

_TABLE = "QuantizationParameters"


def quantizations(tables: Tables) -> list[Quantization]:
    """The quantization of every row of the table, in row order."""
    if not tables.count(_TABLE):
        return []
    axis, details = tables.column(_TABLE, "quantized_dimension").tolist(), tables.refs(_TABLE, "details")
    keys = list(zip(details.row.tolist(), details.union_type.tolist(), strict=True))
    told = {key: _details(tables, *key) for key in set(keys) if key[1]}  # many rows may share one
    scale, zero_point, least, most = (_views(tables, name) for name in ("scale", "zero_point", "min", "max"))
    return [
        Quantization(scale[row], zero_point[row], axis[row], told.get(keys[row]), least[row], most[row])
        for row in range(tables.count(_TABLE))
    ]


def _views(tables: Tables, name: str) -> list[Array]:
    """A vector of numbers of every row."""
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
    return _DETAILS[table.type](table)


def _blockwise(table: Table) -> Details:
    shape = tuple(int(n) for n in table.get("block_shape", ()))
    return Blockwise(table.get("scales", 0), table.get("zero_points", 0), table.get("block_size", 0), shape)


def _multi_axis(table: Table) -> Details:
    axes = tuple(int(n) for n in table.get("quantized_dimensions", ()))
    return MultiAxis(table.get("scales", 0), table.get("zero_points", 0), table.get("block_size", 0), axes)


def _custom(table: Table) -> Details:
    return Custom(bytes(table.get("custom", b"")))


_DETAILS: dict[str, Callable[[Table], Details]] = {
    "BlockwiseQuantization": _blockwise,
    "MultiAxisQuantization": _multi_axis,
    "CustomQuantization": _custom,
}

__all__ = ["quantizations"]

"""Columns of a flatbuffer as lists: read once for all rows of a table, and sliced many times."""

from __future__ import annotations

import numpy as np

from litecheck.flatbuffer.tables import Tables, numpy_type


def lists(tables: Tables, table: str, name: str) -> list[tuple[int, ...]]:
    """A vector of scalars of every row, as tuples."""
    refs = tables.refs(table, name)
    dtype = numpy_type(tables.schema.field(table, name).type)
    width = np.dtype(dtype).itemsize
    view = tables.data.view(dtype)
    spans = zip((refs.begin // width).tolist(), refs.length.tolist(), strict=True)
    return [tuple(view[b : b + n].tolist()) if n else () for b, n in spans]


def texts(tables: Tables, table: str, name: str) -> list[str]:
    """A text of every row."""
    refs, raw = tables.refs(table, name), tables.data.raw
    spans = zip(refs.begin.tolist(), refs.length.tolist(), strict=True)
    return [raw[b : b + n].tobytes().decode("utf-8", "backslashreplace") for b, n in spans]


def beyond_schema(tables: Tables, table: str) -> list[bool]:
    """Which rows have a vtable longer than the slots we know."""
    last = max(f.slot for f in tables.schema.tables[table])
    return (tables.rows[table].vtable_size > 6 + 2 * last).tolist()  # type: ignore[no-any-return]

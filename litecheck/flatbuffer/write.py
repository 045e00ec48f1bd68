"""Writer of table trees to flatbuffer bytes, driven by the schema of the reader."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import ModelError, Problem
from litecheck.flatbuffer.flatbuffer_builder import FlatbufferBuilder, packed
from litecheck.flatbuffer.schema import Field, Schema
from litecheck.flatbuffer.table import Table, UnknownField
from litecheck.flatbuffer.tables import numpy_type

#: Offsets are 32 bits wide, and readers take a file's size for a signed number.
SIZE_MAX = 2**31 - 1
#: Vectors of at least this many bytes are kept once when they are the same object in memory.
LONG = 1024


def write(table: Table, schema: Schema, *, drop_unknown: bool = False) -> memoryview:
    """Return the bytes of ``table``, the root of a file of that schema.

    Every field of the table is written, even if it equals the default, so that a file that is read and written reads
    the same again. Fields newer than the schema are written unchanged. A newer field that may be an offset cannot be
    written, and raises ModelError unless ``drop_unknown`` leaves such fields out. Raises ModelError beyond 2 GB,
    ValueError for a value that its field cannot hold.
    """
    writer = _Writer(schema, drop_unknown)
    root = writer.table(table)
    if writer.problems:
        raise ModelError("", tuple(writer.problems))
    writer.builder.finish(root, schema.identifier)
    if writer.builder.size > SIZE_MAX:
        raise ModelError("", (_too_large(),))
    return memoryview(writer.builder.content())


def _too_large() -> Problem:
    return Problem("too-large", "", 0, f"more than {SIZE_MAX} bytes, the most a flatbuffer can hold")


class _Writer:
    """A builder works from the end of the file towards its start: children are written before their table."""

    def __init__(self, schema: Schema, drop_unknown: bool) -> None:
        self.schema = schema
        self.drop_unknown = drop_unknown
        self.builder = FlatbufferBuilder()
        self.fields: dict[str, dict[str, Field]] = {}
        self.long: dict[tuple[int, int, int], int] = {}
        self.problems: list[Problem] = []

    def table(self, table: Table) -> int:
        """Write a table behind everything it refers to; returns its offset from the end.

        The widest fields come first, so that nothing lies between them; of equal width, scalars come first, then unknown
        fields, then offsets.
        """
        own: list[tuple[tuple[int, int], int, bytes | int]] = []
        if table.type not in self.fields:
            self.fields[table.type] = {f.name: f for f in self.schema.tables[table.type]}
        for name, value in table.fields.items():
            f = self.fields[table.type].get(name)
            if f is None:
                raise ValueError(f"{table.type} has no field {name!r}")
            if f.kind == "scalar":
                own.append(((-f.width, 0), f.slot, self.scalar(table, f, value)))
                continue
            if f.kind == "union":
                member = self.schema.unions[f.type].index(value.type) + 1  # type: ignore[union-attr]
                own.append(((-1, 2), f.slot - 1, packed("uint8", member)))
            own.append(((-4, 2), f.slot, self.child(f, value)))
        for u in self.kept(table):
            width = 1 << (len(u.data).bit_length() - 1)
            own.append(((-width, 1), u.slot, u.data[:width]))
        own.sort(key=itemgetter(0))
        return self.builder.table((slot, value) for _, slot, value in own)

    def scalar(self, table: Table, f: Field, value: Any) -> bytes:
        try:
            return packed(f.type, value)
        except ValueError as error:
            raise ValueError(f"{table.type}.{f.name} {error}") from error

    def kept(self, table: Table) -> list[UnknownField]:
        """Fields outside the schema that can be written; notes those that ought to be and cannot.

        A slot between those the schema names is a deprecated field, which means nothing to anyone.
        """
        if not table.unknown:
            return []
        last = max((f.slot for f in self.schema.tables[table.type]), default=-1)
        for u in table.unknown:
            if u.maybe_offset and u.slot > last and not self.drop_unknown:
                message = f"{table.type} holds a field in slot {u.slot}, newer than litecheck's schema"
                offset = table.offset if table.offset >= 0 else None
                self.problems.append(Problem("unknown-field", f"{table.type} slot {u.slot}", offset, message))
        return [u for u in table.unknown if not u.maybe_offset]

    def child(self, f: Field, value: Any) -> int:
        """Write the content of an offset field and return its offset."""
        if f.kind in ("table", "union"):
            return self.table(value)
        if f.kind == "string":
            return self.builder.string(value.encode(errors="surrogateescape"))
        if f.kind == "scalars":
            return self.vector(f, value)
        return self.builder.references([self.table(v) for v in value])

    def vector(self, f: Field, value: Any) -> int:
        """Numbers, copied as memory and aligned as the schema asks."""
        data: NDArray[Any] = np.ascontiguousarray(value, numpy_type(f.type)).reshape(-1)
        align = max(4, f.width, f.align)
        if data.nbytes < LONG:
            return self.builder.vector(data.tobytes(), data.size, align)
        key = (data.__array_interface__["data"][0], data.nbytes, align)
        if key not in self.long:
            self.long[key] = self.builder.vector(data.view(np.uint8).data, data.size, align)
        return self.long[key]

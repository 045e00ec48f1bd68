"""Verified tables with one column per field. All content is inside the file and well formed."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.flatbuffer.schema import Field, Schema
from litecheck.flatbuffer.table import Table, UnknownField, Value

Index = NDArray[np.int64]


class Bytes:
    """Flatbuffer inside a file: integer reads at positions relative to its start, without a copy.

    ``raw`` is the file from the flatbuffer on (uint8, usually a memory map). ``start`` is the position of the
    flatbuffer in the file in bytes, used only in reports.
    """

    __slots__ = ("raw", "size", "start", "views")

    def __init__(self, raw: NDArray[np.uint8], start: int = 0) -> None:
        self.raw = raw.view(np.ndarray)  # indexing a memmap is slower than indexing its plain array
        self.start = start
        self.size = min(len(raw), 2**31 - 1)
        self.views: dict[str, NDArray[Any]] = {}

    def view(self, dtype: str) -> NDArray[Any]:
        """Return the bytes as an array of that type; a partial last element is left out."""
        found = self.views.get(dtype)
        if found is None:
            width = np.dtype(dtype).itemsize
            found = self.raw[: self.size // width * width].view(dtype)
            self.views[dtype] = found
        return found

    def gather(self, dtype: str, at: Index) -> NDArray[Any]:
        """Return the values of that type at byte positions ``at``, which must be aligned and inside the flatbuffer."""
        shift = {1: 0, 2: 1, 4: 2, 8: 3}[np.dtype(dtype).itemsize]
        found: NDArray[Any] = self.view(dtype)[at >> shift]
        return found


@dataclass(slots=True)
class References:
    """Targets of an offset field, for every row.

    For a single table, ``row`` is the child's row, -1 if absent. For a vector of tables or strings, ``row`` numbers the
    vector, and its elements are ``flat[begin[v] : begin[v] + length[v]]``. For a string or a vector of scalars,
    ``begin`` and ``length`` are the position of its content in bytes and its number of elements.
    """

    row: Index
    begin: Index = field(default_factory=lambda: np.empty(0, np.int64))
    length: Index = field(default_factory=lambda: np.empty(0, np.int64))
    flat: Index = field(default_factory=lambda: np.empty(0, np.int64))
    union_type: Index = field(default_factory=lambda: np.empty(0, np.int64))


@dataclass(slots=True)
class Rows:
    """All tables of one type: position of each table, and positions of its fields (0 if absent)."""

    position: Index
    vtable: Index
    vtable_size: Index
    weight: NDArray[np.float64]
    """Number of paths from the root to each table: more than 1 for a shared table."""
    at: dict[str, Index] = field(default_factory=dict)
    refs: dict[str, References] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.position)


class Tables:
    """Verified content of one flatbuffer."""

    def __init__(self, schema: Schema, data: Bytes) -> None:
        self.schema = schema
        self.data = data
        self.rows: dict[str, Rows] = {}
        self.expanded = 0
        """Number of tables that a reader visits if it follows every reference; shared tables count each time."""
        self.skewed: list[tuple[str, str, int]] = []
        """Vectors of 8-byte numbers that begin at a multiple of 4 only: table, field and row."""
        self._slots: dict[str, list[bool]] = {}

    def count(self, table: str) -> int:
        """Return the number of tables of that type."""
        return len(self.rows[table]) if table in self.rows else 0

    def total(self) -> int:
        """Return the number of tables of all types."""
        return sum(map(len, self.rows.values()))

    def column(self, table: str, name: str) -> NDArray[Any]:
        """Return a scalar field of every row, with the default for rows without the field."""
        f = self.schema.field(table, name)
        rows = self.rows[table]
        at = rows.at[name]
        out = np.full(len(rows), f.default, numpy_type(f.type))
        there = at > 0
        if there.any():
            out[there] = self.data.gather(numpy_type(f.type), at[there])
        return out

    def has(self, table: str, name: str) -> NDArray[np.bool_]:
        """Return a mask over the rows: True if the field is present."""
        return self.rows[table].at[name] > 0

    def refs(self, table: str, name: str) -> References:
        """Return the references of an offset field."""
        return self.rows[table].refs[name]

    def vector(self, table: str, name: str, row: int) -> NDArray[Any]:
        """Return a vector of scalars as a view into the file; empty if absent."""
        f = self.schema.field(table, name)
        refs = self.rows[table].refs[name]
        dtype = np.dtype(numpy_type(f.type))
        begin, length = int(refs.begin[row]), int(refs.length[row])
        if not length:
            return np.empty(0, dtype)
        return self.data.raw[begin : begin + length * dtype.itemsize].view(dtype)

    def text(self, table: str, name: str, row: int) -> str:
        """Return a string; "" if absent. Bytes that are not UTF-8 are shown as escapes."""
        refs = self.rows[table].refs[name]
        begin, length = int(refs.begin[row]), int(refs.length[row])
        return self.data.raw[begin : begin + length].tobytes().decode("utf-8", "backslashreplace")

    def children(self, table: str, name: str, row: int) -> Index:
        """Return the rows of a vector of tables; empty if absent."""
        refs = self.rows[table].refs[name]
        v = int(refs.row[row])
        return refs.flat[refs.begin[v] : refs.begin[v] + refs.length[v]] if v >= 0 else refs.flat[:0]

    def offset(self, table: str, row: int, name: str | None = None) -> int:
        """Return the byte in the file of a table, or of a present field of the table."""
        rows = self.rows[table]
        at = int(rows.at[name][row]) if name else 0
        return self.data.start + (at or int(rows.position[row]))

    def record(self, table: str, row: int) -> Table:
        """Return one table with all tables below it as a value."""
        fields: dict[str, Value] = {}
        for f in self.schema.tables[table]:
            value = self._value(table, f, row)
            if value is not None:
                fields[f.name] = value
        return Table(table, fields, self.unknown(table, row), self.offset(table, row))

    def records(self, table: str) -> list[Table]:
        """Return every table of one type, in row order, as :meth:`record` does; all rows at once if all fields are
        scalar."""
        if any(f.kind != "scalar" for f in self.schema.tables[table]):
            return [self.record(table, row) for row in range(self.count(table))]
        rows, columns = self.rows[table], []
        for f in self.schema.tables[table]:
            there = rows.at[f.name] > 0
            if there.any():
                values = self.column(table, f.name)
                plain = f.type == "bool" and not (values[there] > 1).any()
                columns.append(
                    (f.name, (values.astype(np.bool_) if plain else values).tolist(), there.tolist())
                )
        kept: dict[tuple[object, ...], dict[str, Value]] = {}
        out = []
        newer, at = self._may_have_unknown(table), (rows.position + self.data.start).tolist()
        for row in range(len(rows)):
            fields = {name: values[row] for name, values, there in columns if there[row]}
            # Most operators of a kind have the same options, so equal values share one dict. 1 and True are not equal here.
            key = (*fields, *fields.values(), *map(type, fields.values()))
            unknown = self.unknown(table, row) if newer[row] else ()
            out.append(Table(table, kept.setdefault(key, fields), unknown, at[row]))
        return out

    def _may_have_unknown(self, table: str) -> list[bool]:
        """Return a flag per row: True if the row may have fields in slots outside litecheck's schema."""
        known, slots = self._known(table), (self.rows[table].vtable_size - 4) // 2
        gap = known.index(False) if False in known else len(known)
        return (slots > gap).tolist()  # type: ignore[no-any-return]

    def _known(self, table: str) -> list[bool]:
        if table not in self._slots:
            self._slots[table] = known_slots(self.schema, table)
        return self._slots[table]

    def record_shallow(self, table: str, row: int) -> Table:
        """Return one table's own scalars, strings and vectors of scalars, without the tables that it refers to."""
        kinds = ("scalar", "scalars", "string")
        values = {f.name: self._value(table, f, row) for f in self.schema.tables[table] if f.kind in kinds}
        fields = {name: value for name, value in values.items() if value is not None}
        return Table(table, fields, self.unknown(table, row), self.offset(table, row))

    def _value(self, table: str, f: Field, row: int) -> Value | None:
        rows = self.rows[table]
        at = int(rows.at[f.name][row])
        if not at:
            return None
        if f.kind == "scalar":
            value = self.data.gather(numpy_type(f.type), np.array([at]))[0]
            return bool(value) if f.type == "bool" and value in (0, 1) else value.item()
        if f.kind == "scalars":
            return self.vector(table, f.name, row)
        if f.kind == "string":
            return self.text(table, f.name, row)
        refs = rows.refs[f.name]
        if f.kind == "tables":
            return tuple(self.record(f.type, int(child)) for child in self.children(table, f.name, row))
        child = int(refs.row[row])
        if f.kind == "table":
            return self.record(f.type, child) if child >= 0 else None
        members, kind = self.schema.unions[f.type], int(refs.union_type[row])
        return self.record(members[kind - 1], child) if child >= 0 and 0 < kind <= len(members) else None

    def unknown(self, table: str, row: int) -> tuple[UnknownField, ...]:
        """Return the fields in slots outside litecheck's schema: of a newer schema, or deprecated."""
        rows = self.rows[table]
        slots = (int(rows.vtable_size[row]) - 4) // 2
        known = self._known(table)
        if slots <= len(known) and all(known[:slots]):
            return ()
        vtable, position = int(rows.vtable[row]), int(rows.position[row])
        entry = self.data.view("<u2")[vtable // 2 : vtable // 2 + 2 + slots].astype(np.int64)
        used = sorted({int(e) for e in entry[2:] if e} | {int(entry[1])})
        found = []
        for slot in range(slots):
            at = int(entry[2 + slot])
            if at == 0 or (slot < len(known) and known[slot]) or not 4 <= at < entry[1]:
                continue
            width = min(8, used[bisect_right(used, at)] - at)
            data = self.data.raw[position + at : position + at + width].tobytes()
            found.append(UnknownField(slot, data, self._maybe_offset(position + at, data)))
        return tuple(found)

    def _maybe_offset(self, at: int, data: bytes) -> bool:
        """Return True if four bytes can be an offset: aligned position and value, not zero, and inside the file."""
        value = int.from_bytes(data[:4], "little")
        return len(data) >= 4 and at % 4 == 0 and value % 4 == 0 and 4 <= value < self.data.size - at - 3


def known_slots(schema: Schema, table: str) -> list[bool]:
    """Return a flag per slot up to the last named slot: True if the schema names it (a union names two slots)."""
    fields = schema.tables[table]
    known = [False] * (max((f.slot for f in fields), default=-1) + 1)
    for f in fields:
        known[f.slot] = True
        if f.kind == "union":
            known[f.slot - 1] = True
    return known


def numpy_type(scalar: str) -> str:
    """Return the little-endian numpy type of a scalar in the schema. For example, ``uint16`` gives ``<u2``."""
    short = {"bool": "u1", "float32": "<f4", "float64": "<f8"}
    if scalar in short:
        return short[scalar]
    bits = int(scalar.lstrip("uint"))
    return f"<{'u' if scalar[0] == 'u' else 'i'}{bits // 8}"

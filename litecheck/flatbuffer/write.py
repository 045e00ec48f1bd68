"""Writer of table trees to flatbuffer bytes: ``flatbuffers.Builder``, driven by the schema."""

from __future__ import annotations

from typing import Any

import flatbuffers
import numpy as np
from numpy.typing import NDArray

from litecheck.errors import ModelError, Problem
from litecheck.flatbuffer.schema import Field, Schema
from litecheck.flatbuffer.table import Table, UnknownField
from litecheck.flatbuffer.tables import numpy_type

#: Maximum file size in bytes: offsets have 32 bits, and readers treat the size as a signed number.
SIZE_MAX = 2**31 - 1
#: Vectors of at least this many bytes are written once if they are the same object in memory.
LONG = 1024
#: Vectors of at least this many bytes in these fields are written once if they are equal. Signatures share weights,
#: and the scales of shared weights are equal; zero points of weights are 0.
_SHARED, _SHORT = ("scale", "zero_point"), 256


def write(table: Table, schema: Schema, *, drop_unknown: bool = False) -> memoryview:
    """Return the bytes of ``table``, the root of a file of that schema.

    Every field of the table is written, even if it equals the default, so that reading the file gives the same fields.
    Fields newer than the schema are written unchanged. A newer field that may be an offset cannot be written and raises
    ModelError; with ``drop_unknown``, these fields are left out. Raises ModelError beyond 2 GB, ValueError for a value
    that its field cannot hold.
    """
    writer = _Writer(schema, drop_unknown, _estimate_size(table))
    try:
        root = writer.table(table)
        if writer.problems:
            raise ModelError("", tuple(writer.problems))
        writer.builder.Finish(root, schema.identifier or None)
    except flatbuffers.builder.BuilderSizeError:
        raise ModelError("", (_too_large(),)) from None
    content = memoryview(writer.builder.Bytes)[writer.builder.Head() :]
    if len(content) > SIZE_MAX:
        raise ModelError("", (_too_large(),))
    return content


def _too_large() -> Problem:
    return Problem("too-large", "", 0, f"more than {SIZE_MAX} bytes, the most a flatbuffer can hold")


def _estimate_size(table: Table) -> int:
    """Return an initial size of the builder: that of vectors and strings. The builder copies everything when it grows."""
    total, queue = 1 << 12, [table]
    while queue:
        for value in queue.pop().fields.values():
            if isinstance(value, np.ndarray):
                total += value.nbytes + 32
            elif isinstance(value, (str, bytes)):
                total += len(value) + 16
            elif isinstance(value, Table):
                queue.append(value)
            elif isinstance(value, tuple):
                queue.extend(item for item in value if isinstance(item, Table))
        total += 64
    return min(total, SIZE_MAX)


class _Writer:
    """Writer around a builder. The builder fills the file from its end, so children are written before their table."""

    def __init__(self, schema: Schema, drop_unknown: bool, size: int) -> None:
        self.schema = schema
        self.drop_unknown = drop_unknown
        self.builder = flatbuffers.Builder(size)
        self.builder.ForceDefaults(True)
        self.fields: dict[str, dict[str, Field]] = {}
        self.kept_once: dict[tuple[object, ...], int] = {}
        self.problems: list[Problem] = []

    def table(self, table: Table) -> int:
        """Write all children of a table, then the table, and return its offset from the end."""
        scalars: list[tuple[Field, Any]] = []
        offsets: list[tuple[Field, int, int]] = []
        if table.type not in self.fields:
            self.fields[table.type] = {f.name: f for f in self.schema.tables[table.type]}
        for name, value in table.fields.items():
            f = self.fields[table.type].get(name)
            if f is None:
                raise ValueError(f"{table.type} has no field {name!r}")
            if f.kind == "scalar":
                scalars.append((f, value))
            else:
                member = self.schema.unions[f.type].index(value.type) + 1 if f.kind == "union" else 0  # type: ignore[union-attr]
                offsets.append((f, self.child(f, value), member))
        return self.object(table, scalars, offsets)

    def object(
        self, table: Table, scalars: list[tuple[Field, Any]], offsets: list[tuple[Field, int, int]]
    ) -> int:
        """Write the inline fields of a table, widest first, so that no padding is needed between them. Return its offset."""
        slots = max((f.slot for f in self.schema.tables[table.type]), default=-1)
        unknown = self.writable_unknown(table)
        self.builder.StartObject(1 + max([slots, *(u.slot for u in unknown)]))
        for width in (8, 4, 2, 1):
            for f, value in scalars:
                if f.width == width:
                    self.scalar(table, f, value)
            for u in unknown:
                if 1 << (len(u.data).bit_length() - 1) == width:
                    self.raw(u, width)
            for f, offset, member in offsets:
                if width == 4:
                    self.builder.PrependUOffsetTRelativeSlot(f.slot, offset, 0)
                elif width == 1 and member:
                    self.builder.PrependUint8Slot(f.slot - 1, member, 0)
        return int(self.builder.EndObject())

    def scalar(self, table: Table, f: Field, value: Any) -> None:
        kind = "Uint8" if f.type == "bool" else f.type.capitalize()
        prepend = getattr(self.builder, f"Prepend{kind}Slot")
        try:
            prepend(f.slot, float(value) if f.type.startswith("float") else int(value), 0)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"{table.type}.{f.name} cannot hold its value: {error}") from error

    def raw(self, u: UnknownField, width: int) -> None:
        number = int.from_bytes(u.data[:width], "little")
        getattr(self.builder, f"PrependUint{8 * width}Slot")(u.slot, number, 0)

    def writable_unknown(self, table: Table) -> list[UnknownField]:
        """Return the unknown fields that can be written, and report fields that cannot be written.

        An unknown slot between slots of the schema is a deprecated field. A deprecated field that may be an offset is
        dropped.
        """
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
            return self.string(value)
        if f.kind == "scalars":
            return self.vector(f, value)
        items = [self.table(v) for v in value]
        self.builder.StartVector(4, len(items), 4)
        for offset in reversed(items):
            self.builder.PrependUOffsetTRelative(offset)
        return int(self.builder.EndVector())

    def string(self, text: str) -> int:
        return int(self.builder.CreateString(text, errors="surrogateescape"))

    def vector(self, f: Field, value: Any) -> int:
        """Write a vector of numbers with the alignment of the schema, and return its offset."""
        data: NDArray[Any] = np.ascontiguousarray(value, numpy_type(f.type)).reshape(-1)
        align = max(4, f.width, f.align)
        key: tuple[object, ...] = (data.__array_interface__["data"][0], data.nbytes, align)
        if shared := f.name in _SHARED and data.nbytes >= _SHORT:
            key = data.tobytes(), data.dtype.str, align
        if key in self.kept_once:
            return self.kept_once[key]
        self.builder.Prep(align, data.nbytes)
        offset = int(self.builder.CreateNumpyVector(data))
        if shared or data.nbytes >= LONG:
            self.kept_once[key] = offset
        return offset

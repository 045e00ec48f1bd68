"""Wire format of a file type, read from ``schemas/*.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

import yaml

from litecheck.data import schemas_dir

Kind = Literal["scalar", "scalars", "string", "table", "tables", "union"]

#: Size of each scalar type in bytes.
WIDTHS: dict[str, int] = {
    "bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "float32": 4,
    "int64": 8, "uint64": 8, "float64": 8,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Field:
    """Field of a table.

    ``type`` is a scalar's storage type, or the name of a table or union. A union's type byte is in slot ``slot - 1``.
    ``enum`` names the enum of its integers.
    """

    name: str
    slot: int
    kind: Kind
    type: str
    default: int | float = 0
    enum: str | None = None
    align: int = 0

    @property
    def width(self) -> int:
        """Size of one element in bytes: that of the scalar type, or 4 for an offset."""
        return WIDTHS[self.type] if self.kind in ("scalar", "scalars") else 4

    @property
    def inline(self) -> int:
        """Size of the field in its table, in bytes."""
        return self.width if self.kind == "scalar" else 4


@dataclass(frozen=True, slots=True)
class Schema:
    """Tables, unions and enums of one file type.

    ``order`` lists tables so that parents come first. ``options`` holds the options table of each operator whose
    options table has another name than the operator.
    """

    name: str
    identifier: bytes
    root: str
    tables: Mapping[str, tuple[Field, ...]]
    unions: Mapping[str, tuple[str, ...]]
    enums: Mapping[str, Mapping[str, int]]
    order: tuple[str, ...] = field(default=())
    options: Mapping[str, str] = field(default_factory=dict)

    def field(self, table: str, name: str) -> Field:
        """Return the field with that name."""
        return next(f for f in self.tables[table] if f.name == name)

    def enum_name(self, enum: str, value: int) -> str | None:
        """Return the member with that value, or None if it is not in the schema."""
        return _reverse(self.name, enum).get(value)


@cache
def _reverse(schema: str, enum: str) -> dict[int, str]:
    return {value: name for name, value in load_schema(schema).enums[enum].items()}


def load_schema(name: str = "tflite") -> Schema:
    """Return the schema ``schemas/<name>.yaml``, read once."""
    return _read_schema(name)


@cache
def _read_schema(name: str) -> Schema:
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    text = yaml.load((schemas_dir() / f"{name}.yaml").read_bytes(), Loader=loader)
    enums = {k: {n: int(v) for n, v in e["values"].items()} for k, e in text["enums"].items()}
    storage = {k: e["type"] for k, e in text["enums"].items()}
    tables = {
        table: tuple(_field(n, notation, storage) for n, notation in (fields or {}).items())
        for table, fields in text["tables"].items()
    }
    unions = {k: tuple(v) for k, v in (text["unions"] or {}).items()}
    order = _parents_first(text["root"], tables, unions)
    options = {opcode: table for table, names in text.get("options", {}).items() for opcode in names}
    return Schema(
        name, text.get("identifier", "").encode(), text["root"], tables, unions, enums, order, options
    )


def _field(name: str, notation: str, storage: Mapping[str, str]) -> Field:
    words = notation.split()
    slot, default, align = int(words[0]), 0, 0
    if "=" in words:
        default = int(words[words.index("=") + 1])
    if "align" in words:
        align = int(words[words.index("align") + 1])
    if words[1] == "union":
        return Field(name, slot, "union", words[2])
    plural = words[1].startswith("[")
    element = words[1].strip("[]")
    enum = element if element in storage else None
    element = storage.get(element, element)
    kind: Kind
    if element in WIDTHS:
        kind = "scalars" if plural else "scalar"
    elif element == "string":
        kind = "string"
    else:
        kind = "tables" if plural else "table"
    return Field(name, slot, kind, element, default, enum, align)


def _parents_first(
    root: str, tables: Mapping[str, tuple[Field, ...]], unions: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...]:
    """Return the tables in reversed depth-first postorder. The schema has no recursive table, so parents precede
    children."""
    done: dict[str, None] = {}

    def visit(table: str) -> None:
        if table in done:
            return
        for f in tables[table]:
            children = (
                unions[f.type] if f.kind == "union" else (f.type,) if f.kind in ("table", "tables") else ()
            )
            for child in children:
                visit(child)
        done[table] = None

    visit(root)
    return tuple(reversed(done))

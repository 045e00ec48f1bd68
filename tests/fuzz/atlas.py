"""Places of all fields of a valid model, at which mutations are aimed."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import ModelError
from litecheck.flatbuffer.containers import open_models
from litecheck.flatbuffer.schema import Field, load_schema
from litecheck.flatbuffer.tables import Bytes, Tables
from litecheck.flatbuffer.verifier import verify


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """Field of a table type: the byte in the file of every inline value."""

    table: str
    field: Field
    at: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Atlas:
    """Fields and tables of one flatbuffer that begins at byte ``start`` of a file of ``size`` bytes."""

    start: int
    size: int
    columns: tuple[Column, ...]
    tables: tuple[tuple[str, NDArray[np.int64]], ...]
    counts: tuple[int, ...]

    def field(self, rng: Random, *kinds: str) -> tuple[Column, int] | None:
        """Return a random field of these kinds and a place of it; every (table, field) is equally likely."""
        fitting = [c for c in self.columns if c.field.kind in kinds]
        if not fitting:
            return None
        column = rng.choice(fitting)
        return column, int(column.at[rng.randrange(len(column.at))])

    def table(self, rng: Random) -> int:
        """Return the position of a random table; every type is equally likely."""
        _, at = rng.choice(self.tables)
        return int(at[rng.randrange(len(at))])


@dataclass(frozen=True, slots=True, eq=False)
class Seed:
    """File to be mutated, the maps of the models in it, and the verified tables of the first model."""

    name: str
    content: bytes
    atlases: tuple[Atlas, ...]
    tables: Tables


def seed_of(path: Path) -> Seed:
    """Return a seed from a file with models of valid structure only."""
    content = path.read_bytes()
    atlases, first = [], None
    for member in open_models(path):
        if isinstance(member, ModelError):
            raise member
        tables, problems = verify(load_schema("tflite"), Bytes(member.data, member.start))
        if problems:
            raise ModelError(str(path), problems)
        first = first or tables
        atlases.append(_atlas(tables, len(content)))
    assert first is not None
    return Seed(path.name, content, tuple(atlases), first)


def _atlas(tables: Tables, size: int) -> Atlas:
    return Atlas(
        tables.data.start,
        size,
        tuple(_columns(tables)),
        tuple((name, rows.position + tables.data.start) for name, rows in tables.rows.items() if len(rows)),
        tuple(sorted({len(rows) for rows in tables.rows.values()})),
    )


def _columns(tables: Tables) -> Iterator[Column]:
    for name, rows in tables.rows.items():
        for f in tables.schema.tables[name]:
            at = rows.at[f.name]
            if at.any():
                yield Column(name, f, at[at > 0] + tables.data.start)
            if f.kind == "union" and (kinds := rows.at[f"{f.name}_type"]).any():
                tag = Field(f"{f.name}_type", f.slot - 1, "scalar", "uint8", enum=f.type)
                yield Column(name, tag, kinds[kinds > 0] + tables.data.start)


def follow(data: bytearray, at: int) -> int:
    """Return the target of the offset at ``at``."""
    return at + int(struct.unpack_from("<I", data, at)[0])


def vector(data: bytearray, at: int) -> tuple[int, int]:
    """Return (place of the length, length) of the vector that the offset at ``at`` refers to; (-1, 0) if damaged."""
    place = follow(data, at)
    if place + 4 > len(data):
        return -1, 0
    length = int(struct.unpack_from("<I", data, place)[0])
    return (place, length) if length <= len(data) - place - 4 else (-1, 0)

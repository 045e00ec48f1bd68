"""Models of valid structure and wrong content: the tree of tables is changed in a single place and written again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.flatbuffer.schema import Field, Schema, load_schema
from litecheck.flatbuffer.table import Table
from litecheck.flatbuffer.tables import numpy_type
from litecheck.flatbuffer.write import write
from tests.fuzz.atlas import Seed
from tests.fuzz.edges import value_of

#: Path to a table from the root: fields, and indices in vectors.
TablePath = tuple[tuple[str, int], ...]
COUNTS = (0, 1, 2, 3, 8, 15, 64, 1000)
STRINGS = ("", "\0", "name", "a\nb\x1b[31m", "‮abc", "\udcff\udc80", "ü" * 300, "x" * 70000, "../../../etc/passwd",
           "weights.bin", "x" * 300)  # fmt: skip


def rewritten(rng: Random, seed: Seed) -> bytes:
    """Return the first model of a seed with one to three tables changed."""
    root, paths = _tree(seed)
    if rng.random() < 0.1:
        root = _outside(rng, root)
    for _ in range(rng.choice((1, 1, 2, 3))):
        kind = rng.choice(sorted(paths))
        root = _changed(rng, root, rng.choice(paths[kind]))
    return bytes(write(root, load_schema("tflite"), drop_unknown=True))


def changed(rng: Random, root: Table) -> Table:
    """Return a tree with one table changed."""
    _, paths = _tree_of(root)
    return _changed(rng, root, rng.choice(paths[rng.choice(sorted(paths))]))


@lru_cache(maxsize=64)
def _tree(seed: Seed) -> tuple[Table, dict[str, tuple[TablePath, ...]]]:
    return _tree_of(seed.tables.record("Model", 0))


def _tree_of(root: Table) -> tuple[Table, dict[str, tuple[TablePath, ...]]]:
    """Return the root, and the paths to all tables by type."""
    paths: dict[str, list[TablePath]] = {}
    for kind, path in _paths(root, ()):
        paths.setdefault(kind, []).append(path)
    return root, {kind: tuple(found) for kind, found in paths.items()}


def _paths(table: Table, path: TablePath) -> Iterator[tuple[str, TablePath]]:
    yield table.type, path
    for name, value in table.fields.items():
        if isinstance(value, Table):
            yield from _paths(value, (*path, (name, -1)))
        elif isinstance(value, tuple):
            for i, child in enumerate(value):
                if isinstance(child, Table):
                    yield from _paths(child, (*path, (name, i)))


def _changed(rng: Random, table: Table, path: TablePath) -> Table:
    """Return the tree with the table at the end of the path changed; earlier changes may have cut the path short."""
    if path:
        (name, number), rest = path[0], path[1:]
        value = table.get(name)
        if isinstance(value, Table) and number < 0:
            return _with(table, name, _changed(rng, value, rest))
        if isinstance(value, tuple) and number < len(value) and isinstance(value[number], Table):
            child = _changed(rng, value[number], rest)
            return _with(table, name, (*value[:number], child, *value[number + 1 :]))
    schema = load_schema("tflite")
    fields = schema.tables[table.type]
    if not fields:
        return table
    f = rng.choice(fields)
    if rng.random() < 0.12:
        return replace(table, fields={k: v for k, v in table.fields.items() if k != f.name})
    return _with(table, f.name, _value(rng, schema, f, table.get(f.name)))


def _outside(rng: Random, root: Table) -> Table:
    """Return the model with some constants in weights files, which may be missing, too short, or unnamed."""
    groups = [Table("ExternalBufferGroup", {"name": rng.choice(STRINGS)}) for _ in range(rng.randrange(1, 4))]
    groups.append(Table("ExternalBufferGroup", {"name": "weights.bin"}))
    buffers = []
    for number in range(rng.choice((1, 3, 100))):
        fields = {
            "id": rng.choice((number, number + 1)),
            "group": rng.choice((len(groups) - 1, rng.randrange(9))),
        }
        place = {
            "offset": rng.choice((0, 8, 60, 64, 2**64 - 8)),
            "length": rng.choice((0, 4, 16, 64, 2**64 - 1)),
        }
        buffers.append(Table("ExternalBuffer", {**fields, **place} if rng.random() < 0.8 else fields))
    _, paths = _tree_of(root)
    for path in rng.sample(paths.get("Tensor", ()), min(3, len(paths.get("Tensor", ())))):
        root = _put(root, path, "external_buffer", rng.randrange(len(buffers) + 2))
    return replace(
        root,
        fields={**root.fields, "external_buffers": tuple(buffers), "external_buffer_groups": tuple(groups)},
    )


def _put(table: Table, path: TablePath, name: str, value: Any) -> Table:
    """Return the tree with a single field of the table at the end of the path set."""
    if not path:
        return _with(table, name, value)
    (step, number), rest = path[0], path[1:]
    child: Any = table.fields[step]
    if number < 0:
        return _with(table, step, _put(child, rest, name, value))
    return _with(table, step, (*child[:number], _put(child[number], rest, name, value), *child[number + 1 :]))


def _with(table: Table, name: str, value: Any) -> Table:
    return replace(table, fields={**table.fields, name: value})


def _value(rng: Random, schema: Schema, f: Field, old: Any) -> Any:
    if f.kind == "scalar":
        counts = (*COUNTS, *schema.enums[f.enum].values()) if f.enum else COUNTS
        return value_of(rng, f.type, counts)
    if f.kind == "scalars":
        return _vector(rng, f, old)
    if f.kind == "string":
        return rng.choice(STRINGS)
    if f.kind in ("table", "union"):
        kind = rng.choice(schema.unions[f.type]) if f.kind == "union" else f.type
        return _some(rng, schema, kind)
    return _tables(rng, schema, f, old or ())


def _vector(rng: Random, f: Field, old: NDArray[Any] | None) -> NDArray[Any]:
    kind = numpy_type(f.type)
    values = [] if old is None or len(old) > 5000 else old.tolist()
    length = rng.choice((len(values), len(values), 0, 1, 2, 3, 4, 33, 1000))
    draw = [value_of(rng, f.type, COUNTS) for _ in range(min(length, 8))]
    if rng.random() < 0.5 and values:
        values[rng.randrange(len(values))] = value_of(rng, f.type, COUNTS)
        return _array(values, f.type).astype(kind)
    return _array([(draw or [0])[i % max(len(draw), 1)] for i in range(length)], f.type).astype(kind)


def _array(values: list[Any], kind: str) -> NDArray[Any]:
    if kind[0] == "f":
        with np.errstate(over="ignore"):
            return np.array(values, np.float32)
    return np.array(values, numpy_type(kind))


def _some(rng: Random, schema: Schema, kind: str) -> Table:
    """Return a table of this type with some fields filled."""
    fields = {}
    for f in schema.tables[kind]:
        if f.kind in ("scalar", "scalars", "string") and rng.random() < 0.6:
            fields[f.name] = _value(rng, schema, f, None)
    return Table(kind, fields)


def _tables(rng: Random, schema: Schema, f: Field, old: tuple[Table, ...]) -> tuple[Table, ...]:
    """Return the vector with elements removed, doubled, reordered, or added."""
    values = list(old)
    action = rng.randrange(6)
    if action == 0 or not values:
        return (*values, _some(rng, schema, f.type))
    if action == 1:
        del values[rng.randrange(len(values))]
    elif action == 2:
        values.insert(rng.randrange(len(values) + 1), rng.choice(values))
    elif action == 3:
        rng.shuffle(values)
    elif action == 4:
        return ()
    else:
        values += [rng.choice(values)] * rng.choice((10, 200))
    return tuple(values)

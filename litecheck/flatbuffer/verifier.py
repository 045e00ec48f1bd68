"""Structural verification of a flatbuffer, all tables of one type at a time, before any content is read.

Every check of a FlatBuffers verifier compares positions. Here each check is made once for a whole column. Parents are
verified before children, so the positions of a table are known and distinct before the table is read.

Three budgets bound the cost of maliciously shared tables. The first counts elements of distinct offset vectors, which
cannot outnumber the words of the file without overlap. The others count tables once per reference, and fields beyond
the schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import Problem
from litecheck.flatbuffer.faults import Faults, Mask, merge_cut
from litecheck.flatbuffer.references import PendingReference, Walk, distinct, follow, no_references
from litecheck.flatbuffer.schema import Field, Schema
from litecheck.flatbuffer.tables import Bytes, Index, Rows, Tables

#: Maximum number of tables per byte. The densest known model has a third of it.
TABLES_PER_BYTE = 1 / 8
#: Number of fields times rows that are verified in one step.
_CELLS = 1 << 15


def verify(schema: Schema, data: Bytes) -> tuple[Tables, tuple[Problem, ...]]:
    """Return the tables of a flatbuffer and all structural problems.

    With problems, the tables have only valid content: a faulty reference is absent.
    """
    tables = Tables(schema, data)
    state = Walk(tables, Faults(tables))
    root = _find_root(state)
    if root is None:
        return state.tables, merge_cut(state.faults.problems, data)
    state.pending[schema.root] = [
        PendingReference("", "", np.zeros(1, np.int64), np.array([root]), np.ones(1))
    ]
    for table in schema.order:
        _read(state, table)
        if state.expanded_bytes > max(1024.0, data.size * TABLES_PER_BYTE):
            message = "tables are shared so often that following every reference would not end in time"
            state.faults.report_file_problem("shared-too-often", 0, message)
            break
    state.tables.expanded = int(state.expanded_bytes)
    return state.tables, merge_cut(state.faults.problems, data)


def _find_root(state: Walk) -> int | None:
    data, schema = state.tables.data, state.tables.schema
    if data.size < 8:
        state.faults.report_file_problem("file-too-short", 0, f"{data.size} bytes cannot hold a flatbuffer")
        return None
    identifier = data.raw[4:8].tobytes()
    if schema.identifier and identifier != schema.identifier:
        message = f"file identifier is {identifier!r}, not {schema.identifier!r}"
        state.faults.report_file_problem("bad-identifier", 4, message)
        return None
    root = int(data.view("<u4")[0])
    if root == 0 or root % 4 or root + 4 > data.size:
        message = f"the root table's offset {root} does not lead into the {data.size} bytes of the file"
        state.faults.report_file_problem("offset-outside-file", 0, message)
        return None
    return root


def _read(state: Walk, table: str) -> None:
    """Verify all tables of one type, then queue the tables that they refer to."""
    sites = state.pending.pop(table, [])
    if not sites:
        return
    position, weight = _merge_targets(state, sites)
    rows = Rows(position, np.zeros_like(position), np.full_like(position, 4), weight)
    state.tables.rows[table] = rows
    state.expanded_bytes += float(weight.sum())
    inline = _check_vtables(state, table, rows)
    present = _locate(state, table, rows, inline)
    missing = no_references(len(rows))
    for f in state.tables.schema.tables[table]:
        if f.kind != "scalar" and f.name in present:
            follow(state, table, rows, f)
        elif f.kind != "scalar":
            rows.refs[f.name] = missing[f.kind]


def _merge_targets(state: Walk, sites: list[PendingReference]) -> tuple[Index, NDArray[np.float64]]:
    """Return the distinct positions of all targets and their weights, and write the row of each target to its reference."""
    targets = np.concatenate([s.targets for s in sites])
    weight = np.concatenate([s.weight for s in sites])
    position, row = distinct(targets)
    if len(position) < len(targets):
        weight = np.bincount(row, weight, len(position))
    done = 0
    for site in sites:
        part = row[done : done + len(site.targets)]
        done += len(site.targets)
        if site.parent:
            refs = state.tables.rows[site.parent].refs[site.name]
            (refs.flat if state.tables.schema.field(site.parent, site.name).kind == "tables" else refs.row)[
                site.slots
            ] = part
    return position, weight


def _check_vtables(state: Walk, table: str, rows: Rows) -> Index:
    """Check the vtable of every table, and return the inline sizes of the tables, 4 for an invalid vtable."""
    data = state.tables.data
    vtable = rows.position - data.gather("<i4", rows.position)
    good = (vtable >= 0) & (vtable % 2 == 0) & (vtable + 4 <= data.size)
    if not good.all():
        state.faults.rows(
            table, None, ~good, "vtable-outside-file", lambda i: f"vtable at {vtable[i]} is not in the file"
        )
    safe = np.where(good, vtable, 0)
    size = data.gather("<u2", safe).astype(np.int64)
    inline = data.gather("<u2", safe + 2).astype(np.int64)
    sound = (size >= 4) & (size % 2 == 0) & (vtable + size <= data.size)
    sound &= (inline >= 4) & (rows.position + inline <= data.size)
    if not sound.all():
        state.faults.rows(
            table, None, good & ~sound, "bad-vtable",
            lambda i: f"vtable of {size[i]} bytes for a table of {inline[i]} does not fit the file",
        )  # fmt: skip
    sound &= good
    slots = max((f.slot + 1 for f in state.tables.schema.tables[table]), default=0)
    state.unknown_slots += int(np.maximum(np.where(sound, size, 0) // 2 - 2 - slots, 0).sum())
    if state.unknown_slots > max(1024, data.size):
        message = f"tables of type {table} have more fields beyond the schema than the file has bytes"
        state.faults.report_file_problem("shared-too-often", 0, message)
        sound[:] = False
    rows.vtable = np.where(sound, vtable, 0)
    rows.vtable_size = np.where(sound, size, 4)
    return np.where(sound, inline, 4)


class _Column(NamedTuple):
    """Slot of a table: its key in ``Rows.at``, its field, its number and its width in bytes."""

    key: str
    field: str
    slot: int
    width: int


def _columns(fields: Iterable[Field]) -> Iterator[_Column]:
    for f in fields:
        yield _Column(f.name, f.name, f.slot, f.inline)
        if f.kind == "union":
            yield _Column(f"{f.name}_type", f.name, f.slot - 1, 1)


def _locate(state: Walk, table: str, rows: Rows, inline: Index) -> set[str]:
    """Find every field in every row, and return the fields that a row may have.

    Several fields are searched in one numpy call if there are few rows, because the call then costs more than its rows.
    """
    longest, absent = int(rows.vtable_size.max(initial=0)), np.zeros(len(rows), np.int64)
    present: list[_Column] = []
    for column in _columns(state.tables.schema.tables[table]):
        rows.at[column.key] = absent
        if longest >= 6 + 2 * column.slot:
            present.append(column)
    step = max(1, _CELLS // max(1, len(rows)))
    for first in range(0, len(present), step):
        part = present[first : first + step]
        for column, at in zip(part, _positions(state, table, rows, part, inline), strict=True):
            rows.at[column.key] = at
    return {column.key for column in present}


def _positions(state: Walk, table: str, rows: Rows, columns: Sequence[_Column], inline: Index) -> Index:
    """Return the positions of slots, one line per slot and one column per row; 0 if the slot is absent."""
    data = state.tables.data
    slot = np.array([c.slot for c in columns])[:, None]
    width = np.array([c.width for c in columns])[:, None]
    has = rows.vtable_size >= 6 + 2 * slot
    place = rows.vtable + (4 + 2 * slot)
    everywhere = bool(has.all())
    entry = data.gather("<u2", place if everywhere else np.where(has, place, 0)).astype(np.int64)
    there = entry != 0 if everywhere else has & (entry != 0)
    at = rows.position + entry
    bad = there & ((entry < 4) | (entry + width > inline))
    if bad.any():
        text = "field at {found} does not fit its table of {inline} bytes"
        _report(state, table, columns, bad, "field-outside-table", text, entry, inline)
        there &= ~bad
    skew = there & (at & (width - 1) != 0)
    if skew.any():
        text = "field of {width} bytes stands at {found}"
        _report(state, table, columns, skew, "misaligned", text, at, inline)
        there &= ~skew
    at[~there] = 0
    return at


def _report(
    state: Walk,
    table: str,
    columns: Sequence[_Column],
    bad: Mask,
    code: str,
    text: str,
    found: Index,
    inline: Index,
) -> None:
    """Report the faulty slots of each column."""
    for column, faulty, places in zip(columns, bad, found, strict=True):

        def message(row: int, width: int = column.width, places: Index = places) -> str:
            return text.format(found=places[row], width=width, inline=inline[row])

        state.faults.rows(table, column.field, faulty, code, message)

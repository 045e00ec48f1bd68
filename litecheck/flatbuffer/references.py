"""References between tables: each offset of a column is checked once, and its targets are queued by their type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from litecheck.flatbuffer.faults import Faults, Mask, Message
from litecheck.flatbuffer.schema import Field
from litecheck.flatbuffer.tables import Index, References, Rows, Tables


@dataclass(slots=True)
class PendingReference:
    """Rows of one field that refer to tables of one type, waiting until that type is read."""

    parent: str
    name: str
    slots: Index
    """Position of each answer in the field's row (or flat) array."""
    targets: Index
    weight: NDArray[np.float64]


@dataclass(slots=True)
class Walk:
    """Progress of a verification: tables read so far, their problems, and references to tables that are not read yet."""

    tables: Tables
    faults: Faults
    pending: dict[str, list[PendingReference]] = field(default_factory=dict)
    elements: int = 0
    unknown_slots: int = 0
    """Number of slots beyond the schema in all vtables. A vtable that tables share counts for each table."""
    expanded_bytes: float = 0.0


def distinct(values: Index) -> tuple[Index, Index]:
    """Return the distinct values and the index of each value among them. Strictly monotonic values are not sorted.

    For example, (4, 2, 4) gives (2, 4) and (1, 0, 1).
    """
    step = np.diff(values)
    if (step > 0).all() or (step < 0).all():
        return values, np.arange(len(values))
    distinct, row = np.unique(values, return_inverse=True)
    return distinct, row.reshape(-1).astype(np.int64)


def follow(state: Walk, table: str, rows: Rows, f: Field) -> None:
    """Check the offsets of one field and queue or resolve their targets."""
    at = rows.at[f.name]
    there = at.nonzero()[0]
    if not len(there):
        rows.refs[f.name] = no_references(len(rows))[f.kind]
        return
    rows.refs[f.name] = References(np.full(len(rows), -1))
    target, good = _targets(
        state, at[there], lambda bad, c, m: state.faults.fields(table, f.name, there, bad, c, m)
    )
    if not good.all():
        at[there[~good]] = 0
        there, target = there[good], target[good]
    weight = rows.weight[there]
    if f.kind == "table":
        state.pending.setdefault(f.type, []).append(PendingReference(table, f.name, there, target, weight))
    elif f.kind == "union":
        _follow_union(state, table, rows, f, there, target, weight)
    elif f.kind in ("string", "scalars"):
        _follow_vector(state, table, rows, f, there, target)
    else:
        _follow_offsets(state, table, rows, f, there, target, weight)


def no_references(rows: int) -> dict[str, References]:
    """Return the references of a field that no row has, by the kind of the field."""
    nowhere, zero = np.full(rows, -1), np.zeros(rows, np.int64)
    numbers = References(nowhere, zero, zero)
    table = References(nowhere)
    return {
        "string": numbers, "scalars": numbers, "union": References(nowhere, union_type=zero),
        "table": table, "tables": table,
    }  # fmt: skip


def _targets(state: Walk, at: Index, report: Callable[[Mask, str, Message], None]) -> tuple[Index, Mask]:
    """Return the targets of the offsets at ``at``, and a mask: True if the target is an aligned word inside the file."""
    data = state.tables.data
    offset = data.gather("<u4", at).astype(np.int64)
    target = at + offset
    good = (offset != 0) & (target <= data.size - 4) & (target & 3 == 0)
    if not good.all():
        zero = offset == 0
        outside = ~zero & (target + 4 > data.size)
        report(zero, "offset-zero", lambda i: "offset is 0, which leads back to itself")
        report(
            outside, "offset-outside-file",
            lambda i: f"offset {offset[i]} leads to byte {target[i]}, the file has {data.size}",
        )  # fmt: skip
        report(
            ~(good | zero | outside), "misaligned",
            lambda i: f"offset leads to byte {target[i]}, which is not a multiple of 4",
        )  # fmt: skip
    return target, good


def _follow_union(
    state: Walk, table: str, rows: Rows, f: Field, there: Index, target: Index, weight: NDArray[np.float64]
) -> None:
    kind = np.zeros(len(rows), np.int64)
    type_at = rows.at[f"{f.name}_type"]
    kind[type_at > 0] = state.tables.data.gather("u1", type_at[type_at > 0])
    rows.refs[f.name].union_type = kind
    own, members = kind[there], state.tables.schema.unions[f.type]
    for number in (np.bincount(own)[1 : len(members) + 1].nonzero()[0] + 1).tolist():
        mine = own == number
        site = PendingReference(table, f.name, there[mine], target[mine], weight[mine])
        state.pending.setdefault(members[number - 1], []).append(site)


def _follow_vector(state: Walk, table: str, rows: Rows, f: Field, there: Index, target: Index) -> None:
    """Check that strings and vectors of scalars lie in the file, and record their positions and lengths."""
    data, refs = state.tables.data, rows.refs[f.name]
    text = f.kind == "string"
    width = 1 if text else f.width
    length = data.gather("<u4", target).astype(np.int64)
    outside = length * width > data.size - target - 4 - text
    bad = outside.copy()
    if outside.any():
        state.faults.fields(
            table, f.name, there, outside, "vector-outside-file",
            lambda i: f"{length[i]} elements of {width} bytes from byte {target[i] + 4} pass the end of the file",
        )  # fmt: skip
    if text:
        bad |= data.view("u1")[np.where(outside, 0, target + 4 + length)] != 0
        if bad.any():
            loose = bad & ~outside
            state.faults.fields(
                table, f.name, there, loose, "string-not-terminated", lambda i: "no NUL after it"
            )
    elif width == 8:
        skewed = there[~bad & (length > 0) & (target & 7 != 4)]
        state.tables.skewed += [(table, f.name, int(row)) for row in skewed]
    if bad.any():
        rows.at[f.name][there[bad]] = 0
        there, target, length = there[~bad], target[~bad], length[~bad]
    refs.begin, refs.length = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    refs.begin[there] = target + 4
    refs.length[there] = length


def _follow_offsets(
    state: Walk, table: str, rows: Rows, f: Field, there: Index, target: Index, weight: NDArray[np.float64]
) -> None:
    """Queue the tables of vectors of tables. Each distinct vector is followed once."""
    data, refs = state.tables.data, rows.refs[f.name]
    length = data.gather("<u4", target).astype(np.int64)
    outside = length > (data.size - target - 4) // 4
    if outside.any():
        state.faults.fields(
            table, f.name, there, outside, "vector-outside-file",
            lambda i: f"{length[i]} offsets from byte {target[i] + 4} pass the end of the file",
        )  # fmt: skip
        rows.at[f.name][there[outside]] = 0
    there, target, length, weight = there[~outside], target[~outside], length[~outside], weight[~outside]
    vector, which = distinct(target)
    refs.row[there] = which
    refs.length = data.gather("<u4", vector).astype(np.int64)
    refs.begin = np.cumsum(refs.length) - refs.length
    total = int(refs.length.sum())
    state.elements += total
    if state.elements > data.size // 4:
        message = "vectors overlap: together they have more elements than the file has words"
        state.faults.report_file_problem("shared-too-often", 0, message, state.faults.path(table, 0, f.name))
        refs.length = np.zeros_like(refs.length)
        total = 0
    owner = np.repeat(np.arange(len(vector)), refs.length)
    at = np.repeat(vector + 4 - 4 * refs.begin, refs.length) + 4 * np.arange(total)
    refs.flat = np.full(total, -1)
    first = _first_row(which, there, len(vector))

    def report(bad: Mask, code: str, message: Message) -> None:
        element = np.arange(total) - refs.begin[owner]
        state.faults.elements(table, f.name, first[owner], element, at, bad, code, message)

    child, good = _targets(state, at, report)
    each: NDArray[np.float64] = np.bincount(which, weight, len(vector))[owner[good]].astype(np.float64)
    site = PendingReference(table, f.name, np.flatnonzero(good), child[good], each)
    state.pending.setdefault(f.type, []).append(site)


def _first_row(which: Index, there: Index, vectors: int) -> Index:
    first = np.zeros(vectors, np.int64)
    first[which[::-1]] = there[::-1]
    return first

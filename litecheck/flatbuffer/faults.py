"""Problems of whole columns: the first 20 with their paths, the others as a count."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import Problem
from litecheck.flatbuffer.tables import Bytes, Index, Tables

#: Number of rows of a failing check that are reported individually.
SHOWN = 20

#: Codes of the problems that a truncated file has.
_BEYOND = {"offset-outside-file", "vtable-outside-file", "vector-outside-file", "bad-vtable"}
#: A single reference past the end indicates truncation only within this distance from the end, in bytes.
_NEAR = 64

Mask = NDArray[np.bool_]
Message = Callable[[int], str]


def merge_cut(problems: Sequence[Problem], data: Bytes) -> tuple[Problem, ...]:
    """Return the problems; if the file is truncated, the only problem that explains all of them."""
    beyond = [problem for problem in problems if problem.code in _BEYOND]
    end = data.start + data.size
    several = len({problem.path for problem in beyond}) > 1
    if not beyond or len(beyond) < len(problems) or not (several or (beyond[0].offset or 0) + _NEAR >= end):
        return tuple(problems)
    return (
        Problem(
            "cut-off", "", end, f"the file is cut off: it ends at byte {end}, before data that it refers to"
        ),
    )


class Faults:
    """Collected problems. A message function gets the index of the faulty row or element."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.problems: list[Problem] = []

    def report_file_problem(self, code: str, offset: int, message: str, path: str = "") -> None:
        """Report a problem of the whole file; ``offset`` counts from the start of the flatbuffer."""
        self.problems.append(Problem(code, path, self.tables.data.start + offset, message))

    def rows(self, table: str, name: str | None, bad: Mask, code: str, message: Message) -> None:
        """Report faulty tables, or faulty fields whose positions are not known yet."""
        self._each(table, name, np.arange(len(bad)), bad, code, message, None)

    def fields(self, table: str, name: str, there: Index, bad: Mask, code: str, message: Message) -> None:
        """Report faulty fields of the rows ``there``."""
        self._each(table, name, there, bad, code, message, name)

    def elements(
        self,
        table: str,
        name: str,
        row: Index,
        element: Index,
        at: Index,
        bad: Mask,
        code: str,
        message: Message,
    ) -> None:
        """Report faulty elements of vectors, each with its own position."""
        found = np.flatnonzero(bad)
        for i in found[:SHOWN].tolist():
            self.report_file_problem(
                code, int(at[i]), message(i), f"{self.path(table, int(row[i]), name)}[{element[i]}]"
            )
        self._more(code, table, len(found))

    def _each(
        self,
        table: str,
        name: str | None,
        there: Index,
        bad: Mask,
        code: str,
        message: Message,
        place: str | None,
    ) -> None:
        found = np.flatnonzero(bad)
        for i in found[:SHOWN].tolist():
            row = int(there[i])
            offset = self.tables.offset(table, row, place)
            self.problems.append(Problem(code, self.path(table, row, name), offset, message(i)))
        self._more(code, table, len(found))

    def _more(self, code: str, table: str, count: int) -> None:
        if count > SHOWN:
            self.report_file_problem(
                code, 0, f"and {count - SHOWN} more tables of type {table} with the same fault"
            )

    def path(self, table: str, row: int, name: str | None = None) -> str:
        """Return a table's path, with the field's name appended."""
        return ".".join(part for part in (path_of(self.tables, table, row), name) if part)


def path_of(tables: Tables, table: str, row: int) -> str:
    """Return a table's path from the root by the first reference to it: ``subgraphs[0].tensors[17].quantization``."""
    parts: list[str] = []
    while table != tables.schema.root:
        parent = _parent(tables, table, row)
        if parent is None:
            parts.append(f"{table} {row}")
            break
        table, row, step = parent
        parts.append(step)
    return ".".join(reversed(parts))


def _parent(tables: Tables, table: str, row: int) -> tuple[str, int, str] | None:
    for parent, rows in tables.rows.items():
        for f in tables.schema.tables[parent]:
            refs = rows.refs.get(f.name)
            if refs is None:
                continue
            if f.kind == "tables" and f.type == table:
                for at in np.flatnonzero(refs.flat == row):
                    v = int(np.searchsorted(refs.begin, at, "right")) - 1
                    while refs.length[v] == 0:
                        v -= 1
                    owner = np.flatnonzero(refs.row == v)
                    if len(owner):
                        return parent, int(owner[0]), f"{f.name}[{at - refs.begin[v]}]"
            elif f.kind == "table" and f.type == table:
                owner = np.flatnonzero(refs.row == row)
                if len(owner):
                    return parent, int(owner[0]), f.name
            elif f.kind == "union" and table in tables.schema.unions[f.type]:
                kind = tables.schema.unions[f.type].index(table) + 1
                owner = np.flatnonzero((refs.row == row) & (refs.union_type == kind))
                if len(owner):
                    return parent, int(owner[0]), f.name
    return None

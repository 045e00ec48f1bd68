"""What is wrong with fields of tables as problems: the first few of a kind by name, the rest counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from litecheck.errors import Problem
from litecheck.flatbuffer.faults import SHOWN, Mask
from litecheck.flatbuffer.paths import path_of
from litecheck.flatbuffer.tables import Tables


class FieldFaults:
    """Collects problems of one file; all faults of a kind in a field are counted together."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.problems: list[Problem] = []
        self.counts: Counter[tuple[str, str, str]] = Counter()

    def say(self, code: str, table: str, row: int, name: str, message: str) -> None:
        """One problem, unless the same field has had enough of that kind."""
        f = name.split("[")[0]
        self.counts[code, table, f] += 1
        if self.counts[code, table, f] <= SHOWN:
            path = ".".join(p for p in (path_of(self.tables, table, row), name) if p)
            self.problems.append(Problem(code, path, self.tables.offset(table, row, f or None), message))

    def each(self, code: str, table: str, name: str, bad: Mask, message: Callable[[int], str]) -> None:
        """One problem per row at fault, the first few by name."""
        rows = np.flatnonzero(bad)
        for row in rows[:SHOWN].tolist():
            self.say(code, table, row, name, message(row))
        self.counts[code, table, name] += max(len(rows) - SHOWN, 0)

    def rest(self) -> None:
        """How many faults were not named."""
        for (code, table, name), count in self.counts.items():
            if count > SHOWN:
                more = f"and {count - SHOWN:,} more in the field {name} of {table} tables"
                self.problems.append(Problem(code, "", self.tables.data.start, more))

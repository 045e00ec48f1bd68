"""Execution order of a subgraph: each tensor is computed before it is used. Faults of fields as problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import Problem
from litecheck.flatbuffer.faults import SHOWN, Mask, path_of
from litecheck.flatbuffer.tables import Index, Tables, numpy_type


class FieldFaults:
    """Collected problems of a file. All faults of one kind in one field are counted together."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.problems: list[Problem] = []
        self.counts: Counter[tuple[str, str, str]] = Counter()

    def add(self, code: str, table: str, row: int, name: str, message: str) -> None:
        """Add a problem, unless the same field has 20 problems of this kind already."""
        f = name.split("[")[0]
        self.counts[code, table, f] += 1
        if self.counts[code, table, f] <= SHOWN:
            path = ".".join(p for p in (path_of(self.tables, table, row), name) if p)
            self.problems.append(Problem(code, path, self.tables.offset(table, row, f or None), message))

    def add_rows(self, code: str, table: str, name: str, bad: Mask, message: Callable[[int], str]) -> None:
        """Add a problem for each faulty row; rows after the first 20 are counted only."""
        rows = np.flatnonzero(bad)
        for row in rows[:SHOWN].tolist():
            self.add(code, table, row, name, message(row))
        self.counts[code, table, name] += max(len(rows) - SHOWN, 0)

    def add_counts(self) -> None:
        """Add a problem with the number of faults that were counted only."""
        for (code, table, name), count in self.counts.items():
            if count > SHOWN:
                more = f"and {count - SHOWN:,} more in the field {name} of {table} tables"
                self.problems.append(Problem(code, "", self.tables.data.start, more))


class ExecutionOrder:
    """Check of a subgraph: tensor indices are in range, and every tensor is computed before it is used."""

    def __init__(self, faults: FieldFaults, constant: Mask, ready: Mask, custom: Mask, row: int) -> None:
        self.faults, self.t, self.row = faults, faults.tables, row
        self.constant, self.ready, self.custom = constant, ready, custom
        self.tensors = self.t.children("SubGraph", "tensors", row)
        self.steps = self.t.children("SubGraph", "operators", row)

    def check(self) -> None:
        ends = {name: self.t.vector("SubGraph", name, self.row) for name in ("inputs", "outputs")}
        sound = True
        for name, index in ends.items():
            for at in np.flatnonzero((index < 0) | (index >= len(self.tensors)))[:SHOWN].tolist():
                self._add_index_fault("SubGraph", self.row, f"{name}[{at}]", int(index[at]))
                sound = False
        uses = {name: self._find_uses(name) for name in ("inputs", "outputs", "intermediates")}
        for name, (step, at, index) in uses.items():
            for i in np.flatnonzero((index < -1) | (index >= len(self.tensors)))[:SHOWN].tolist():
                self._add_index_fault("Operator", int(self.steps[step[i]]), f"{name}[{at[i]}]", int(index[i]))
                sound = False
        if sound and len(self.steps) and len(self.tensors):
            self._check_order(ends["inputs"], uses["inputs"], uses["outputs"])

    def _add_index_fault(self, table: str, row: int, name: str, index: int) -> None:
        self.faults.add("index-out-of-range", table, row, name, f"tensor {index} of {len(self.tensors)}")

    def _find_uses(self, name: str) -> tuple[Index, Index, Index]:
        """Return (step, operand number, tensor index) of every operand in a vector of operands."""
        none = np.empty(0, np.int64)
        if not len(self.steps):
            return none, none, none
        refs = self.t.refs("Operator", name)
        begin, length = refs.begin[self.steps] // 4, refs.length[self.steps]
        step = np.repeat(np.arange(len(self.steps)), length)
        at = np.arange(len(step)) - np.repeat(np.cumsum(length) - length, length)
        return step, at, self.t.data.view(numpy_type("int32"))[np.repeat(begin, length) + at].astype(np.int64)

    def _check_order(
        self, inputs: NDArray[np.int32], used: tuple[Index, Index, Index], made: tuple[Index, Index, Index]
    ) -> None:
        ready = np.full(len(self.tensors), np.iinfo(np.int64).max)
        step, at, index = (column[made[2] >= 0] for column in made)
        np.minimum.at(ready, index, step)
        stored = self.constant[self.tensors]
        for i in np.flatnonzero(stored[index])[:SHOWN].tolist():
            message = f"writes tensor {index[i]}, a constant"
            self.faults.add(
                "constant-output", "Operator", int(self.steps[step[i]]), f"outputs[{at[i]}]", message
            )
        ready[self.ready[self.tensors]] = -1
        ready[inputs] = -1
        step, at, index = (column[used[2] >= 0] for column in used)
        late, never_made = ready[index] >= step, ready[index] == np.iinfo(np.int64).max
        # Scratch memory of a custom operator has no producer. Example: a compiled Ethos-U command stream.
        late &= ~(never_made & self.custom[self.steps[step]])
        for i in np.flatnonzero(late)[:SHOWN].tolist():
            never = never_made[i]
            message = f"tensor {index[i]} is " + ("never computed" if never else "computed only later")
            self.faults.add(
                "used-before-made", "Operator", int(self.steps[step[i]]), f"inputs[{at[i]}]", message
            )

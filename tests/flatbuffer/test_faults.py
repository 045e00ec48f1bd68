"""Problems of a file: paths of tables, the first rows of a fault, and files without their end."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.errors import Problem
from litecheck.flatbuffer.faults import SHOWN, Faults, merge_cut, path_of
from litecheck.flatbuffer.references import distinct
from litecheck.flatbuffer.table import Table
from litecheck.flatbuffer.tables import Bytes
from tests.flatbuffer.test_tables import GRAPHS, MODEL, OPERATORS, TENSORS, read

#: Two empty vectors of tables before, between and after filled vectors.
EMPTY = Table("SubGraph", {"tensors": (), "operators": ()})
TABLES = read(Table("Model", {**MODEL.fields, "subgraphs": (EMPTY, GRAPHS[0], EMPTY, GRAPHS[1], EMPTY)}))
FILE = Bytes(np.zeros(1000, np.uint8), 5000)


def test_every_table_has_its_path() -> None:
    paths = {path_of(TABLES, table, row) for table in TABLES.rows for row in range(TABLES.count(table))}
    assert paths == {
        "",
        *(f"subgraphs[{n}]" for n in range(5)),
        "subgraphs[1].tensors[0]",
        "subgraphs[1].tensors[0].quantization",
        *(f"subgraphs[3].tensors[{n}]" for n in range(len(TENSORS) - 1)),
        *(f"subgraphs[3].operators[{n}]" for n in range(len(OPERATORS))),
        *(f"subgraphs[3].operators[{n}].builtin_options" for n in (0, 2, 3)),
    }
    assert path_of(TABLES, "Buffer", 7) == "Buffer 7"


@pytest.mark.parametrize(("count", "more"), [(SHOWN, 0), (SHOWN + 1, 1), (SHOWN + 30, 30)])
def test_the_first_rows_of_a_fault_are_reported(count: int, more: int) -> None:
    faults = Faults(TABLES)
    bad = np.arange(60) % 61 < count
    there = np.arange(60) % 2
    faults.fields("Tensor", "name", there, bad, "code", lambda row: f"row {row}")
    *shown, last = faults.problems if more else (*faults.problems, None)
    assert [problem.message for problem in shown] == [f"row {n}" for n in range(SHOWN)]
    assert {problem.path for problem in shown} == {
        "subgraphs[1].tensors[0].name",
        "subgraphs[3].tensors[0].name",
    }
    if last is not None:
        assert (last.message, last.path) == (f"and {more} more tables of type Tensor with the same fault", "")


def problem(code: str, path: str, offset: int | None) -> Problem:
    return Problem(code, path, offset, "message")


@pytest.mark.parametrize(
    ("problems", "merged"),
    [
        ((), False),
        ((problem("vector-outside-file", "a", 5000), problem("bad-vtable", "b", 5001)), True),
        ((problem("vector-outside-file", "a", 5000), problem("bad-vtable", "a", 5001)), False),
        ((problem("vector-outside-file", "a", 5000), problem("misaligned", "b", 5001)), False),
        ((problem("offset-outside-file", "a", 5935),), False),
        ((problem("offset-outside-file", "a", 5936),), True),
        ((problem("vtable-outside-file", "a", None),), False),
        ((problem("misaligned", "a", 5999),), False),
    ],
)
def test_a_file_without_its_end_has_one_problem(problems: tuple[Problem, ...], merged: bool) -> None:
    message = "the file is cut off: it ends at byte 6000, before data that it refers to"
    assert merge_cut(problems, FILE) == ((Problem("cut-off", "", 6000, message),) if merged else problems)


@pytest.mark.parametrize(
    ("values", "different", "row"),
    [
        ((), (), ()),
        ((7,), (7,), (0,)),
        ((4, 2, 4), (2, 4), (1, 0, 1)),
        ((4, 2, 1), (4, 2, 1), (0, 1, 2)),
        ((1, 2, 4), (1, 2, 4), (0, 1, 2)),
        ((1, 1, 2), (1, 2), (0, 0, 1)),
        ((2, 2, 1), (1, 2), (1, 1, 0)),
    ],
)
def test_distinct_values(values: tuple[int, ...], different: tuple[int, ...], row: tuple[int, ...]) -> None:
    found, which = distinct(np.array(values, np.int64))
    assert (tuple(found), tuple(which)) == (different, row)

"""Measurements of assignments to the variable that an operator reads, computed by hand, and their setters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.registry import measurement
from tests.model.test_links import Step, model
from tests.profile.measurements.witnessed import measured_after

HANDLE, READ = ("handle", (0, "A")), ("read", 0)


def assign(value: int) -> Step:
    """Return an assignment of a value: 4 equals the read (2 elements, int16, scale 0.5), 5 has 3 elements, int8 and
    scale 0.25, 6 has no scale."""
    return "assign", (0, value)


def measured(name: str, steps: Sequence[Step], at: int, subgraph: int = 0) -> Measured:
    """Measure the operator ``at``, a READ_VARIABLE."""
    made = model(*([[]] * subgraph), steps)
    graph = made.subgraphs[subgraph]
    read = graph.operators[at]
    return measurement(name)(Operands(read, {"output": (graph.tensors[4],)}, graph, made))


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        # different parameters, different types, fewer elements, all assignments
        ([4], (0, 0, 0, 1)),
        ([4, 5], (1, 1, 0, 2)),
        ([5, 5, 4], (2, 2, 0, 3)),
        ([6], (0, 1, 0, 1)),
        ([4, 6, 5], (1, 2, 0, 3)),
        ([], (0, 0, 0, 0)),
    ],
)
def test_counts_of_assignments(values: list[int], wanted: tuple[int, ...]) -> None:
    names = ("variable_mismatches", "variable_types", "shorter_assignments", "assignments")
    steps = [HANDLE, *map(assign, values), READ]
    assert tuple(measured(name, steps, len(values) + 1) for name in names) == wanted
    assert {measured(name, [READ], 0) for name in names} == {None}


@pytest.mark.parametrize(
    ("steps", "at", "wanted"),
    [
        ([HANDLE, assign(4), READ], 2, "some"),
        ([HANDLE, READ, assign(4)], 1, "none"),
        ([HANDLE, READ, assign(4), READ], 3, "some"),
        ([HANDLE, READ], 1, None),
        ([READ], 0, None),
    ],
)
def test_assignments_before_a_read(steps: list[Step], at: int, wanted: str | None) -> None:
    assert measured("earlier_assignments", steps, at) == wanted


def test_a_read_of_a_called_subgraph_is_not_measured() -> None:
    assert measured("earlier_assignments", [HANDLE, assign(4), READ], 2, subgraph=1) is None


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("variable_mismatches", (0, 1, 3)),
        ("variable_types", (0, 1, 3)),
        ("shorter_assignments", (0, 1, 3)),
        ("assignments", (0, 1, 3)),
        ("earlier_assignments", ("some", "none")),
    ],
)
def test_setter_sets_the_value(name: str, values: tuple[Any, ...]) -> None:
    assert [measured_after(name, "READ_VARIABLE", value) for value in values] == list(values)

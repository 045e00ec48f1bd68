"""Geometry not exercised: values, pairs, operators without a design, and cases without outputs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litecheck.cases.geometry.design import design_of
from litecheck.suite.geometry_gaps import GeometryGap, geometry_gaps
from litecheck.suite.manifest import CaseEntry, read_suite
from litecheck.suite.suite_writer import Scope, make


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> tuple[CaseEntry, ...]:
    folder = tmp_path_factory.mktemp("geometry") / "suite"
    make(Scope("litert-int8", select=("TRANSPOSE/int8/[!r]*", "SHAPE/int8/[!r]*"), flags=False), folder)
    return read_suite(folder).manifest.cases


def gap(cases: tuple[CaseEntry, ...], answered: set[str], opcode: str = "TRANSPOSE") -> GeometryGap:
    return next(one for one in geometry_gaps(cases, answered) if one.opcode == opcode)


def test_all_cases_exercise_all_pairs(cases: tuple[CaseEntry, ...]) -> None:
    found = gap(cases, {case.name for case in cases})
    assert (found.kind, found.values, found.pairs, found.of) == ("int8", (), 0, 248)
    assert "ranks above 5" in found.never


def test_a_case_without_outputs_exercises_nothing(cases: tuple[CaseEntry, ...]) -> None:
    design = design_of("TRANSPOSE")
    assert design is not None
    nothing = gap(cases, set())
    assert nothing.pairs == nothing.of
    values = [f"{name} {value}" for name, value in design.values()]
    assert nothing.values == (*values, "rank 2", "rank 3", "rank 4", "rank 5")
    (first, *_) = (case for case in cases if case.factors)
    one = gap(cases, {first.name})
    assert one.of - one.pairs == 10  # pairs of five factors
    assert len(nothing.values) - len(one.values) == 6  # five factors and the rank
    assert f"batch {first.factors['batch']}" not in one.values


def test_an_operator_without_a_design_has_a_note(cases: tuple[CaseEntry, ...]) -> None:
    assert gap(cases, set(), "SHAPE").never == ("shapes beyond the forms of its cases",)


def test_invalid_models_are_no_operators(cases: tuple[CaseEntry, ...]) -> None:
    broken = tuple(replace(case, broken="TRANSPOSE/perm") for case in cases)
    assert list(geometry_gaps(broken, set())) == []


def test_a_rank_that_is_a_factor_is_listed_once(cases: tuple[CaseEntry, ...]) -> None:
    found = gap(tuple(replace(case, opcode="MINIMUM") for case in cases), set(), "MINIMUM")
    assert [value for value in found.values if value.startswith("rank")] == [
        "rank 4",
        "rank 3",
        "rank 2",
        "rank 5",
        "rank 1",
    ]

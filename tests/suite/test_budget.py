"""Part runs: the order of inputs, their division among cases, and the mutation coverage that a part has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from litecheck.suite.budget import by_turns, mutation_coverage, planned_runs, rank_runs
from litecheck.suite.manifest import ArrayEntry, CaseEntry, DetectedMutant, Suite, read_suite
from litecheck.suite.result_verdicts import judge
from litecheck.suite.results import read_results
from litecheck.suite.suite_run import run
from litecheck.suite.suite_writer import Scope, make
from litecheck.verification.settings import Budget
from tests.suite.devices import Computing, arithmetic


def case(name: str, runs: int, *flags: tuple[str, tuple[int, ...]], **more: object) -> CaseEntry:
    entry = ArrayEntry("i.bin", "int8", (runs, 4), "")
    found = tuple(DetectedMutant(mistake, detecting, 1) for mistake, detecting in flags)
    opcode = name.partition("/")[0]
    made = CaseEntry(name, opcode, "int8", "", "", "smoke", "m", "", (entry,), (), flags=found)
    return replace(made, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "order"),
    [
        (case("A/1", 3, ("a", (0, 1)), ("b", (1,)), ("c", (2,))), ((1,), (2,), (0,))),
        (case("A/1", 3), ((0,), (1,), (2,))),
        (case("A/1", 5, ("a", (4,)), lengths=(2, 3)), ((2, 3, 4), (0, 1))),
        (case("A/1", 0), ()),
    ],
)
def test_the_most_telling_run_comes_first(one: CaseEntry, order: tuple[tuple[int, ...], ...]) -> None:
    assert rank_runs(one) == order


def test_every_operator_has_its_turn_and_invalid_models_come_last() -> None:
    cases = [case("A/1", 1), case("A/2", 1), case("A/3", 1, broken="A/input"), case("B/1", 1)]
    assert [one.name for one in by_turns(cases)] == ["A/1", "B/1", "A/2", "A/3"]


@pytest.mark.parametrize(
    ("inferences", "chosen"),
    [
        (1, {"A/1": (1,)}),
        (2, {"A/1": (1,), "B/1": (0,)}),
        (3, {"A/1": (0, 1), "B/1": (0,)}),
        (9, {"A/1": (0, 1), "B/1": (0,)}),
    ],
)
def test_inferences_are_divided_by_rounds(inferences: int, chosen: dict[str, tuple[int, ...]]) -> None:
    assert planned_runs([case("A/1", 2, ("a", (1,))), case("B/1", 1)], inferences) == chosen


def test_coverage_of_a_part() -> None:
    cases = [
        case("A/1", 2, ("a", (1,)), ("b", (0,))),
        case("A/2", 1, ("a", (0,))),
        case("B/1", 1, ("a", (0,))),
    ]
    assert mutation_coverage(cases, {"A/1": (1,)}) == (1, 3)
    assert mutation_coverage(cases, {"A/1": (0,), "A/2": ()}) == (2, 3)
    assert mutation_coverage(cases, {one.name: () for one in cases}) == (3, 3)


@pytest.fixture(scope="module")
def flagged(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    folder = tmp_path_factory.mktemp("flagged") / "suite"
    make(Scope("litert-int8", "smoke", ("LOGISTIC/int8/[!r]*", "QUANTIZE/int8/[!r]*")), folder)
    return read_suite(folder)


def test_a_part_run_is_judged_by_its_own_runs(flagged: Suite, tmp_path: Path) -> None:
    cases = flagged.manifest.cases
    done = run(flagged, Computing(arithmetic()), tmp_path / "part", budget=Budget(invocations=len(cases)))
    results = read_results(tmp_path / "part", flagged)
    report, part = judge(flagged, results), judge(flagged, results, partial=True)
    assert (done, report.inferences[0]) == (len(cases), len(cases))
    assert report.inferences[0] < report.inferences[1] == sum(one.runs for one in cases)
    assert (report.verdict, part.verdict) == ("fails", "conforms")
    assert 0 < report.coverage[0] <= report.coverage[1]
    wrong = Computing(arithmetic(LOGISTIC={"defect": "no-output-zero-point"}))
    run(flagged, wrong, tmp_path / "wrong", budget=Budget(invocations=len(cases)))
    failing = judge(flagged, read_results(tmp_path / "wrong", flagged), partial=True)
    assert {row.opcode: row.verdict for row in failing.rows} == {"LOGISTIC": "fails", "QUANTIZE": "conforms"}


def test_within_a_time_parts_become_whole(flagged: Suite, tmp_path: Path) -> None:
    run(flagged, Computing(arithmetic()), tmp_path, budget=Budget(seconds=600.0))
    report = judge(flagged, read_results(tmp_path, flagged))
    assert (report.verdict, report.incomplete) == ("conforms", False)

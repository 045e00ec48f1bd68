"""Endings, standings and waivers of cases, rows and reports, as truth tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.claims import Shortfall
from litecheck.suite.verdict import (
    CLAIMED,
    NOT_CLAIMED,
    PARTLY_CLAIMED,
    CaseVerdict,
    OperatorRow,
    SuiteReport,
)
from litecheck.suite.waivers import CaseWaiver, WaiverRecord

E = CaseOutcome
WAIVER = CaseWaiver(("ADD/*",), "a reason", "2030-01-01", "waivers.yaml", 1)


def case(ending: CaseOutcome, **more: Any) -> CaseVerdict:
    return CaseVerdict("ADD/int8/plain", "ADD", "int8", "", "plain", ending, **more)


def row(
    standing: str = "", excused: dict[str, int] | None = None, waived: int = 0, **counts: int
) -> OperatorRow:
    """Return a row with counts by the name of an ending: ``row(FAILED=2)``."""
    found = {E[name].value: n for name, n in counts.items()}
    return OperatorRow(
        "ADD", "int8", "", found, "tflm", standing=standing, excused=excused or {}, waived=waived
    )


def report(*rows: OperatorRow, cases: tuple[CaseVerdict, ...] = (), **more: Any) -> SuiteReport:
    return SuiteReport("1", "p", "smoke", 0, "", "", "", "d", "", "", (), rows, cases, **more)


def test_classes_of_endings() -> None:
    """Each ending is good, a failure, lacking, or belongs to an invalid model."""
    good = {E.PASSED, E.TOLERATED, E.REJECTED}
    fails = {E.FAILED, E.FLAKY, E.REFUSED, E.CRASHED, E.HUNG, E.OUT_OF_MEMORY}
    lacks = {E.NOT_DELEGATED, E.NOT_SUPPORTED, E.MISSING}
    assert {e for e in E if e.good} == good
    assert {e for e in E if e.fails} == fails
    assert {e for e in E if e.lacks} == lacks
    assert {*E} - good - fails - lacks == {E.ACCEPTED, E.BROKE_DOWN, E.NOT_TESTED}


@pytest.mark.parametrize(
    ("ending", "standing", "broken", "wanting"),
    [
        (E.FAILED, "", "", True),
        (E.FAILED, CLAIMED, "", True),
        (E.FAILED, NOT_CLAIMED, "", False),
        (E.MISSING, "", "", False),
        (E.MISSING, CLAIMED, "", True),
        (E.MISSING, NOT_CLAIMED, "", False),
        (E.NOT_TESTED, CLAIMED, "ADD/input/dtype", False),
        (E.PASSED, CLAIMED, "", False),
        (E.ACCEPTED, CLAIMED, "ADD/input/dtype", False),
    ],
)
def test_cases(ending: CaseOutcome, standing: str, broken: str, wanting: bool) -> None:
    one = case(ending, standing=standing, broken=broken)
    assert one.wanting == one.fails == wanting
    waived = case(ending, standing=standing, broken=broken, waiver=WAIVER)
    assert (waived.wanting, waived.fails) == (wanting, False)


@pytest.mark.parametrize(
    ("one", "fails"),
    [
        (case(E.REFUSED), True),
        (case(E.REFUSED, excuse="undefined"), False),
        (case(E.CRASHED, excuse="undefined", standing=CLAIMED), False),
        (case(E.FAILED, fault="reads int8 as uint8"), True),
    ],
)
def test_excused_cases_are_no_failures(one: CaseVerdict, fails: bool) -> None:
    assert one.fails == fails


@pytest.mark.parametrize(
    ("one", "missing"),
    [
        (case(E.MISSING), 1),
        (case(E.PASSED), 0),
        (case(E.MISSING, excuse="undefined"), 0),
        (case(E.NOT_TESTED, broken="ADD/input/dtype"), 0),
        (case(E.MISSING, standing=NOT_CLAIMED), 0),
        (case(E.NOT_SUPPORTED), 0),
    ],
)
def test_missing_results_fail_unless_partial_is_set(one: CaseVerdict, missing: int) -> None:
    made = report(row(PASSED=1), cases=(one,))
    part = report(row(PASSED=1), cases=(one,), partial=True)
    assert (made.missing, made.verdict) == (missing, "fails" if missing else "conforms")
    assert (part.missing, part.verdict) == (missing, "conforms")


@pytest.mark.parametrize(
    ("one", "verdict"),
    [
        (row(PASSED=1), "conforms"),
        (row(TOLERATED=1), "conforms"),
        (row(PASSED=1, FAILED=1), "fails"),
        (row(PASSED=1, FAILED=2, excused={"failed": 1}), "fails"),
        (row(PASSED=1, FAILED=2, excused={"failed": 2}), "conforms"),
        (row(PASSED=1, FAILED=2, excused={"failed": 2}, waived=2), "waived"),
        (row(PASSED=1, FAILED=2, waived=1), "fails"),
        (row(MISSING=3), "not checked"),
        (row(NOT_SUPPORTED=3), "not supported"),
        (row(NOT_SUPPORTED=3, MISSING=1), "not checked"),
        (row(NOT_SUPPORTED=3, PASSED=1), "conforms"),
        (row(NOT_SUPPORTED=3, CRASHED=1), "fails"),
        (row(NOT_SUPPORTED=3, standing=CLAIMED), "fails"),
        (row(PASSED=1, MISSING=3), "incomplete"),
        (row(PASSED=1, MISSING=3, excused={"missing": 3}), "conforms"),
        (row(PASSED=1, MISSING=3, FAILED=1), "fails"),
        (row(PASSED=1, NOT_TESTED=3), "conforms"),
        (row(PASSED=1, MISSING=3, standing=CLAIMED), "fails"),
        (row(PASSED=1, MISSING=3, standing=PARTLY_CLAIMED, excused={"missing": 3}), "conforms"),
        (row(FAILED=3, standing=NOT_CLAIMED), "not claimed"),
        (row(REJECTED=2, ACCEPTED=1), "not checked"),
        (row(PASSED=1, BROKE_DOWN=1), "conforms"),
    ],
)
def test_rows(one: OperatorRow, verdict: str) -> None:
    assert one.verdict == verdict


def test_counts_of_a_row() -> None:
    one = row(PASSED=3, TOLERATED=2, FAILED=1, REJECTED=4)
    assert (one.cases, one.correct_cases, one.count(E.REJECTED), one.count(E.HUNG)) == (10, 5, 4, 0)


EXPIRED = WaiverRecord(WAIVER, "expired", 1)
SHORT = Shortfall("operator", "MUL", "")


@pytest.mark.parametrize(
    ("made", "verdict", "code"),
    [
        (report(row(PASSED=1)), "conforms", 0),
        (report(row(PASSED=1), row(FAILED=1)), "fails", 1),
        (report(row(PASSED=1), waivers=(EXPIRED,)), "fails", 1),
        (report(row(PASSED=1), waivers=(WaiverRecord(WAIVER, "used", 1),)), "conforms", 0),
        (report(row(PASSED=1), shortfalls=(SHORT,)), "fails", 1),
        (report(row(PASSED=1, FAILED=1, excused={"failed": 1}, waived=1)), "conforms", 0),
        (report(row(MISSING=1)), "not checked", 2),
        (report(row(NOT_SUPPORTED=1)), "not checked", 2),
        (report(row(PASSED=1, standing=NOT_CLAIMED)), "not checked", 2),
        (report(row(PASSED=1, standing=NOT_CLAIMED), row(PASSED=1)), "conforms", 0),
        (report(), "not checked", 2),
    ],
)
def test_reports(made: SuiteReport, verdict: str, code: int) -> None:
    assert (made.verdict, made.exit_code) == (verdict, code)


def test_counts_of_a_report() -> None:
    """The order is that of the endings, independent of the order of cases."""
    cases = tuple(map(case, (E.HUNG, E.FAILED, E.PASSED, E.FAILED)))
    made = report(row(waived=2), row(waived=3), cases=cases)
    assert list(made.counts().items()) == [("passed", 1), ("failed", 2), ("hung", 1)]
    assert made.waived == 5


@pytest.mark.parametrize(
    ("ending", "rows", "partial", "wants"),
    [
        (E.FAILED, (), False, True),
        (E.PASSED, (row(PASSED=1),), False, False),
        (E.MISSING, (row(PASSED=1),), False, True),
        (E.MISSING, (row(PASSED=1),), True, False),
        (E.MISSING, (row(FAILED=1),), False, True),
        (E.MISSING, (row(MISSING=1),), False, False),
        (E.MISSING, (), False, False),
    ],
)
def test_a_missing_result_fails_if_a_case_was_computed(
    ending: CaseOutcome, rows: tuple[OperatorRow, ...], partial: bool, wants: bool
) -> None:
    assert report(*rows, partial=partial).wants(case(ending)) is wants


def test_required_cases() -> None:
    cases = (
        case(E.PASSED),
        case(E.MISSING),
        case(E.MISSING, excuse="optional"),
        case(E.ACCEPTED, broken="ADD/x"),
    )
    found = report(row(PASSED=1), cases=cases)
    assert (found.required, found.missing, found.incomplete) == (2, 1, True)


def test_the_agreement_counts_operators_that_conform() -> None:
    """Only claimed arithmetics and conforming operators are counted."""
    fits: Any = {"fits": ("tflm", "litert-xnnpack", "other")}
    rows = (
        replace(row(PASSED=1), **fits),
        replace(row(FAILED=1), **fits),
        replace(row(PASSED=1, MISSING=1), **fits),
    )
    claimed = ("tflm", "litert-xnnpack")
    found = replace(report(*rows), arithmetics=claimed)
    alone = replace(report(rows[0], rows[2]), arithmetics=claimed)
    assert found.agreement == alone.agreement != report(rows[1]).agreement

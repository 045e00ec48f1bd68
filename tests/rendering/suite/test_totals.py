"""Totals of a suite's report: the sentence of the verdict, groups of cases, and missing results."""

from __future__ import annotations

import pytest

from litecheck.rendering.suite import totals
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.claims import Shortfall
from litecheck.suite.verdict import CLAIMED, NOT_CLAIMED, OperatorRow
from litecheck.suite.waivers import WaiverRecord
from tests.rendering.suite.test_wording import WAIVER, case, report, row

GOOD, BAD, IDLE = {"PASSED": 1}, {"FAILED": 1}, {"MISSING": 1}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([row(**GOOD)], "1 of 1 kind of operator conforms"),
        ([row(**GOOD), row(**GOOD)], "2 of 2 kinds of operators conform"),
        ([row(**BAD), row(**GOOD)], "1 of 2 kinds of operators fails: ADD int8; 1 conforms"),
        ([row(**BAD)], "1 of 1 kind of operator fails: ADD int8"),
        (
            [row(**BAD), row("MUL", **BAD), row(**GOOD), row(**GOOD), row(**IDLE)],
            "2 of 5 kinds of operators fail: ADD int8, MUL int8; 2 conform, 1 was not checked",
        ),
        (
            [row(name, **BAD) for name in ("A", "B", "C", "D", "E")],
            "5 of 5 kinds of operators fail: A int8, B int8, C int8 and 2 more",
        ),
        ([row(name, **BAD) for name in "ABC"], "3 of 3 kinds of operators fail: A int8, B int8, C int8"),
        ([row(**IDLE), row(**IDLE)], "none of 2 kinds of operators was checked"),
        ([], "there is no case"),
        ([row(**GOOD), row(**IDLE), row(**IDLE)], "1 of 3 kinds of operators conform, 2 were not checked"),
        (
            [row(**GOOD), row(waived=1, **GOOD), row(standing=NOT_CLAIMED, **BAD)],
            "1 of 3 kinds of operators conform, 1 is waived, 1 is not claimed",
        ),
        (
            [row("A", PASSED=1, MISSING=2), row(**GOOD), row(**GOOD)],
            "1 of 3 kinds of operators is incomplete: A int8; 2 conform",
        ),
        (
            [row(**BAD), row("A", PASSED=1, MISSING=2)],
            "1 of 2 kinds of operators fails: ADD int8; 1 is incomplete",
        ),
        ([row(waived=1, **GOOD), row(waived=1, **GOOD)], "0 of 2 kinds of operators conform, 2 are waived"),
    ],
)
def test_the_verdict(rows: list[OperatorRow], words: str) -> None:
    assert totals.sentence(report(*rows)) == words


def test_failures_beside_the_cases() -> None:
    short, expired = Shortfall("operator", "DIV", ""), WaiverRecord(WAIVER, "expired", 1)
    good = report(row(**GOOD), shortfalls=(short,), waivers=(expired, WaiverRecord(WAIVER, "used", 1)))
    told = "1 of 1 kind of operator conforms; 1 claim is not confirmed; 1 waiver has expired"
    assert totals.sentence(good) == told
    more = report(row(**GOOD), shortfalls=(short, short), waivers=(expired, expired))
    assert totals.sentence(more).endswith("; 2 claims are not confirmed; 2 waivers have expired")


def test_counts_of_cases() -> None:
    cases = (
        case(),
        case(CaseOutcome.PASSED),
        case(),
        case(CaseOutcome.ACCEPTED, broken="ADD/a"),
        case(CaseOutcome.REJECTED, broken="ADD/b"),
    )
    assert totals.tally(report(cases=cases)) == (
        "3 cases: 1 passed, 2 failed; 2 invalid models: 1 rejected, 1 wrongly accepted"
    )
    assert totals.tally(report(cases=cases[:1])) == "1 case: 1 failed"
    assert totals.tally(report(cases=cases[3:4])) == "1 invalid model: 1 wrongly accepted"
    assert totals.tally(report()) == "no cases"
    optional, known = (
        case(excuse="undefined"),
        case(excuse="reads int8 as uint8", fault="reads int8 as uint8"),
    )
    apart = (case(standing=NOT_CLAIMED), optional, known, case(CaseOutcome.PASSED, excuse="undefined"))
    assert totals.tally(report(cases=apart)) == (
        "2 optional cases: 1 passed, 1 failed; 1 case with a known fault of the runtime: 1 failed; "
        "1 case that is not claimed: 1 failed"
    )


def test_missing_results_are_listed_by_kind_of_operator() -> None:
    """Cases that need no result, and invalid models, are not missing."""
    none = CaseOutcome.MISSING
    cases = (
        case(none, name="a"), case(none, name="b", opcode="MUL"), case(none, name="c", standing=CLAIMED),
        case(none, name="d", excuse="undefined"), case(none, name="e", standing=NOT_CLAIMED),
        case(CaseOutcome.NOT_TESTED, name="f", broken="ADD/a"), case(name="g"),
    )  # fmt: skip
    assert totals.missing_by_operator(report(cases=cases)) == {"ADD int8": ["a", "c"], "MUL int8": ["b"]}

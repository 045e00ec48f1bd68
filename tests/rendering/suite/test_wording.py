"""Words of a suite's report: the sentence of the verdict, counts, a single case, and orders of cases."""

from __future__ import annotations

from typing import Any

import pytest

from litecheck.comparison.types import MismatchExample
from litecheck.rendering.suite import wording
from litecheck.rendering.suite.headline import headline
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.claims import Shortfall
from litecheck.suite.missing_case import MissingCase
from litecheck.suite.verdict import NOT_CLAIMED, CaseVerdict, OperatorRow, SuiteReport
from litecheck.suite.waivers import CaseWaiver, WaiverRecord

WAIVER = CaseWaiver(("ADD",), "a reason", "2030-01-01", "w.yaml", 3)


def row(opcode: str = "ADD", standing: str = "", waived: int = 0, **more: Any) -> OperatorRow:
    counts = {CaseOutcome[name].value: more.pop(name) for name in [n for n in more if n.isupper()]}
    return OperatorRow(opcode, "int8", "", counts, "tflm", standing=standing, waived=waived, **more)


def case(ending: CaseOutcome = CaseOutcome.FAILED, **more: Any) -> CaseVerdict:
    known = {"name": "ADD/int8/ties", "opcode": "ADD", "kind": "int8", "granularity": "", "title": "ties"}
    return CaseVerdict(**{**known, "ending": ending, **more})


def report(*rows: OperatorRow, cases: tuple[CaseVerdict, ...] = (), **more: Any) -> SuiteReport:
    return SuiteReport(
        "1.0", "acme", "smoke", 7, "ab", "", "", "npu", "", "", ("tflm", "own"), rows, cases, **more
    )


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (row(MISSING=1), ""),
        (row(PASSED=1, fits=("tflm", "own")), "tflm"),
        (row(TOLERATED=1, fits=("own", "third")), "fits own, third"),
        (row(FAILED=1, mistakes=("floor", "no-bias")), "explained by floor or no-bias"),
        (row(FAILED=1), "none known"),
        (row(TOLERATED=1), "tflm, within the tolerance"),
    ],
)
def test_the_arithmetic_of_a_row(one: OperatorRow, words: str) -> None:
    assert wording.arithmetic(one, ("tflm",)) == words


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (row(PASSED=1, fits=("tflm",)), ""),
        (row(PASSED=1, fits=("own", "tflm", "third")), "own, third"),
        (row(TOLERATED=1, fits=("own", "third")), ""),
    ],
)
def test_arithmetics_that_are_not_distinguished(one: OperatorRow, words: str) -> None:
    assert wording.also_fits(one, ("tflm",)) == words


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (case(mismatches=1_200, elements=4_800, worst=-3.0), "1,200 of 4,800 elements, by at most 3 LSB"),
        (case(CaseOutcome.CRASHED), "The device's process crashed"),
        (case(CaseOutcome.CRASHED, message=" a \n\n b\x1b "), "a; b\\x1b"),
        (case(CaseOutcome.ACCEPTED, broken="ADD/x", effect="it crashes", mismatches=3), "ADD/x (it crashes)"),
        (case(CaseOutcome.ACCEPTED, broken="ADD/x"), "ADD/x"),
    ],
)
def test_one_phrase(one: CaseVerdict, words: str) -> None:
    assert wording.summary(one) == words


def test_states_of_claims_and_waivers() -> None:
    expired, used = WaiverRecord(WAIVER, "expired", 1), WaiverRecord(WAIVER, "used", 1)
    told = wording.claims(report(shortfalls=(Shortfall("operator", "DIV", ""),), waivers=(expired, used)))
    assert [state for state, _ in told] == ["not confirmed", "expired", "used"]


def test_a_device_within_tolerance_is_never_called_exact() -> None:
    exact = case(CaseOutcome.PASSED, opcode="ADD", fits=("tflm",))
    near = case(CaseOutcome.TOLERATED, opcode="TANH", tolerance=2.0, worst=1.0)
    both = report(row(PASSED=1, fits=("tflm",)), row("TANH", TOLERATED=1, tolerance=2.0), cases=(exact, near))
    told = "conforms: 1 of 2 kinds of operators exact under tflm, 1 within tolerance (TANH within 2 LSB)"
    assert headline(both) == told
    alone = report(row("TANH", TOLERATED=1, tolerance=2.0), cases=(near,))
    assert headline(alone) == "conforms: 1 within tolerance (TANH within 2 LSB)"
    every = report(row(PASSED=1, fits=("tflm",)), cases=(exact,))
    assert headline(every) == "conforms: exact under tflm"


def test_details_of_a_case() -> None:
    full = case(mismatches=1, elements=4, worst=-3.0, at=MismatchExample(1, (0, 2), 7.0, 4.0),
                operands=(1.0, 2.0), tolerance=1.0,
                arithmetic="tflm", fits=("own",), standing=NOT_CLAIMED, waiver=WAIVER, fault="issue 1", message="m",
                delegated="proved")  # fmt: skip
    told = dict(wording.details(full))
    assert told["differ"] == ("1 of 4 elements (25 %), by at most 3 LSB",)
    assert told["worst"] == ("[0, 2] in run 1: expected 7, the device gives 4; computed from 1, 2",)
    assert told["waived"] == ("a reason (until 2030-01-01)",)
    assert [*told] == [
        "differ", "worst", "tolerance", "under", "matches", "standing", "waived", "fault", "message", "placement", "files",
    ]  # fmt: skip
    plain = dict(
        wording.details(case(CaseOutcome.PASSED, arithmetic="tflm", fits=("tflm", "own"), standing="claimed"))
    )
    assert [*plain] == ["under", "files"]
    assert plain["files"] == ("cases/ADD/int8/ties",)
    assert wording.worst(case()) == ""


def test_names() -> None:
    assert wording.rule(CaseOutcome.OUT_OF_MEMORY) == "suite/out-of-memory"
    assert wording.name(case(granularity="per-axis")) == "ADD int8 per-axis"
    assert wording.title(case()) == "ADD int8: ties"
    assert wording.title(case(title="")) == "ADD int8: ADD/int8/ties"
    factors = "geometry: " + ", ".join(f"factor {n}" for n in range(12))
    assert wording.title(case(title=factors)) == f"ADD int8: {factors}"
    assert set(wording.MEANING) == set(CaseOutcome)


def test_orders_of_cases() -> None:
    """Cases without outputs come first, then the largest differences; accepted invalid models come before rejected
    models."""
    near, far, crash = case(worst=1.0), case(worst=-9.0), case(CaseOutcome.CRASHED)
    assert wording.worst_first([near, crash, far]) == [crash, far, near]
    other = case(opcode="MUL", worst=2.0)
    assert wording.failing_by_operator(report(cases=(near, other, far, case(CaseOutcome.PASSED)))) == [
        [far, near],
        [other],
    ]
    rejected, accepted = case(CaseOutcome.REJECTED, broken="a"), case(CaseOutcome.ACCEPTED, broken="b")
    assert wording.refusals(report(cases=(rejected, near, accepted))) == {"ADD": [accepted, rejected]}


def test_gaps_of_one_reason_are_grouped() -> None:
    gaps = (MissingCase("PAD", "int16", "", "no rule"), MissingCase("PAD", "int16", "zeros", "no rule"),
            MissingCase("ADD", "", "ADD/input/dtype", "other"))  # fmt: skip
    assert wording.gap_lines(report(uncovered=gaps)) == [
        ("no rule", ["PAD int16", "PAD int16, zeros"]), ("other", ["ADD/input/dtype"]),
    ]  # fmt: skip


def test_facts_and_hashes() -> None:
    plain = report()
    assert [*wording.facts(plain)] == [
        ("device", "npu"), ("suite", "acme, level smoke, seed 7"), ("compared with", "tflm, own"),
    ]  # fmt: skip
    assert [*wording.hashes(plain)] == [("litecheck", "1.0"), ("suite", "ab")]
    dated = report(waivers=(WaiverRecord(WAIVER, "used", 1),), date="2026-01-02", notes=("a note",))
    assert [*wording.facts(dated)][3:] == [("judged on", "2026-01-02"), ("note", "a note")]


def test_rows_know_the_places_of_their_cases() -> None:
    cases = (case(), case(opcode="MUL"), case())
    made = wording.operators(report(row(PASSED=1), row("MUL", PASSED=1), row("SUB", PASSED=1), cases=cases))
    assert [line.positions for line in made] == [(0, 2), (1,), ()]
    assert made[0].ends["passed"] == 1

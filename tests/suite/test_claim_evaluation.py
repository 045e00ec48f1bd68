"""Verdicts after claims and waivers: failures, reported cases, and unfulfilled claims."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.devices.outcome import Outcome
from litecheck.suite.claims import Shortfall
from litecheck.suite.claims_file import load_claims
from litecheck.suite.manifest import Suite
from litecheck.suite.result_verdicts import judge
from litecheck.suite.verdict import SuiteReport
from tests.suite.recorded import one_off, recorded

HEAD = """\
claims: test
device: {name: board, version: r1}
profile: {name: litert-int8, version: 0.1.0}
level: smoke
"""
BOTH = f"{HEAD}operators: [LOGISTIC, QUANTIZE]\n"
DAY = "2027-01-01"


def judged(small: Suite, folder: Path, claims: str, date: str = DAY, **planted: object) -> SuiteReport:
    """Return the report of a device on the small suite under claims."""
    file = folder / "claims.yaml"
    file.write_text(claims)
    results = recorded(small, folder / "results", **planted)  # type: ignore[arg-type]
    return judge(small, results, claims=load_claims(file), date=date)


def of(report: SuiteReport) -> dict[str, str]:
    """Return each operator's verdict."""
    return {row.opcode: row.verdict for row in report.rows}


def waiver(cases: str, expires: str = "2027-06-30") -> str:
    return f"waivers:\n  - {{cases: '{cases}', reason: erratum 17, expires: {expires}}}\n"


def test_a_device_that_fulfills_its_claims(small: Suite, tmp_path: Path) -> None:
    report = judged(small, tmp_path, BOTH)
    assert (report.verdict, report.exit_code) == ("conforms", 0)
    assert {row.standing for row in report.rows} == {"claimed"}
    assert report.claims is not None
    assert (report.claims.name, report.claims.device.version, report.date) == ("test", "r1", DAY)
    assert (report.shortfalls, report.waivers) == ((), ())


@pytest.mark.parametrize("outcome", [Outcome.NOT_SUPPORTED, Outcome.NOT_DELEGATED, Outcome.REFUSED])
def test_a_claimed_operator_must_be_computed(small: Suite, tmp_path: Path, outcome: Outcome) -> None:
    report = judged(small, tmp_path, BOTH, outcomes={"QUANTIZE": outcome.value})
    assert of(report) == {"LOGISTIC": "conforms", "QUANTIZE": "fails"}
    assert report.exit_code == 1


def test_a_claimed_case_without_results_fails(small: Suite, tmp_path: Path) -> None:
    name = next(case.name for case in small.manifest.cases if case.opcode == "QUANTIZE")
    report = judged(small, tmp_path, BOTH, missing=(name,))
    assert [case.name for case in report.cases if case.fails] == [name]
    assert report.exit_code == 1


def test_an_unclaimed_operator_is_reported_and_no_failure(small: Suite, tmp_path: Path) -> None:
    report = judged(small, tmp_path, f"{HEAD}operators: [LOGISTIC]\n", changed={"QUANTIZE": one_off})
    assert of(report) == {"LOGISTIC": "conforms", "QUANTIZE": "not claimed"}
    assert report.counts()["failed"] > 0
    assert report.exit_code == 0
    without = judge(small, recorded(small, tmp_path / "more", changed={"QUANTIZE": one_off}))
    assert without.exit_code == 1


def test_types_narrow_a_claim(small: Suite, tmp_path: Path) -> None:
    claims = f"{HEAD}operators: {{LOGISTIC: , QUANTIZE: {{types: int16}}}}\n"
    report = judged(small, tmp_path, claims, changed={"QUANTIZE": one_off})
    assert of(report) == {"LOGISTIC": "conforms", "QUANTIZE": "not claimed"}


@pytest.mark.parametrize(
    ("claims", "unshown"),
    [
        ("types: [int8, int16]\noperators: [LOGISTIC, QUANTIZE]", ["int16"]),
        ('operators: {"*": {types: [int8, int16]}}', ["int16"]),
        ("operators: {LOGISTIC: {types: [int8, int16]}, QUANTIZE: }", ["LOGISTIC int16"]),
        ("types: int8\noperators: [LOGISTIC, QUANTIZE]", []),
        ("types: int16\noperators: {LOGISTIC: {types: int8}, QUANTIZE: {types: int8}}", []),
    ],
    ids=["default", "every", "operator", "shown", "overridden"],
)
def test_a_claimed_type_without_a_case_fails_unless_another_profile_has_it(
    small: Suite, tmp_path: Path, claims: str, unshown: list[str]
) -> None:
    alone = judged(small, tmp_path, f"{HEAD}{claims}\n")
    assert [short.claimed for short in alone.shortfalls if short.what == "type"] == unshown
    (tmp_path / "wide").mkdir()
    wide = judged(small, tmp_path / "wide", f"{HEAD}extensions: litert-int16x8\n{claims}\n")
    assert not [short for short in wide.shortfalls if short.what == "type"]
    told = "int16 is claimed, and only a suite of litert-int16x8 can show it"
    assert (wide.notes, alone.notes) == ((told,) if "int16" in claims else (), ())


@pytest.mark.parametrize(("most", "standing"), [(100_000, "claimed"), (1, "not claimed")])
def test_limits_narrow_a_claim(small: Suite, tmp_path: Path, most: int, standing: str) -> None:
    limited = f"{{limits: {{input.elements: 1..{most}}}}}"
    claims = f"{HEAD}operators: {{LOGISTIC: , QUANTIZE: {limited}}}\n"
    report = judged(small, tmp_path, claims, changed={"QUANTIZE": one_off})
    (case,) = (case for case in report.cases if case.opcode == "QUANTIZE" and not case.broken)
    assert case.standing == standing
    assert report.exit_code == (1 if standing == "claimed" else 0)


def test_a_tolerance_is_claimed_with_its_reason(small: Suite, tmp_path: Path) -> None:
    claims = f"{HEAD}operators: {{LOGISTIC: , QUANTIZE: {{tolerance: 1, because: a table}}}}\n"
    report = judged(small, tmp_path, claims, changed={"QUANTIZE": one_off})
    row = next(row for row in report.rows if row.opcode == "QUANTIZE")
    assert (row.verdict, row.tolerance, row.because, row.worst) == ("conforms", 1.0, "a table", 1.0)
    assert report.counts()["tolerated"] > 0


def test_arithmetics_are_claimed_operator_by_operator(small: Suite, tmp_path: Path) -> None:
    claims = f"{HEAD}arithmetic: litert-reference\noperators: {{LOGISTIC: , QUANTIZE: {{arithmetic: litert-xnnpack}}}}\n"
    report = judged(small, tmp_path, claims, arithmetic="litert-xnnpack")
    assert report.exit_code == 0
    assert {row.opcode: row.arithmetic for row in report.rows} == {
        "LOGISTIC": "litert-reference",
        "QUANTIZE": "litert-xnnpack",
    }
    (tmp_path / "b").mkdir()
    wrong = judged(
        small, tmp_path / "b", BOTH + "arithmetic: litert-reference\n", arithmetic="litert-xnnpack"
    )
    assert of(wrong)["QUANTIZE"] == "fails"


def test_an_arithmetic_that_the_suite_has_no_answers_of_is_computed(small: Suite, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(
        "arithmetic: own\nextends: litert-reference\noperators: {QUANTIZE: {requantize: floor}}\n"
    )
    claims = f"{HEAD}arithmetic: own.yaml\noperators: [LOGISTIC, QUANTIZE]\n"
    report = judged(small, tmp_path, claims)
    rows = {row.opcode: row for row in report.rows}
    assert "own" in rows["LOGISTIC"].fits
    assert rows["LOGISTIC"].verdict == "conforms"
    assert (rows["QUANTIZE"].arithmetic, rows["QUANTIZE"].verdict) == ("own", "fails")
    assert report.arithmetics == ("own",)


def test_a_waived_case_is_reported_as_waived(small: Suite, tmp_path: Path) -> None:
    report = judged(small, tmp_path, BOTH + waiver("QUANTIZE/int8"), changed={"QUANTIZE": one_off})
    assert of(report) == {"LOGISTIC": "conforms", "QUANTIZE": "waived"}
    assert report.exit_code == 0
    waived = [case for case in report.cases if case.waiver]
    assert {case.opcode for case in waived} == {"QUANTIZE"}
    assert report.waived == len(waived) > 0
    assert [(record.state, record.cases) for record in report.waivers] == [("used", len(waived))]


@pytest.mark.parametrize("planted", [{"QUANTIZE": one_off}, {}])
def test_an_expired_waiver_fails(small: Suite, tmp_path: Path, planted: dict[str, object]) -> None:
    report = judged(small, tmp_path, BOTH + waiver("QUANTIZE", "2026-12-31"), changed=planted)
    assert report.exit_code == 1
    assert [record.state for record in report.waivers] == ["expired"]
    assert not report.waived


def test_a_waiver_holds_on_its_last_day(small: Suite, tmp_path: Path) -> None:
    report = judged(small, tmp_path, BOTH + waiver("QUANTIZE", DAY), changed={"QUANTIZE": one_off})
    assert report.exit_code == 0


def test_waivers_without_effect_are_reported(small: Suite, tmp_path: Path) -> None:
    claims = BOTH + waiver("QUANTIZE") + waiver("CONV_2D").removeprefix("waivers:\n")
    report = judged(small, tmp_path, claims)
    assert [record.state for record in report.waivers] == ["unneeded", "matches nothing"]
    assert report.exit_code == 0


@pytest.mark.parametrize(
    ("old", "new", "shortfall"),
    [
        ("level: smoke", "level: standard", Shortfall("level", "standard", "smoke")),
        ("0.1.0", "0.0.9", Shortfall("version", "litert-int8 0.0.9", "litecheck 0.1.0 from litert-int8")),
        ("name: litert-int8", "name: litert-uint8", Shortfall("profile", "litert-uint8", "litert-int8")),
        ("[LOGISTIC, QUANTIZE]", "[LOGISTIC, SOFTMAX]", Shortfall("operator", "SOFTMAX")),
        ("version: r1", "version: r1, program: abc", Shortfall("program", "abc", "def")),
        ("version: 0.1.0", "version: 0.1.0, rules: 0123", None),
    ],
)
def test_claims_that_the_suite_does_not_cover_fail(
    small: Suite, tmp_path: Path, old: str, new: str, shortfall: Shortfall | None
) -> None:
    assert old in BOTH
    report = judged(small, tmp_path, BOTH.replace(old, new, 1), program="def")
    assert report.exit_code == 1
    wanted = shortfall or Shortfall("rules", "0123", small.manifest.rules)
    assert wanted in report.shortfalls


def test_a_claim_of_all_operators_includes_all_operators_of_the_rules(small: Suite, tmp_path: Path) -> None:
    report = judged(small, tmp_path, f"{HEAD}operators: {{'*': }}\n")
    missing = {short.claimed for short in report.shortfalls if short.what == "operator"}
    assert "CONV_2D" in missing
    assert missing.isdisjoint({"LOGISTIC", "QUANTIZE"})

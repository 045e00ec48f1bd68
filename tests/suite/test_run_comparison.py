"""Comparison of two runs: worse, better and different cases, from reports and from folders."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from litecheck.errors import ConfigError
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.manifest import Suite
from litecheck.suite.result_verdicts import judge
from litecheck.suite.run_comparison import JudgedRun, compare_runs, read_run
from litecheck.suite.verdict import NOT_CLAIMED, CaseVerdict, SuiteReport
from litecheck.suite.waivers import CaseWaiver
from litecheck.typed_json import encode
from tests.suite.recorded import one_off, recorded

WAIVER = CaseWaiver(("ADD",), "erratum 17", "2027-03-31", "claims.yaml", 3)


def verdict(name: str, ending: CaseOutcome, worst: float = 0.0, **more: object) -> CaseVerdict:
    return CaseVerdict(name, "ADD", "int8", "", name, ending, worst=worst, **more)  # type: ignore[arg-type]


def run(*cases: CaseVerdict) -> JudgedRun:
    return JudgedRun("run", "a board", "abc", cases)


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (CaseOutcome.PASSED, CaseOutcome.FAILED, "regressions"),
        (CaseOutcome.TOLERATED, CaseOutcome.CRASHED, "regressions"),
        (CaseOutcome.PASSED, CaseOutcome.MISSING, "regressions"),
        (CaseOutcome.PASSED, CaseOutcome.NOT_SUPPORTED, "regressions"),
        (CaseOutcome.NOT_SUPPORTED, CaseOutcome.HUNG, "regressions"),
        (CaseOutcome.REJECTED, CaseOutcome.ACCEPTED, "regressions"),
        (CaseOutcome.FAILED, CaseOutcome.PASSED, "fixed"),
        (CaseOutcome.MISSING, CaseOutcome.TOLERATED, "fixed"),
        (CaseOutcome.ACCEPTED, CaseOutcome.REJECTED, "fixed"),
        (CaseOutcome.FAILED, CaseOutcome.CRASHED, "changed"),
        (CaseOutcome.FAILED, CaseOutcome.NOT_SUPPORTED, "changed"),
        (CaseOutcome.PASSED, CaseOutcome.TOLERATED, "changed"),
        (CaseOutcome.PASSED, CaseOutcome.PASSED, ""),
        (CaseOutcome.NOT_TESTED, CaseOutcome.REJECTED, "unrun"),
        (CaseOutcome.ACCEPTED, CaseOutcome.NOT_TESTED, "unrun"),
    ],
)
def test_changes_of_a_case_between_two_runs(before: CaseOutcome, after: CaseOutcome, found: str) -> None:
    compared = compare_runs(run(verdict("a", before)), run(verdict("a", after)))
    lists = {name: len(getattr(compared, name)) for name in ("regressions", "fixed", "changed")}
    assert compared.unrun == (found == "unrun")
    assert lists == {name: int(name == found) for name in lists}
    assert compared.same == (not found)
    assert compared.exit_code == {"regressions": 1, "unrun": 2}.get(found, 0)


@pytest.mark.parametrize(
    ("before", "after", "regressions"),
    [
        (CaseOutcome.REJECTED, CaseOutcome.BROKE_DOWN, 0),
        (CaseOutcome.BROKE_DOWN, CaseOutcome.REJECTED, 0),
        (CaseOutcome.REJECTED, CaseOutcome.ACCEPTED, 1),
    ],
)
def test_an_invalid_model_that_crashes_by_chance_is_no_regression(
    before: CaseOutcome, after: CaseOutcome, regressions: int
) -> None:
    """LiteRT reads tensor -1 of an operator without its first operand: an error or a crash, by chance."""
    old, new = (verdict("a", ending, broken="ADD/lhs/operands") for ending in (before, after))
    compared = compare_runs(run(old), run(new))
    assert (len(compared.regressions), compared.same) == (regressions, 1 - regressions)


def test_memory_that_was_never_written_is_not_compared() -> None:
    """TFLM leaves the padding of SPACE_TO_BATCH_ND uninitialized, so its values vary under the same known fault."""
    first, again = (verdict("a", CaseOutcome.FAILED, worst, excuse="uninitialized") for worst in (3.0, 90.0))
    assert compare_runs(run(first), run(again)).same == 1
    assert compare_runs(run(first), run(replace(again, excuse=""))).same == 0


def test_excuses_count() -> None:
    passed, failed = verdict("a", CaseOutcome.PASSED), verdict("a", CaseOutcome.FAILED, 3.0)
    waived, unclaimed = replace(failed, waiver=WAIVER), replace(failed, standing=NOT_CLAIMED)
    assert compare_runs(run(failed), run(waived)).changed[0].after.excuse == "waived"
    assert compare_runs(run(waived), run(failed)).regressions
    assert compare_runs(run(passed), run(waived)).regressions
    assert compare_runs(run(unclaimed), run(passed)).fixed[0].before.excuse == "not claimed"
    assert compare_runs(run(failed), run(replace(failed, worst=4.0))).changed
    assert compare_runs(run(failed), run(replace(failed, message="again", seconds=9.0))).same == 1


def test_cases_of_one_side_only_are_listed() -> None:
    a, b, c = (verdict(name, CaseOutcome.PASSED) for name in "abc")
    compared = compare_runs(run(a, b), run(b, c))
    assert (compared.only_before, compared.only_after, compared.same) == (("a",), ("c",), 1)
    assert compared.exit_code == 0
    assert compare_runs(run(a), run(c)).exit_code == 2


def test_cases_without_a_result_in_both_runs_are_not_the_same() -> None:
    missing, passed = verdict("a", CaseOutcome.MISSING), verdict("b", CaseOutcome.PASSED)
    compared = compare_runs(run(missing, passed), run(missing, passed))
    assert (compared.same, compared.unrun, compared.exit_code) == (1, 1, 0)
    assert compare_runs(run(missing), run(missing)).exit_code == 2


def test_folders_and_reports_give_the_same(small: Suite, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    recorded(small, old)
    results = recorded(small, new, changed={"QUANTIZE": one_off})

    def judged(results: object) -> SuiteReport:
        return judge(small, results)  # type: ignore[arg-type]

    compared = compare_runs(*(read_run(path, judged, small) for path in (old, new)))
    assert [change.opcode for change in compared.regressions] == ["QUANTIZE"]
    assert compared.regressions[0].after.worst == 1.0
    assert compared.same == len(small.manifest.cases) - 1
    report = tmp_path / "new.json"
    report.write_text(json.dumps({"litecheck_suite_report": 1, **encode(judge(small, results), SuiteReport)}))
    again = compare_runs(read_run(old, judged, small), read_run(report, None, None))
    assert again.regressions == compared.regressions
    assert again.devices == ("a board (driver 3)",) * 2


def test_a_file_that_is_no_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"only their suite can judge\. Add --suite DIR"):
        read_run(tmp_path, None, None)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_run(tmp_path / "none.json", None, None)
    file = tmp_path / "report.json"
    for text, told in (
        ("{", "not JSON"),
        ("[]", "no report that `litecheck suite judge -f json` wrote"),
        (
            '{"litecheck_suite_report": 1, "device": "", "described": "", "suite": 3}',
            r"report\.json: no report: suite is 3",
        ),
    ):
        file.write_text(text)
        with pytest.raises(ConfigError, match=told):
            read_run(file, None, None)

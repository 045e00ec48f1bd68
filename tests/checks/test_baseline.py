"""Baselines: a multiset of findings, by model."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from litecheck.checks import baseline
from litecheck.checks.policy import with_statuses
from litecheck.errors import ConfigError, Problem
from litecheck.finding import Demand, Finding, StaleEntry, Waiver, Where
from litecheck.report import ModelReport, OperatorReport, Report

PATH = "CONV_2D/weight/zero_point"


def finding(name: str = "conv", found: str = "3", waiver: Waiver | None = None) -> Finding:
    where = Where(0, "main", 0, "CONV_2D", name, "weight", None, 4, "kernel")
    demand = Demand("tiny", "tiny.yaml", 7)
    return Finding(PATH, "violation", where, found, "0", "", "", demand, waiver=waiver)


def run(*findings: Finding, file: str = "m.tflite", member: str = "") -> Report:
    op = OperatorReport(0, 0, "CONV_2D", "conv", "conforms", ("tiny",))
    return Report("1", (with_statuses(ModelReport(file, member, 1, ("tiny",), (op,), findings)),))


def waivers(report: Report) -> list[bool]:
    return [f.waiver is not None for f in report.models[0].findings]


def test_a_known_finding_is_waived() -> None:
    report = baseline.apply(run(finding()), baseline.entries(run(finding())), "b.json")
    assert report.models[0].findings[0].waiver == Waiver(
        "baseline b.json", "known when the baseline was written"
    )
    assert report.models[0].operators[0].status == "waived"
    assert report.exit_code == 0
    assert report.stale == ()


def test_a_finding_is_known_by_its_place_and_not_by_its_value() -> None:
    known = baseline.entries(run(finding(found="3")))
    assert waivers(baseline.apply(run(finding(found="5")), known, "b")) == [True]
    assert waivers(baseline.apply(run(finding(name="other")), known, "b")) == [False]


def test_equal_findings_are_counted() -> None:
    one, two = baseline.entries(run(finding())), baseline.entries(run(finding(), finding()))
    assert waivers(baseline.apply(run(finding(), finding()), one, "b")) == [True, False]
    report = baseline.apply(run(finding()), two, "b")
    assert waivers(report) == [True]
    assert len(report.stale) == 1


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Create a model file that no run of the test checks."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.tflite").touch()


@pytest.mark.usefixtures("other")
def test_entries_without_a_finding_are_stale_if_their_model_was_judged() -> None:
    known = (*baseline.entries(run(finding())), *baseline.entries(run(finding(), file="other.tflite")))
    report = baseline.apply(run(), known, "b")
    assert report.stale == (known[0].as_stale(),)
    Path("other.tflite").unlink()
    gone = baseline.apply(run(), known, "b").stale[1]
    assert (gone.file, gone.reason) == ("other.tflite", "the model of this baseline entry is gone")


def test_an_unreadable_model_makes_no_entry_stale() -> None:
    known = baseline.entries(run(finding()))
    damaged = ModelReport("m.tflite", "", 1, problems=(Problem("x", "", 0, "x"),))
    assert baseline.apply(Report("1", (damaged,)), known, "b").stale == ()


def test_a_waived_finding_keeps_its_waiver_and_uses_its_entry() -> None:
    mine = Waiver("--ignore", "*")
    report = baseline.apply(run(finding(waiver=mine)), baseline.entries(run(finding())), "b")
    assert report.models[0].findings[0].waiver == mine
    assert report.stale == ()


def test_waived_findings_are_not_written() -> None:
    assert baseline.entries(run(finding(waiver=Waiver("tiny", "fine")))) == ()


@pytest.mark.usefixtures("other")
def test_entries_of_unchecked_models_are_kept_and_of_checked_models_replaced() -> None:
    known = (*baseline.entries(run(finding())), *baseline.entries(run(finding(), file="other.tflite")))
    new = baseline.entries(run(finding("new")), keep=known)
    assert [(e.file, e.where) for e in new] == [
        ("m.tflite", "CONV_2D #0 'new'"),
        ("other.tflite", "CONV_2D #0 'conv'"),
    ]
    Path("other.tflite").unlink()
    assert [e.file for e in baseline.entries(run(finding("new")), keep=known)] == ["m.tflite"]


@pytest.mark.parametrize("file", ["a/m.tflite", "./a/m.tflite", "a/../a/m.tflite", "{cwd}/a/m.tflite"])
def test_one_model_has_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str) -> None:
    monkeypatch.chdir(tmp_path)
    (entry,) = baseline.entries(run(finding(), file=file.format(cwd=tmp_path)))
    assert entry.file == "a/m.tflite"


def test_members_of_containers_are_models_of_their_own() -> None:
    known = baseline.entries(run(finding(), file="x.task", member="a.tflite"))
    assert known[0].file == "x.task!a.tflite"
    assert waivers(baseline.apply(run(finding(), file="x.task", member="b.tflite"), known, "b")) == [False]


def test_written_sorted_and_read_back(tmp_path: Path) -> None:
    file = tmp_path / "b.json"
    known = (*baseline.entries(run(finding("z"), finding("ä"), finding("a"))),)
    baseline.write(file, known)
    text = file.read_text("utf-8")
    assert baseline.read_baseline(file) == tuple(sorted(known, key=lambda e: (e.path, e.where)))
    assert json.loads(text)["litecheck_baseline"] == 1
    assert list(json.loads(text)["findings"][0]) == ["model", "path", "where", "fingerprint"]
    baseline.write(file, reversed(known))
    assert file.read_text("utf-8") == text


def test_a_reason_is_the_waiver_s_and_stays_when_the_baseline_is_written_again(tmp_path: Path) -> None:
    file = tmp_path / "b.json"
    first, second = baseline.entries(run(finding(), finding()))
    known = (replace(first, reason="silicon revision A"), second)
    baseline.write(file, baseline.entries(run(finding(), finding(), finding("new")), keep=known))
    assert [entry.reason for entry in baseline.read_baseline(file)] == ["", "silicon revision A", ""]
    report = baseline.apply(run(finding(), finding()), known, "b")
    assert [f.waiver.reason for f in report.models[0].findings if f.waiver] == [
        "silicon revision A",
        "known when the baseline was written",
    ]
    assert "by baseline b: silicon revision A" in report.models[0].operators[0].reason


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON: "),
        ("\xff", "not JSON: "),
        ("[" * 100_000, "not JSON: "),
        ("[]", "'litecheck_baseline' is missing"),
        ("{}", "'litecheck_baseline' is missing"),
        ('{"litecheck_baseline": 2, "findings": []}', "of version 2; this litecheck reads version 1"),
        ('{"litecheck_baseline": 1}', "'findings' is not a list"),
        ('{"litecheck_baseline": 1, "findings": [3]}', "finding 0"),
        ('{"litecheck_baseline": 1, "findings": [{"model": "m", "path": 3}]}', "finding 0"),
        (
            '{"litecheck_baseline": 1, "findings": '
            '[{"model": "m", "path": "p", "where": "w", "fingerprint": "f", "reason": 3}]}',
            "finding 0 of the baseline: 'reason' is not text",
        ),
        (
            '{"litecheck_baseline": 1, "findings": '
            '[{"model": "m", "path": "p", "where": "w", "fingerprint": "f", "expires": "soon"}]}',
            "finding 0 of the baseline: expires: 'soon' is not a date such as 2027-03-31",
        ),
        (
            '{"litecheck_baseline": 1, "findings": '
            '[{"model": "m", "path": "p", "where": "w", "fingerprint": "f", "reson": "x"}]}',
            "finding 0 of the baseline: unknown key 'reson'; did you mean 'reason'?",
        ),
    ],
)
def test_a_file_that_is_no_baseline_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "b.json"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(ConfigError) as caught:
        baseline.read_baseline(file)
    assert str(caught.value).startswith((f"{file}: ", f"{file}:1: "))
    assert message in str(caught.value)


def test_stale_entries_add_up() -> None:
    old = StaleEntry("x", "A/b", "w", "f")
    report = baseline.apply(replace(run(), stale=(old,)), baseline.entries(run(finding())), "b")
    assert len(report.stale) == 2


def test_a_selection_replaces_only_its_own_entries() -> None:
    other = baseline.BaselineEntry("m.tflite", "ADD/output/scale", "ADD #1", "f", "an old reason")
    gone = baseline.BaselineEntry("m.tflite", finding().path, "CONV_2D #9", "gone")
    report = run(finding(), replace(finding(), path="SOFTMAX/output/scale"))
    written = baseline.entries(report, (other, gone), select=["CONV_2D"], reason="known to the board")
    assert [(entry.path, entry.reason) for entry in written] == [
        (finding().path, "known to the board"),
        (other.path, "an old reason"),
    ]
    assert len(baseline.entries(report, (other, gone))) == 2


def test_a_reason_of_the_entry_outlasts_a_new_reason() -> None:
    (old,) = baseline.entries(run(finding()), reason="first")
    assert [e.reason for e in baseline.entries(run(finding(), finding()), (old,), reason="second")] == [
        "first",
        "second",
    ]


def test_an_entry_waives_until_its_last_day(tmp_path: Path) -> None:
    file = tmp_path / "b.json"
    baseline.write(file, baseline.entries(run(finding()), reason="erratum 17", expires="2027-03-31"))
    assert json.loads(file.read_text("utf-8"))["findings"][0]["expires"] == "2027-03-31"
    known = baseline.read_baseline(file)
    last = baseline.apply(run(finding()), known, "b", day="2027-03-31")
    assert last.models[0].findings[0].waiver == Waiver("baseline b", "erratum 17, until 2027-03-31")
    assert (last.exit_code, last.stale) == (0, ())
    after = baseline.apply(run(finding()), known, "b", day="2027-04-01")
    assert (waivers(after), after.exit_code) == ([False], 1)
    assert [entry.reason for entry in after.stale] == ["this baseline entry expired after 2027-03-31"]


def test_a_last_day_stays_until_it_has_passed() -> None:
    """An expired entry keeps its day, unless a new day is stated."""
    (old,) = baseline.entries(run(finding()), reason="erratum 17", expires="9999-01-01")
    gone = replace(old, expires="2001-01-01")

    def written(keep: baseline.BaselineEntry, expires: str) -> list[tuple[str, str]]:
        found = baseline.entries(run(finding(), finding("new")), (keep,), expires=expires)
        return [(entry.reason, entry.expires) for entry in found]

    assert written(old, "9999-02-02") == [("erratum 17", "9999-01-01"), ("", "9999-02-02")]
    assert written(gone, "9999-02-02") == [("erratum 17", "9999-02-02"), ("", "9999-02-02")]
    assert written(gone, "") == [("erratum 17", "2001-01-01"), ("", "")]


def test_entries_of_the_same_model_under_another_path_are_named() -> None:
    known = baseline.entries(run(finding(), file="models/m.tflite"))
    assert baseline.other_path_sentence(run(finding()), known) == (
        "entries of models/m.tflite do not apply to m.tflite. Name models by the same path as when the baseline was "
        "written, in the same folder."
    )
    assert baseline.other_path_sentence(run(finding(), file="models/m.tflite"), known) == ""
    assert baseline.other_path_sentence(run(finding(), file="models/n.tflite"), known) == ""

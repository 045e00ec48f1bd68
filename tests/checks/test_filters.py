"""Filters and baselines as library functions, which accept a report and a model of a report."""

from __future__ import annotations

from pathlib import Path

import pytest

import litecheck
from tests.test_library import BROKEN

PATH = "CONV_2D/weight/zero_point"


@pytest.fixture
def report() -> litecheck.ModelReport:
    return litecheck.validate(litecheck.load_model(BROKEN))


def test_filters_select_ignore_and_grade(report: litecheck.ModelReport) -> None:
    assert [f.path for f in litecheck.filter_report(report, select=["CONV_2D"]).active] == [PATH]
    assert litecheck.filter_report(report, select=["ADD"]).findings == ()
    waived = litecheck.filter_report(report, ignore=[PATH])
    assert (waived.active, waived.counts["waived"], waived.operators[0].status) == ((), 1, "waived")
    graded = litecheck.filter_report(report, levels={PATH: "note"})
    assert [f.level for f in graded.active] == ["note"]


def test_a_run_stays_a_run(report: litecheck.ModelReport) -> None:
    run = litecheck.Report(litecheck.__version__, (report, report), fail_on="note")
    filtered = litecheck.filter_report(run, ignore=["*/weight/zero_point"])
    assert (filtered.fail_on, filtered.exit_code, len(filtered.models)) == ("note", 0, 2)


def test_a_pattern_without_a_match_is_an_error(report: litecheck.ModelReport) -> None:
    with pytest.raises(litecheck.ConfigError, match="no requirement has this path"):
        litecheck.filter_report(report, ignore=["CONV_2D/weight/zero_pint"])
    target = litecheck.load_profile("litert-uint8")
    with pytest.raises(litecheck.ConfigError, match="no requirement has this path"):
        litecheck.filter_report(report, ignore=["EMBEDDING_LOOKUP/limits/*"], profiles=[target])


def test_a_baseline_waives_known_findings(report: litecheck.ModelReport, tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    litecheck.write_baseline(file, report)
    assert [entry.path for entry in litecheck.read_baseline(file)] == [PATH]
    assert litecheck.apply_baseline(report, file).active == ()
    run = litecheck.apply_baseline(litecheck.Report(litecheck.__version__, (report,)), file)
    assert (run.exit_code, run.stale) == (0, ())
    litecheck.write_baseline(file, litecheck.Report(litecheck.__version__, ()), litecheck.read_baseline(file))
    assert len(litecheck.read_baseline(file)) == 1


def test_the_verdict_states_the_selection(report: litecheck.ModelReport) -> None:
    selected = litecheck.filter_report(report, select=["ADD"])
    assert litecheck.Report(litecheck.__version__, (selected,)).headline(selected) == "conforms for ADD"
    assert "conforms for ADD" in litecheck.render(selected, "text")

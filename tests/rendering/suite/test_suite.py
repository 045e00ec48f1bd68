"""Every format of a suite's report: complete golden files, and properties of all formats."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from litecheck.rendering.formats import formats, render
from litecheck.rendering.suite import totals, wording
from litecheck.rendering.suite.html import SIGNS
from litecheck.rendering.suite.text import brief, print_report
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.verdict import OperatorRow, SuiteReport

SCHEMAS = Path(__file__).parents[3] / "schemas"
GOLDEN = {
    "text": "suite.txt",
    "csv": "suite.csv",
    "json": "suite.json",
    "sarif": "suite.sarif",
    "junit": "suite.junit.xml",
    "gitlab": "suite.gitlab.json",
    "github": "suite.github.txt",
    "markdown": "suite.md",
}


def test_every_format_but_the_page_has_a_golden_file() -> None:
    assert set(GOLDEN) == set(formats("suite")) - {"html"}


@pytest.mark.parametrize("form", GOLDEN)
def test_whole_reports(form: str, sample: SuiteReport, golden: Callable[[str, str], None]) -> None:
    golden(GOLDEN[form], render(sample, form))


def test_every_operator_of_an_arithmetic_is_named(good: SuiteReport) -> None:
    rows = tuple(replace(good.rows[0], opcode=f"OPERATOR_{n}") for n in range(40))
    text = " ".join(render(replace(good, rows=rows), "text").partition("\narithmetic  ")[2].split())
    assert all(f"OPERATOR_{n} " in text for n in range(40))


@pytest.mark.parametrize("form", [*GOLDEN, "html"])
def test_no_character_acts_and_one_newline_ends(
    form: str, sample: SuiteReport, good: SuiteReport, unjudged: SuiteReport
) -> None:
    for report in (sample, good, unjudged, replace(good, rows=(), cases=())):
        text = render(report, form)
        assert all(c == "\n" or c.isprintable() for c in text)
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        assert text == render(report, form)


def test_every_ending_occurs_and_has_a_sign_and_a_meaning(sample: SuiteReport) -> None:
    assert set(sample.counts()) == {ending.value for ending in CaseOutcome}
    assert set(SIGNS) == set(wording.MEANING) == set(CaseOutcome)
    assert len(set(SIGNS.values())) == len(CaseOutcome)


def test_the_sentence_of_the_verdict_has_the_reasons(
    sample: SuiteReport, good: SuiteReport, unjudged: SuiteReport
) -> None:
    assert totals.sentence(sample) == (
        "3 of 5 kinds of operators fail: CONV_2D int8 per-axis, ADD int8, SOFTMAX int8; "
        "1 conforms, 1 was not checked; 1 result is missing"
    )
    assert totals.sentence(good) == "1 of 1 kind of operator conforms"
    assert totals.sentence(unjudged) == "none of 1 kind of operator was checked; 1 result is missing"
    assert totals.sentence(replace(good, rows=())) == "there is no case"
    five = replace(sample, rows=tuple(replace(sample.rows[1], opcode=f"ADD_{n}") for n in range(5)))
    told = (
        "5 of 5 kinds of operators fail: ADD_0 int8, ADD_1 int8, ADD_2 int8 and 2 more; 1 result is missing"
    )
    assert totals.sentence(five) == told


def test_cases_and_invalid_models_are_counted_separately(sample: SuiteReport) -> None:
    cases, invalid = totals.tally(sample).split("; ")
    assert cases.startswith(
        "16 cases: 3 passed, 2 tolerated, 3 failed, 1 flaky, 1 wrongly rejected, 1 crashed, 1 hung"
    )
    assert (
        invalid
        == "4 invalid models: 1 rejected, 1 wrongly accepted, 1 crashed on an invalid model, 1 not tested"
    )


@pytest.mark.parametrize(("changes", "found"), [
    ({"fits": ("litert-reference", "tflm")}, "litert-reference"),
    ({"fits": ("tflm",)}, "fits tflm"),
    ({"mistakes": ("requantize: single",), "counts": {"failed": 1}}, "explained by requantize: single"),
    ({"counts": {"failed": 1}}, "none known"),
    ({"counts": {"tolerated": 1}}, "litert-reference, within the tolerance"),
    ({"counts": {"crashed": 4}}, ""),
])  # fmt: skip
def test_the_arithmetic_found_is_named(changes: dict[str, object], found: str) -> None:
    row = OperatorRow("ADD", "int8", "", {"passed": 1}, "litert-reference")
    assert wording.arithmetic(replace(row, **changes), ("litert-reference",)) == found


def test_the_worst_element_has_its_operands(sample: SuiteReport) -> None:
    pairs = next(case for case in sample.cases if case.operands)
    details = dict(wording.details(pairs))
    assert details["worst"] == ("[7, 9] in run 0: expected 3, the device gives 4; computed from -128, 127",)
    assert details["differ"] == ("20 of 65,536 elements (0.03052 %), by at most 1 LSB",)
    assert details["files"] == ("cases/ADD/int8/all-65536-pairs",)


def test_json_keeps_the_published_schema(
    sample: SuiteReport, good: SuiteReport, unjudged: SuiteReport, claimed: SuiteReport
) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((SCHEMAS / "suite-report.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    for report in (sample, claimed, good, unjudged):
        document = json.loads(render(report, "json"))
        jsonschema.Draft202012Validator(schema).validate(document)
        assert set(document) == set(schema["properties"])
    for wrong in ({**document, "surprise": 1}, {**document, "verdict": "good"}, {**document, "rows": [{}]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(schema).validate(wrong)


def test_json_holds_every_case_and_row(sample: SuiteReport) -> None:
    document = json.loads(render(sample, "json"))
    assert [case["name"] for case in document["cases"]] == [case.name for case in sample.cases]
    assert document["cases"][2]["at"] == {"run": 1, "index": [0, 3, 4, 2], "expected": 7.0, "actual": 4.0}
    assert [row["counts"] for row in document["rows"]] == [dict(row.counts) for row in sample.rows]
    assert document["exit_code"] == 1


def test_csv_is_read_back_and_no_cell_is_a_formula(sample: SuiteReport) -> None:
    report = replace(sample, device="=HYPERLINK(1)")
    rows = list(csv.DictReader(io.StringIO(render(report, "csv"))))
    assert [row["operator"] for row in rows] == ["CONV_2D", "ADD", "SOFTMAX", "PAD", "FULLY_CONNECTED"]
    assert {row["device"] for row in rows} == {"'=HYPERLINK(1)"}
    assert sum(int(row["failed"]) for row in rows) == 3
    assert [row["placement"] for row in rows] == ["partly", "", "", "not delegated", ""]
    assert float(rows[-1]["worst"]) == 3.5e-7


def test_junit_has_a_suite_for_each_kind_of_operator(sample: SuiteReport) -> None:
    root = ET.fromstring(render(sample, "junit"))
    suites = {suite.get("name", "").split(" on ")[0]: suite for suite in root}
    assert list(suites) == [wording.name(row) for row in sample.rows]
    conv = suites["CONV_2D int8 per-axis"]
    assert (conv.get("tests"), conv.get("failures"), conv.get("errors")) == ("9", "3", "0")
    assert suites["SOFTMAX int8"].get("errors") == "4"
    pad = suites["PAD int16"]
    assert (pad.get("failures"), pad.get("skipped")) == ("1", "2")
    properties = {p.get("name"): p.get("value") for p in conv.iter("property")}
    assert properties["arithmetic"] == "none known"
    assert properties["suite sha256"] == sample.suite


def _failures(report: SuiteReport) -> dict[str, int]:
    """Count the failures of a report in the formats for CI."""
    root = ET.fromstring(render(report, "junit"))
    results = json.loads(render(report, "sarif"))["runs"][0]["results"]
    return {
        "junit": int(root.get("failures", 0)),
        "sarif": sum(one["level"] == "error" for one in results),
        "gitlab": sum(
            one["severity"] in ("major", "critical") for one in json.loads(render(report, "gitlab"))
        ),
        "github": render(report, "github").count("::error"),
    }


@pytest.mark.parametrize(("changes", "number"), [({}, 1), ({"partial": True}, 0)])
def test_a_missing_result_is_a_failure_for_ci(
    changes: dict[str, Any], number: int, sample: SuiteReport
) -> None:
    several = tuple(one for one in sample.cases if one.name == "PAD/int16/missing" or one.ending.good)
    rows = tuple(replace(row, counts={"passed": 1}) for row in sample.rows)
    found = _failures(replace(sample, rows=rows, cases=several, **changes))
    assert found == dict.fromkeys(found, number)


@pytest.mark.parametrize(("changes", "number"), [({}, 1), ({"partial": True}, 0)])
def test_missing_inferences_are_a_failure_for_ci(
    changes: dict[str, Any], number: int, good: SuiteReport
) -> None:
    found = _failures(replace(good, inferences=(2, 3), **changes))
    assert found == dict.fromkeys(found, number)


def test_junit_has_every_case(sample: SuiteReport) -> None:
    invalid = replace(
        sample.cases[0], name="CONV_2D/int8/refuse", granularity="", broken="CONV_2D/weight/dtype"
    )
    root = ET.fromstring(render(replace(sample, cases=(*sample.cases, invalid)), "junit"))
    assert root.get("tests") == str(len(sample.cases) + 1)


def test_a_report_without_a_judgement_is_an_error_for_ci(unjudged: SuiteReport) -> None:
    root = ET.fromstring(render(unjudged, "junit"))
    assert root.get("errors") == "1"
    (issue,) = json.loads(render(unjudged, "gitlab"))
    assert issue["severity"] == "blocker"


def test_accepted_models_are_notes_with_the_path(sample: SuiteReport) -> None:
    run = json.loads(render(sample, "sarif"))["runs"][0]
    (note,) = (one for one in run["results"] if one["ruleId"] == "suite/accepted")
    assert note["level"] == "note"
    assert "CONV_2D/weight/zero_point (wrong results)" in render(sample, "github")
    assert note["locations"][0]["logicalLocations"][1]["name"] == "CONV_2D/weight/zero_point"
    place = note["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert place == "cases/CONV_2D/int8/weights-not-symmetric/model.tflite"


def test_quiet_reports_failures_in_a_line(
    sample: SuiteReport, good: SuiteReport, unjudged: SuiteReport
) -> None:
    assert len(brief(sample).splitlines()) == 8
    assert brief(good) == ""
    told = "delegate:./libacme.so: not checked: none of 1 kind of operator was checked; 1 result is missing\n"
    assert brief(unjudged) == told


@pytest.mark.parametrize("width", [50, 80, 200])
def test_no_line_is_wider_than_the_terminal(sample: SuiteReport, width: int) -> None:
    file = io.StringIO()
    console = Console(file=file, width=width, color_system=None, force_terminal=False, _environ={})
    print_report(sample, console, verbose=True)
    lines = [line for line in file.getvalue().splitlines() if not line.startswith("  files ")]  # to be copied
    assert max(map(cell_len, lines)) <= width


def test_text_lists_a_few_cases_of_each_operator_or_all_with_verbose(sample: SuiteReport) -> None:
    short = render(sample)
    assert "and 3 other failing cases" in short
    file = io.StringIO()
    print_report(sample, Console(file=file, width=100, color_system=None, _environ={}), verbose=True)
    assert "number 3" in file.getvalue()
    assert "number 3" not in short


def test_waivers_and_claims_are_in_every_format(claimed: SuiteReport) -> None:
    assert [row.verdict for row in claimed.rows] == ["fails", "waived", "not claimed", "fails", "conforms"]
    assert totals.sentence(claimed) == (
        "2 of 5 kinds of operators fail: CONV_2D int8 per-axis, PAD int16; 1 conforms, 1 is waived, "
        "1 is not claimed; 1 claim is not confirmed; 1 waiver has expired"
    )
    for form in ("text", "markdown", "html", "json"):
        told = " ".join(render(claimed, form).split()).replace("\\", "")
        assert "known since 4.1, fixed in 4.3" in told
        assert "2026-01-31" in told
    root = ET.fromstring(render(claimed, "junit"))
    suites = {suite.get("name", "").split(" on ")[0]: suite for suite in root}
    assert suites["ADD int8"].get("failures") == "0"
    assert suites["SOFTMAX int8"].get("errors") == "0"
    assert suites["claims of delegate:./libacme.so"].get("failures") == "2"
    run = json.loads(render(claimed, "sarif"))["runs"][0]
    (waived,) = (one for one in run["results"] if one["suppressions"])
    assert waived["suppressions"][0]["justification"] == "known since 4.1, fixed in 4.3 (until 2027-01-31)"
    assert not [issue for issue in json.loads(render(claimed, "gitlab")) if "ADD" in issue["description"]]

"""Verifications of several models in every format."""

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

from litecheck.errors import ConfigError, Problem
from litecheck.rendering.formats import formats, render
from litecheck.rendering.report_view import ReportView
from litecheck.verification.result import Verification
from litecheck.verification.several_models import UnverifiedModel, Verifications
from tests.rendering.page_reader import content
from tests.rendering.verification.conftest import HOSTILE

SCHEMAS = Path(__file__).parents[3] / "schemas"
PROBLEMS = (Problem("cut-off", "subgraphs", 36, f"ends early {HOSTILE}"), Problem("empty", "", None, "x"))


@pytest.fixture
def several(sample: Verification, good: Verification) -> Verifications:
    renamed = replace(good, model="models/other.tflite")
    return Verifications(
        "1.2.3", "acme", "acme 1", (renamed, UnverifiedModel("gone.tflite", PROBLEMS), sample)
    )


def test_every_format_supports_several_models(several: Verifications) -> None:
    alone = {"model-explorer"}
    assert {
        name: render(several, name)[-1] for name in formats("verify") if name not in alone
    } == dict.fromkeys(set(formats("verify")) - alone, "\n")
    with pytest.raises(ConfigError, match="one by one"):
        render(several, "model-explorer")


def test_text_has_each_model_and_the_total(several: Verifications, sample: Verification) -> None:
    told = render(several)
    assert render(sample) in told
    assert "gone.tflite" in told
    assert "  - x [empty]\n" in told
    assert told.endswith("3 models on acme: 1 conforms, 1 fails, 1 not checked\n")


def test_json_keeps_the_published_schema(several: Verifications) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    whole, single = (json.loads((SCHEMAS / f"verification{s}.schema.json").read_text()) for s in ("s", ""))
    document = json.loads(render(several, "json"))
    jsonschema.Draft202012Validator(whole).validate(document)
    assert list(document) == whole["required"] == list(whole["properties"])
    for one in (document["models"][0], document["models"][2]):
        jsonschema.Draft202012Validator(single).validate(one)
    assert [one["verdict"] for one in document["models"]] == ["conforms", "not checked", "fails"]
    assert (document["exit_code"], document["counts"]) == (1, {"conforms": 1, "fails": 1, "not checked": 1})
    broken = {**document, "models": [{"model": "x", "verdict": "not checked", "problems": []}]}
    assert not jsonschema.Draft202012Validator(whole).is_valid(broken)


@pytest.mark.parametrize("form", ["text", "markdown", "html", "csv", "junit"])
def test_whole_reports(form: str, several: Verifications, golden: Callable[[str, str], None]) -> None:
    text = render(several, form)
    golden(f"several.{form}.txt", content(text) if form == "html" else text)


def test_sarif_has_the_results_of_each_model_and_unreadable_models(
    several: Verifications, sample: Verification
) -> None:
    def run(report: Any) -> Any:
        return json.loads(render(report, "sarif"))["runs"][0]

    both, alone = run(several), run(sample)
    assert both["results"] == alone["results"]
    assert both["invocations"][0]["exitCode"] == 1
    assert both["invocations"][0]["executionSuccessful"] is False
    assert [one["verdict"] for one in both["properties"]["verifications"]] == ["conforms", "fails"]
    subset = json.loads((SCHEMAS.parent / "tests/rendering/sarif.schema.json").read_text())
    pytest.importorskip("jsonschema").Draft202012Validator(subset).validate(
        json.loads(render(several, "sarif"))
    )


def test_junit_has_a_suite_for_each(several: Verifications) -> None:
    schema = pytest.importorskip("xmlschema").XMLSchema(str(SCHEMAS.parent / "tests/rendering/junit.xsd"))
    schema.validate(io.StringIO(render(several, "junit")))
    suites = ET.fromstring(render(several, "junit")).findall("testsuite")
    assert [suite.get("name", "").partition(" on ")[0] for suite in suites][:2] == [
        "models/other.tflite",
        "gone.tflite",
    ]
    assert suites[1].get("errors") == "2"


def test_gitlab_issues_have_unique_fingerprints(several: Verifications, sample: Verification) -> None:
    issues = json.loads(render(several, "gitlab"))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert len(issues) == len(json.loads(render(sample, "gitlab"))) + 2
    assert [i["severity"] for i in issues if i["location"]["path"] == "gone.tflite"] == ["blocker", "blocker"]


def test_github_has_the_notes_of_each(several: Verifications) -> None:
    lines = render(several, "github").splitlines()
    assert sum("file=gone.tflite,title=not checked::" in line for line in lines) == 1
    assert lines[-1] == "litecheck: 3 models on acme: 1 conforms, 1 fails, 1 not checked"


def test_csv_lines_name_their_model(several: Verifications, sample: Verification) -> None:
    rows = list(csv.DictReader(io.StringIO(render(several, "csv"))))
    assert {row["model"] for row in rows} >= {"models/other.tflite"}
    assert "model" not in render(sample, "csv").splitlines()[0].split(",")


def test_markdown_and_html_begin_with_a_table_over_the_models(several: Verifications) -> None:
    told = render(several, "markdown")
    assert told.index("| model | verdict | cases |") < told.index("<details")
    page = render(several, "html")
    assert "<table" in page
    assert "models/other.tflite" in page


def test_each_failure_is_a_line(several: Verifications, sample: Verification) -> None:
    lines = ReportView(several).brief()
    assert lines.endswith(ReportView(sample).brief())
    assert "gone.tflite: not checked: x [empty]\n" in lines
    assert "other.tflite" not in lines

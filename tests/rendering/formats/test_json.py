from __future__ import annotations

import json
from pathlib import Path

import pytest

from litecheck.rendering.formats import render
from litecheck.report import Report

SCHEMA = json.loads((Path(__file__).parents[3] / "schemas/report.schema.json").read_text())


def validator():
    return pytest.importorskip("jsonschema").Draft202012Validator(SCHEMA)


def test_the_schema_is_itself_valid():
    validator().check_schema(SCHEMA)


def test_reports_keep_the_published_schema(sample, good):
    for report in (sample, good, Report("0.1.0", ())):
        validator().validate(json.loads(render(report, "json")))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.update(litecheck_report=2),
        lambda d: d.update(extra=1),
        lambda d: d.pop("exit_code"),
        lambda d: d["models"][0].update(verdict="fine"),
        lambda d: d["models"][0]["findings"][0].update(fingerprint="abc"),
        lambda d: d["models"][0]["operators"][0].update(status="skipped"),
    ],
)
def test_the_schema_rejects_invalid_documents(sample, spoil):
    document = json.loads(render(sample, "json"))
    spoil(document)
    assert not validator().is_valid(document)


def test_every_key_of_the_schema_is_described():
    def undescribed(node, path):
        if isinstance(node, dict):
            for name, child in node.get("properties", {}).items():
                if "description" not in child and "$ref" not in child:
                    yield f"{path}/{name}"
            for name, child in node.items():
                yield from undescribed(child, f"{path}/{name}")

    assert list(undescribed(SCHEMA, "")) == []
    assert all("description" in definition for definition in SCHEMA["$defs"].values())


def test_names_come_back_whole(sample):
    model = json.loads(render(sample, "json"))["models"][1]
    names = {f["where"]["name"] for f in model["findings"]}
    assert names == {f.where.name for f in sample.models[1].findings}
    assert max(map(len, names)) > 300


def test_verdict_counts_and_waivers_are_the_reports(sample):
    document = json.loads(render(sample, "json"))
    assert document["exit_code"] == sample.exit_code == 1
    assert [m["verdict"] for m in document["models"]] == [sample.verdict(m) for m in sample.models]
    assert document["models"][0]["coverage"] == sample.models[0].coverage
    waived = [f for f in document["models"][0]["findings"] if f["waiver"]]
    assert {f["waiver"]["by"] for f in waived} == {"acme-npu2", "baseline.json"}


def test_whole_reports(same_as_golden):
    same_as_golden("json", "json")

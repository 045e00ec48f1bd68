from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from litecheck.rendering.formats import render
from litecheck.report import Report

XSD = Path(__file__).parents[1] / "junit.xsd"


def suites(report):
    return ET.fromstring(render(report, "junit")).findall("testsuite")


def test_keeps_the_xsd(sample, good):
    schema = pytest.importorskip("xmlschema").XMLSchema(str(XSD))
    for report in (sample, good, Report("0.1.0", ()), replace(sample, require_coverage=True)):
        schema.validate(io.StringIO(render(report, "junit")))


def test_the_xsd_rejects_unexpected_content(sample):
    schema = pytest.importorskip("xmlschema").XMLSchema(str(XSD))

    def spoiled(spoil):
        root = ET.fromstring(render(sample, "junit"))
        spoil(root)
        return io.StringIO(ET.tostring(root, encoding="unicode"))

    assert schema.is_valid(spoiled(lambda root: None))
    assert not schema.is_valid(spoiled(lambda root: root[0].attrib.pop("tests")))
    assert not schema.is_valid(spoiled(lambda root: root[0].set("failures", "-1")))
    assert not schema.is_valid(spoiled(lambda root: root.find(".//failure").set("level", "x")))
    assert not schema.is_valid(spoiled(lambda root: root.find(".//testcase").attrib.pop("name")))
    assert not schema.is_valid(spoiled(lambda root: root.find(".//testcase").append(ET.Element("fault"))))


def test_counts_add_up(sample):
    root = ET.fromstring(render(sample, "junit"))
    for key, tag in (("failures", "failure"), ("errors", "error")):
        assert int(root.get(key)) == len(root.findall(f".//{tag}"))
    assert int(root.get("tests")) == len(root.findall(".//testcase"))


def test_every_operator_is_a_case_and_carries_its_status(sample):
    suite = suites(sample)[0]
    names = [case.get("name") for case in suite.findall("testcase")]
    assert names[-2:] == ["tensor 90 'unused/kernel'", "tensor 91 'unused/other'"]
    assert len(names) == len(sample.models[0].operators) + 2
    assert suite.get("failures") == "6"
    assert suite.get("skipped") == "5"
    case = next(c for c in suite.iter("testcase") if c.get("name") == "SOFTMAX #3 'probabilities'")
    assert case.find("failure") is None
    assert "1 ulp off" in case.findtext("system-out")


def test_a_waived_violation_is_skipped_once_with_the_reason(sample):
    """Two findings of an operator with the same waiver are skipped once; a waived note leaves a passed case."""
    model = sample.models[0]
    waived = next(f for f in model.findings if f.waiver and f.level == "violation")

    def skipped(*findings):
        suite = suites(replace(sample, models=(replace(model, findings=findings),)))[0]
        found = [c.get("message") for c in suite.iter("skipped")]
        assert int(suite.get("skipped")) == len(found)
        return [text for text in found if text.startswith("waived by")]

    reason = [f"waived by {waived.waiver.by}: {waived.waiver.reason}"]
    assert skipped(waived) == skipped(waived, waived) == reason
    assert skipped(replace(waived, level="note")) == skipped(replace(waived, waiver=None)) == []
    assert skipped(waived, replace(waived, waiver=None)) == []


def test_failures_follow_the_policy(sample):
    stricter = replace(sample, fail_on="note", require_coverage=True)
    suite = suites(stricter)[0]
    assert suite.get("failures") == str(4 + 1 + 12 + 3 + 1 + 2)
    assert suite.get("skipped") == "1"


def test_a_model_without_a_covered_operator_is_an_error(sample):
    suite = suites(sample)[4]
    assert suite.get("errors") == "1"
    assert suite.find("testcase/error").get("message") == (
        "nothing quantized in it is covered; 0/3 operators checked, 3 not covered"
    )


def test_unreadable_is_an_error_with_code_and_byte(sample):
    error = suites(sample)[2].find("testcase/error")
    assert error.get("type") == "file/offset-outside-file"
    assert "byte 48120" in error.get("message")


def test_properties_state_profiles_and_coverage(sample):
    told = {p.get("name"): p.get("value") for p in suites(sample)[0].iter("property")}
    assert told == {
        "litecheck": "0.1.0",
        "verdict": "violates",
        "profiles": "litert-runtime",
        "runtimes": "ai-edge-litert 2.3.0",
        "size": "54321",
        "conforms": "13",
        "violates": "4",
        "waived": "1",
        "structure checked only": "1",
        "not covered": "3",
        "not applicable": "1",
        "fails to load": "2",
        "rejected by the default interpreter only": "1",
        "outside the specification": "3",
    }


def test_whole_reports(same_as_golden):
    same_as_golden("junit", "junit.xml")

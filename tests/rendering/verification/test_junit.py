"""A verification as JUnit XML."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from litecheck.rendering.formats import render
from litecheck.verification.result import Verification

XSD = Path(__file__).parents[1] / "junit.xsd"


def cases(verification: Verification) -> dict[str, ET.Element]:
    root = ET.fromstring(render(verification, "junit"))
    return {case.get("name", "").split("'")[-2]: case for case in root.iter("testcase")}


def test_keeps_the_xsd(sample: Verification, good: Verification, unjudged: Verification) -> None:
    schema = pytest.importorskip("xmlschema").XMLSchema(str(XSD))
    strict = replace(sample, fail_on_fallback=True)
    for verification in (sample, good, unjudged, strict, replace(good, verdicts=())):
        schema.validate(io.StringIO(render(verification, "junit")))


def test_mismatches_fail_and_missing_outputs_are_errors(sample: Verification) -> None:
    ends = {name: [(child.tag, child.get("type")) for child in case] for name, case in cases(sample).items()}
    assert ends["block1/conv"] == [("failure", "verify/mismatch")]
    assert ends["halves"] == [("failure", "verify/wrong-shape-or-type")]
    assert ends["sum"] == [("failure", "verify/flaky")]
    assert ends["scaled"] == [("error", "verify/timed-out")]
    assert ends["dense"] == [("error", "verify/out-of-memory")]
    assert ends["init"] == [("skipped", None), ("system-out", None)]
    assert ends["gate"] == [("system-out", None)]
    assert ends["body/add"] == [("system-out", None)]


def test_the_failure_explains(sample: Verification) -> None:
    failure = cases(sample)["block1/conv"].find("failure")
    assert failure is not None
    assert failure.get("message") == "mismatch: 12 of 4,096 elements (0.293 %), by at most 2 LSB"
    assert failure.text is not None
    assert "because: element (0, 3, 4, 62) of run 'random': accumulator 53248 x " in failure.text
    assert "worst: [0, 3, 4, 62] in run 1 (random): expected 7, the device gives 6" in failure.text


def test_skipped_cases_have_a_reason_and_a_fallback_can_fail(sample: Verification) -> None:
    skipped = cases(sample)["detect"].find("skipped")
    assert skipped is not None
    assert skipped.get("message") == "not delegated: the plan leaves it to the CPU"
    assert cases(replace(sample, fail_on_fallback=True))["detect"].find("failure") is not None


def test_a_run_without_checked_cases_is_an_error(unjudged: Verification) -> None:
    root = ET.fromstring(render(unjudged, "junit"))
    assert (root.get("tests"), root.get("errors")) == ("2", "1")
    error = root.find(".//error")
    assert error is not None
    assert error.get("type") == "verify/not-judged"


def test_counts_add_up_and_properties_state_the_run(sample: Verification) -> None:
    root = ET.fromstring(render(sample, "junit"))
    for key, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
        assert int(root.get(key, -1)) == len(root.findall(f".//{tag}"))
    told = {p.get("name"): p.get("value") for p in root.iter("property")}
    assert told["arithmetics"] == "litert-reference, litert-xnnpack"
    assert told["fits"] == "tflm"
    assert told["mismatch"] == "5"
    assert told["started"] == sample.started

"""Converters side by side, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from fixtures.detector import float_detector
from litecheck.conversion.agreement import Agreement, TensorAgreement
from litecheck.conversion.converters import ConverterComparison, ConverterOutcome
from litecheck.conversion.distortion import Distortion, TopAgreement
from litecheck.conversion.other_converters.converter_process import ConverterResult
from litecheck.conversion.pipeline import convert_model
from litecheck.rendering.converters import brief
from litecheck.rendering.formats import formats, render
from tests.rendering.page_reader import content

SCHEMA = Path(__file__).parents[2] / "schemas" / "converters.schema.json"
TEXT = """\
a/float.tflite
asked for   int8, checked against litert-runtime
float       8.8 kB
samples     4 images
measured    seconds and memory of whole processes, imports included; memory is
            the most seen

  converter           verdict    size  seconds  memory  lowest SNR  same place
  litecheck          conforms  1.0 kB     1.25   64 MB     20.0 dB  3 of 4
  tensorflow         conforms  1.0 kB     5.50  611 MB     40.0 dB  3 of 4
  ai-edge-quantizer    failed
  - ai-edge-quantizer: it has no signature
"""


def _agreement(noise: float) -> Agreement:
    output = TensorAgreement(
        (0, 1), (0, 2), "scores", "int8", 0.1, Distortion(1.0, noise, 0.5, 8, mean=0.35, variation=0.02),
        "scores",
        top=TopAgreement(3, 4, ((0, 3, 4),)),
    )  # fmt: skip
    return Agreement(4, "4 images", "some kernels", (), (output,))


@cache
def compared() -> ConverterComparison:
    """Return a comparison of two converters that succeed and one that fails."""
    report = convert_model(float_detector(), to="dynamic").report
    outcomes = (
        ConverterOutcome(
            "litecheck", ConverterResult(bytes(1000), 1.25, 64_000_000), report, _agreement(0.01)
        ),
        ConverterOutcome(
            "tensorflow", ConverterResult(bytes(1000), 5.5, 611_000_000), report, _agreement(0.0001)
        ),
        ConverterOutcome("ai-edge-quantizer", failure="it has no signature"),
    )
    source = "a/float.tflite"
    return ConverterComparison("1.0", source, 8800, "int8", "litert-runtime", "4 images", 4, outcomes)


def test_the_table() -> None:
    text = render(compared(), "text")
    assert [line.split() for line in text.splitlines()] == [line.split() for line in TEXT.splitlines()]
    assert max(map(len, text.splitlines())) <= 80
    assert brief(compared()) == ""


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_whole_reports(form: str, golden: Callable[[str, str], None]) -> None:
    """Also with warnings, with data to measure on, and with an output without classes."""
    (first, second, failed) = compared().outcomes
    plain = replace(_agreement(0.02).outputs[0], top=None, output="boxes")
    both = replace(_agreement(0.01), outputs=(*_agreement(0.01).outputs, plain))
    table = replace(
        compared(), outcomes=(replace(first, agreement=both), second, failed), warnings=("a warning",),
        evaluation="9 images", target="out.tflite",
    )  # fmt: skip
    text = render(table, form)
    golden(f"converters.{form}.txt", content(text) if form == "html" else text)


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_documents_have_every_output(form: str) -> None:
    page = render(compared(), form)
    for word in (
        "ai-edge-quantizer",
        "it has no signature",
        "611 MB",
        "20.0 dB",
        "without DC",
        "3.0 dB",
        "3 of 4",
        "scores",
    ):
        assert word in page


def test_json_keeps_the_published_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    plain = json.loads(render(compared(), "json"))
    jsonschema.Draft202012Validator(schema).validate(plain)
    assert list(plain) == list(schema["properties"])
    assert [one["peak_memory"] for one in plain["converters"]] == [64_000_000, 611_000_000, None]


def test_formats_of_findings_do_not_support_tables() -> None:
    assert set(formats("converters")) == {"text", "json", "markdown", "html"}


def test_the_schema_states_the_version() -> None:
    from litecheck.data import schemas_dir
    from litecheck.rendering.converters import VERSION

    schema = json.loads((schemas_dir() / "converters.schema.json").read_text("utf-8"))
    assert schema["properties"]["litecheck_converters"]["const"] == VERSION

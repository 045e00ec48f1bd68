"""A conversion for people and for programs."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from fixtures.detector import float_detector, samples
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.samples import Sample
from litecheck.conversion.pipeline import convert_model
from litecheck.conversion.plan_file import plan_values
from litecheck.conversion.record import ConversionRecord
from litecheck.quantizer.array_files import read_tensor
from litecheck.rendering.conversion.text import brief, print_report
from litecheck.rendering.formats import formats, render
from tests.conversion.mobile_nets import images, mobile_net

SCHEMAS = Path(__file__).parents[3] / "schemas"
FILES = {
    "text": "conversion.txt",
    "markdown": "conversion.md",
    "html": "conversion.html",
    "sarif": "conversion.sarif",
    "junit": "conversion.junit.xml",
    "github": "conversion.github.txt",
    "gitlab": "conversion.gitlab.json",
    "model-explorer": "conversion.explorer.json",
    "json": "conversion.json",
}


@cache
def converted(to: str = "int8") -> ConversionRecord:
    """Convert the detector with four of its images."""
    file = Path(__file__).parents[3] / "fixtures" / "float_detector.npz"
    assert file.read_bytes() == samples()
    images = read_tensor(f"{file}:image").values[:4]
    data = CalibrationData(
        lambda: ((Sample({"image": one[None]}),) for one in images), "4 images", 4, ("few",)
    )
    record = convert_model(float_detector(), to=to, data=(data,), device="litecheck")
    told = replace(record, version="1.0", source="float.tflite", target="out.tflite", tried=False)
    return replace(told, report=replace(record.report, file="out.tflite"))


def test_every_format_has_a_golden_file() -> None:
    assert set(FILES) == set(formats("convert"))


@pytest.mark.parametrize("form", FILES)
def test_whole_reports(form: str, golden: Callable[[str, str], None]) -> None:
    text = render(converted(), form)
    golden(
        FILES[form],
        text if form != "json" else json.dumps(_rounded(json.loads(text), _before()), indent=1) + "\n",
    )


def test_another_number_is_another_report() -> None:
    """Negative control: only the last bits of a real number may differ."""
    told = json.loads(render(converted(), "json"))
    told["agreement"]["tensors"][1]["largest_steps"] *= 1.01
    assert _rounded(told, _before()) != _before()


def _before() -> Any:
    return json.loads((Path(__file__).parent / "golden" / FILES["json"]).read_text())


def _rounded(value: Any, before: Any) -> Any:
    """Round real numbers to three digits; a tie keeps its previous value.

    The last bits of sums differ between machines.
    """
    if isinstance(value, dict):
        known = before if isinstance(before, dict) else {}
        return {key: _rounded(one, known.get(key)) for key, one in value.items()}
    if isinstance(value, list):
        known = before if isinstance(before, list) else []
        return [_rounded(one, had) for one, had in zip_longest(value, known[: len(value)])]
    if not isinstance(value, float):
        return value
    return before if before in (_digits(value * (1 - 1e-5)), _digits(value * (1 + 1e-5))) else _digits(value)


def _digits(value: float) -> float:
    return float(f"{value:.3g}")


@pytest.mark.parametrize("to", ["int8", "int16x8", "dynamic", "float16"])
def test_json_keeps_the_published_schema(to: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((SCHEMAS / "conversion.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(render(converted(to), "json"))
    jsonschema.Draft202012Validator(schema).validate(document)
    assert list(document) == list(schema["properties"])
    for wrong in ({**document, "surprise": 1}, {**document, "verdict": "good"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(schema).validate(wrong)


@pytest.mark.parametrize("to", ["int8", "int16x8", "dynamic", "float16"])
def test_plans_keep_the_published_schema(to: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((SCHEMAS / "conversion-plan.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    plan = plan_values(converted(to).conversion.plan)
    jsonschema.Draft202012Validator(schema).validate(plan)
    plan["tensors"][0]["forms"][0]["scale"] = [-1.0]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(plan)


@pytest.mark.parametrize("width", [50, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    file = io.StringIO()
    console = Console(file=file, width=width, color_system=None, force_terminal=False, _environ={})
    print_report(converted(), console, verbose=True)
    assert max(map(cell_len, file.getvalue().splitlines())) <= width


def test_a_profile_without_borders_gives_a_hint() -> None:
    rules = Path(__file__).parents[3] / "rules" / "template.yaml"
    record = convert_model(float_detector(), to="int8", random=1, device="litecheck", profile=str(rules))
    assert (record.verdict, record.exit_code) == ("violates", 1)
    text = " ".join(render(record).split())
    assert "conflict DEQUANTIZE was added, between float32 and integers, and acme-npu forbids it" in text
    assert "hint --output-dtype int8: then none is needed where the model begins or ends" in text
    assert "hint SIN #7 stays float32 and needs it" in text
    assert "DEQUANTIZE/unsupported" in text
    assert "hint" not in render(converted()).split()


def test_quiet_reports_failures_in_a_line() -> None:
    assert brief(converted()) == (
        "float.tflite: conforms: 7 of 8 operators int8; 1 note; 11/12 operators checked, "
        "1 structure checked only; 1 tensor below 6 bits\n"
    )
    assert brief(converted("float16")) == ""


@pytest.mark.parametrize(
    ("target", "end"), [("", "nothing written"), ("int8.tflite", "written with --force")]
)
def test_quiet_names_failed_gates(target: str, end: str) -> None:
    gates = ("--min-snr 60: output 'y' has 40.0 dB", "--max-float 0: 1 operator stays float32")
    first, *rest = brief(replace(converted("float16"), failed_gates=gates, target=target)).splitlines()
    assert first.endswith(f"; 2 gates failed: {end}")
    assert rest == [f"float.tflite: failed gate {gate}" for gate in gates]


def test_hostile_names_move_no_cursor() -> None:
    record = replace(converted(), source="\x1b[2Jevil.tflite")
    for form in FILES:
        assert "\x1b" not in render(record, form)


@cache
def improved() -> ConversionRecord:
    """Convert a net with RELU6 and all optional improvements."""
    return convert_model(
        mobile_net(1, "RELU6", blocks=1), data=(images(1, 2),), device="litecheck",
        equalize=True, correct_bias=True, sensitivity=2, int16x8=("ADD",),
    )  # fmt: skip


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_improvements_are_reported(form: str) -> None:
    text = " ".join(render(improved(), form).split())
    assert "RELU6 stands between them" in text
    assert "0 of 3 pairs of layers" in text
    assert "outputs' SNR" in text.replace("&#x27;", "'")
    assert "ensitivity" in text


def test_improvements_keep_the_published_schemas() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((SCHEMAS / "conversion.schema.json").read_text())
    document = json.loads(render(improved(), "json"))
    jsonschema.Draft202012Validator(schema).validate(document)
    assert [len(document["sensitivity"]), len(document["equalized"])] == [2, 3]
    schema = json.loads((SCHEMAS / "conversion-plan.schema.json").read_text())
    plan = plan_values(convert_model(mobile_net(1, blocks=1), random=1, device="litecheck", equalize=True,
                                     agreement=False).conversion.plan)  # fmt: skip
    jsonschema.Draft202012Validator(schema).validate(plan)
    assert len(plan["changes"]) == 6

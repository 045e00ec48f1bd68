"""Comparisons as people and programs see them."""

from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

from litecheck.quantizer.comparison_result import Comparison
from litecheck.quantizer.rounding import ROUNDINGS
from litecheck.quantizer.tensor_comparison import compare
from litecheck.quantizer.types import Parameters
from litecheck.rendering.comparison import ComparedTensors, print_report
from litecheck.rendering.formats import formats, render
from litecheck.rendering.wording.differences import decimal, explain_element

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas/comparison.schema.json").read_text())
STEP = Parameters(np.array([0.25], np.float32), np.array([3]))


def real() -> np.ndarray:
    """Return every quarter of an int8 step, including values beyond both limits."""
    return (np.arange(-1100, 1100, dtype=np.float32) / 16).reshape(2, 50, 22)


def device(mode: str) -> np.ndarray:
    return np.clip(ROUNDINGS[mode](real() / np.float32(0.25)) + 3, -128, 127).astype(np.int8)


def comparisons() -> dict[str, Comparison]:
    noise = np.random.default_rng(0).integers(-40, 41, device("half-away").shape)
    noisy = np.clip(device("half-away") + noise, -128, 127).astype(np.int8)
    some = device("half-even")
    some[0, 0, :3] = 9
    odd = np.array([np.nan, np.inf, 1e30, 2, 1.13], np.float32)
    fifty = Parameters(np.array([0.02], np.float32))
    return {
        "half-even": compare(real(), device("half-even"), STEP),
        "tolerated": compare(real(), device("half-even"), STEP, 1),
        "exact": compare(real(), device("half-away"), STEP),
        "noise": compare(real(), noisy, STEP, 20),
        "mostly": compare(real(), some, STEP),
        "integers": compare(device("half-away"), device("half-even")),
        "pattern": compare(device("half-away"), device("half-even"), STEP),
        "offset": compare(device("half-away"), np.clip(device("half-away").astype(int) + 5, -128, 127).astype(np.int8)),
        "empty": compare(np.zeros((0, 3), np.int8), np.zeros((0, 3), np.int8)),
        "reals": compare(real(), real() * np.float32(1.0000001), None, 1e-9, unit="share"),
        "numbers": compare(odd, np.array([np.nan, 3, 1e30, 2.0000005, np.nan], np.float32), None, 2),
        "odd": compare(odd, np.array([0, -128, -128, 8, 56], np.int8), fifty),
    }  # fmt: skip


COMPARISONS = comparisons()


def printed(
    comparison: Comparison, width: int = 80, actual: str = "device.npy", encoding: str = "utf-8"
) -> str:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    options = {"color_system": None, "force_terminal": False, "_environ": {}}
    print_report(ComparedTensors(comparison, "x.npy", actual), Console(file=file, width=width, **options))
    file.seek(0)
    return file.read()


@pytest.mark.parametrize("name", COMPARISONS)
def test_text(golden, name):
    golden(f"comparison.{name}.txt", printed(COMPARISONS[name]))


def test_json(golden):
    document = {
        name: json.loads(render(ComparedTensors(c, "x.npy", "device.npy"), "json"))
        for name, c in COMPARISONS.items()
    }
    golden("comparison.json", json.dumps(document, indent=1) + "\n")


@pytest.mark.parametrize("name", COMPARISONS)
def test_json_keeps_the_published_schema(name):
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    document = json.loads(render(ComparedTensors(COMPARISONS[name], "x.npy", "device.npy"), "json"))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    document["surprise"] = 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(document)


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("name", COMPARISONS)
def test_no_line_is_too_wide_but_the_title_and_the_bars(name, width):
    lines = printed(COMPARISONS[name], width).splitlines()[1:]
    assert all(line == line.rstrip() for line in lines)
    if width >= 80:
        assert max(map(cell_len, lines), default=0) <= min(width, 120)


def test_plain_terminals_and_hostile_names():
    text = printed(COMPARISONS["half-even"], actual="\x1b[2Jevil.npy", encoding="ascii")
    assert text.isascii()
    assert "\\x1b[2Jevil.npy" in text
    assert "####" in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(13, 2), "6.5000"),
        (Fraction(-13, 2), "-6.5000"),
        (Fraction(13, 2) - Fraction(1, 2**26), "6.49999999"),
        (Fraction(-13, 2) - Fraction(1, 2**26), "-6.50000001"),
        (Fraction(7), "7.0000"),
        (Fraction(7) + Fraction(1, 10**9), "7.000000001"),
        (Fraction(1, 3), "0.3333"),
        (Fraction(0), "0.0000"),
        (Fraction(-1, 10**30), "-1e-30"),
        (Fraction(10**30), "1e+30"),
    ],
)
def test_decimals_look_like_a_tie_only_at_a_tie(value, text):
    assert decimal(value) == text


def test_an_element_is_explained_by_its_quotient():
    texts = {
        7.0: "exact quotient 28.0000 plus zero point 3; a whole number, 31; expected 31, the device gives 0",
        1.625: "exact quotient 6.5000 plus zero point 3; half away gives 10, half even 9; expected 10",
        -1.625: "exact quotient -6.5000 plus zero point 3; half away gives -4, half even -3; expected -4",
        1.5625: "exact quotient 6.2500 plus zero point 3; nearest is 9, between 9 and 10; expected 9",
        50.0: "exact quotient 200.0000 plus zero point 3; beyond int8, saturates at 127; expected 127",
    }  # fmt: skip
    for value, text in texts.items():
        element = compare(np.array([value], np.float32), np.zeros(1, np.int8), STEP).first
        assert text in explain_element(element, "int8")


@pytest.mark.parametrize(
    ("form", "file"),
    [("sarif", "comparison.sarif"), ("junit", "comparison.junit.xml"), ("gitlab", "comparison.gitlab.json"),
     ("github", "comparison.github.txt"), ("markdown", "comparison.md")],
)  # fmt: skip
def test_whole_reports(form, file, golden):
    golden(file, render(ComparedTensors(COMPARISONS["half-even"], "x.npy", "a|`b`\x1b.npy"), form))


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize("form", formats("compare"))
def test_every_format_writes_every_verdict(form, name):
    text = render(ComparedTensors(COMPARISONS[name], "x.npy", "<script>\x1b.npy"), form)
    assert text.endswith("\n")
    assert all(c == "\n" or c.isprintable() for c in text)
    assert "<script>" not in text or form not in ("html", "junit")


def test_differences_fail_and_unchecked_tensors_are_errors():
    def ends(name):
        (suite,) = ET.fromstring(render(ComparedTensors(COMPARISONS[name], "x", "y"), "junit"))
        return [suite.get(key) for key in ("tests", "failures", "errors")]

    assert ends("exact") == ends("tolerated") == ["1", "0", "0"]
    assert ends("noise") == ["1", "1", "0"]
    assert ends("empty") == ["1", "0", "1"]
    schema = json.loads((Path(__file__).parent / "sarif.schema.json").read_text())
    checker = pytest.importorskip("jsonschema").Draft202012Validator(schema)
    for comparison in COMPARISONS.values():
        checker.validate(json.loads(render(ComparedTensors(comparison, "x", "y"), "sarif")))

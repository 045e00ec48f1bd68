"""Two runs of a suite side by side, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from litecheck.rendering.formats import formats, render
from litecheck.rendering.run_comparison import brief, summary
from litecheck.suite.run_comparison import CaseChange, RunComparison, RunSide
from tests.rendering.page_reader import content

SCHEMA = Path(__file__).parents[2] / "schemas" / "suite-diff.schema.json"
TEXT = """\
1 regression, 1 fixed, 2 otherwise changed, 410 the same; 1 in one of them only
before      old.json: board r1
after       new.json: board r2
suites      two different ones: cases of the same name may ask something else
worse in    ADD (1)

Regressions
  - ADD/int8/ties: passed -> failed, 3 LSB

Fixed
  - MUL/int8/rails: crashed -> passed

Otherwise changed
  - SUB/int8/a: passed (litert-reference) -> passed (tflm)
  - SUB/int8/b: failed, 1 LSB -> failed, 2 LSB, waived

Only before
  - DIV/int8/a
"""


def side(ending: str, worst: float = 0.0, excuse: str = "", arithmetic: str = "litert-reference") -> RunSide:
    return RunSide(ending, excuse, worst, "LSB", arithmetic, "")


def change(name: str, before: RunSide, after: RunSide) -> CaseChange:
    return CaseChange(name, name.partition("/")[0], "int8", before, after)


COMPARED = RunComparison(
    "0.1.0",
    "old.json",
    "new.json",
    ("board r1", "board r2"),
    ("abc", "def"),
    410,
    (change("ADD/int8/ties", side("passed"), side("failed", 3.0)),),
    (change("MUL/int8/rails", side("crashed"), side("passed")),),
    (
        change("SUB/int8/a", side("passed"), side("passed", arithmetic="tflm")),
        change("SUB/int8/b", side("failed", 1.0), side("failed", 2.0, "waived")),
    ),
    ("DIV/int8/a",),
    (),
)


def test_regressions_come_first() -> None:
    assert render(COMPARED, "text") == TEXT
    assert brief(COMPARED) == f"new.json: {summary(COMPARED)}\n"


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_documents_have_every_case(form: str) -> None:
    page = render(COMPARED, form).replace("<wbr>", "")
    for word in ("ADD/int8/ties", "failed, 3 LSB", "MUL/int8/rails", "DIV/int8/a", "board r2"):
        assert word in page
    assert page.index("Regressions") < page.index("Fixed") < page.index("Otherwise changed")


@pytest.mark.parametrize("form", ["markdown", "html", "json"])
def test_whole_reports(form: str, golden: Callable[[str, str], None]) -> None:
    text = render(COMPARED, form)
    golden(f"runs.{form}.txt", content(text) if form == "html" else text)


def test_cases_that_both_runs_skip_are_counted() -> None:
    assert "410 the same, 25 without results to compare; 1 in" in summary(replace(COMPARED, unrun=25))


def test_json_keeps_the_published_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(SCHEMA.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    plain = json.loads(render(COMPARED, "json"))
    jsonschema.Draft202012Validator(schema).validate(plain)
    assert list(plain) == list(schema["properties"])
    assert plain["exit_code"] == 1


def test_its_formats() -> None:
    assert set(formats("suite-diff")) == {"text", "json", "markdown", "html"}


def test_the_schema_states_the_version() -> None:
    from litecheck.data import schemas_dir
    from litecheck.rendering.run_comparison import VERSION

    schema = json.loads((schemas_dir() / "suite-diff.schema.json").read_text("utf-8"))
    assert schema["properties"]["litecheck_suite_diff"]["const"] == VERSION

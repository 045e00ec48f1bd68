"""Every format names the configuration file in use, its options, and the selection that a verdict is about."""

from __future__ import annotations

import html
import io
import json
import os
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from litecheck.configuration import Configuration
from litecheck.data import schemas_dir
from litecheck.rendering.formats import formats, render
from litecheck.rendering.validation.configuration import options_line
from litecheck.report import Report
from tests.rendering.validation.conftest import HOSTILE, conforming, unreadable, violating

#: Node data describe a model and its operators, independent of the selection.
FORMATS = tuple(name for name in formats("validate") if name != "model-explorer")
SELECTION = ("SOFTMAX", "*/bias")
LINE = (
    'options from litecheck.toml: select = ["SOFTMAX", "*/bias"], fail-on = "note", require-coverage = false'
)


def configuration(name: str = "litecheck.toml", **options: object) -> Configuration:
    return Configuration(os.path.abspath(name), options or {  # type: ignore[arg-type]
        "select": SELECTION, "fail-on": "note", "require-coverage": False,
    })  # fmt: skip


@pytest.fixture
def ruled() -> Report:
    """Return models of every verdict, with a selection from a configuration file."""
    models = (conforming(), replace(violating(), findings=violating().findings[-1:]), unreadable())
    return Report(
        "0.1.0", tuple(replace(m, selection=SELECTION) for m in models), configuration=configuration()
    )


@pytest.fixture
def hostile_run() -> Report:
    """Return a configuration with hostile names only."""
    patterns = (HOSTILE, "A" * 500, *("[B]" * n for n in range(1, 50)))
    options = {"select": patterns, "set-level": {HOSTILE: HOSTILE}, "per-file-ignores": {HOSTILE: patterns}}
    stated = Configuration(f"/somewhere/{HOSTILE}/litecheck.toml", {**options, "ignore": "last"})
    return Report("0.1.0", (replace(conforming(), selection=patterns),), configuration=stated)


def unwrapped(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", FORMATS)
def test_the_file_and_its_options_are_named(name: str, ruled: Report) -> None:
    text = render(ruled, name)
    if name in ("json", "html"):
        assert "litecheck.toml" in text
    message = {
        "text": unwrapped,
        "markdown": lambda text: text.replace("\\", ""),
        "junit": html.unescape,
        "html": lambda text: json.loads(re.search(r'id="words">(.*?)</script>', text)[1])["facts"][3][1],  # type: ignore[index]
    }.get(name, str)(text)
    if name in ("sarif", "gitlab"):
        assert LINE in json.dumps(json.loads(text), ensure_ascii=False).replace('\\"', '"')
    elif name != "json":
        assert LINE in message
    without = replace(ruled, configuration=None)
    assert "litecheck.toml" not in render(without, name)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "gitlab"])
def test_a_verdict_states_its_selection(name: str, ruled: Report) -> None:
    text = unwrapped(render(replace(ruled, configuration=None), name)).replace("\\", "")
    expected = {
        "sarif": '"selection": [ "SOFTMAX", "*/bias" ]',
        "junit": 'name="selection" value="SOFTMAX, */bias"',
    }
    assert expected.get(name, "conforms for SOFTMAX, */bias") in text
    whole = replace(ruled, configuration=None, models=tuple(replace(m, selection=()) for m in ruled.models))
    assert expected.get(name, "conforms for SOFTMAX, */bias") not in unwrapped(render(whole, name))
    assert "selection" not in json.dumps(json.loads(render(whole, "json")))


def test_programs_read_the_selection_and_the_configuration(ruled: Report) -> None:
    held = json.loads(render(ruled, "json"))
    options = {"select": list(SELECTION), "fail-on": "note", "require-coverage": False}
    assert held["configuration"] == {"file": "litecheck.toml", "options": options}
    assert held["selection"] == list(SELECTION)
    assert [model["selection"] for model in held["models"]] == [list(SELECTION)] * 3
    assert [model["verdict"] for model in held["models"]] == ["conforms", "violates", "not checked"]
    run = json.loads(render(ruled, "sarif"))["runs"][0]
    assert run["properties"]["configuration"] == held["configuration"]
    assert run["properties"]["models"][0]["selection"] == list(SELECTION)
    (told,) = [
        n
        for n in run["invocations"][0]["toolExecutionNotifications"]
        if "options from" in n["message"]["text"]
    ]
    assert (told["level"], told["descriptor"]) == ("note", {"id": "configuration"})
    (issue,) = [i for i in json.loads(render(ruled, "gitlab")) if i["check_name"] == "configuration"]
    assert (issue["severity"], issue["location"]["path"]) == ("info", "litecheck.toml")
    assert render(ruled, "github").startswith(
        "::notice file=litecheck.toml,title=configuration file in use::"
    )


def test_schemas_hold(ruled: Report, hostile_run: Report) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((schemas_dir() / "report.schema.json").read_text())
    junit = pytest.importorskip("xmlschema").XMLSchema(str(Path(__file__).parents[1] / "junit.xsd"))
    sarif = json.loads((Path(__file__).parents[1] / "sarif.schema.json").read_text())
    every = {
        "profile": "p", "format": ("text",), "baseline": "b", "select": "A", "ignore": ("A",), "set-level": {"A": "note"},
        "fail-on": "note", "require-coverage": True, "fail-on-fallback": True, "max-partitions": 3, "compile": False,
        "per-file-ignores": {"x": "A", "y": ("B",)},
    }  # fmt: skip
    for report in (ruled, hostile_run, replace(ruled, configuration=configuration(**every))):
        jsonschema.Draft202012Validator(schema).validate(json.loads(render(report, "json")))
        jsonschema.Draft202012Validator(sarif).validate(json.loads(render(report, "sarif")))
        junit.validate(io.StringIO(render(report, "junit")))
    unknown = json.loads(render(replace(ruled, configuration=configuration(other=1)), "json"))
    assert not jsonschema.Draft202012Validator(schema).is_valid(unknown)


def test_the_schema_knows_every_key() -> None:
    from litecheck.cli.config import _READERS

    schema = json.loads((schemas_dir() / "report.schema.json").read_text())
    assert set(schema["$defs"]["configuration"]["properties"]["options"]["properties"]) == set(_READERS)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "html"])
def test_hostile_names_leave_no_character_that_acts(name: str, hostile_run: Report) -> None:
    text = render(hostile_run, name)
    assert all(c == "\n" or c.isprintable() for c in text)
    assert [line for line in text.splitlines() if line.startswith("::error")] == []
    assert "last" in text
    if name == "markdown":
        assert "<script>" not in text
    if name == "junit":
        ET.fromstring(text)


def test_a_long_value_hides_no_other_key(hostile_run: Report) -> None:
    line = options_line(hostile_run)
    assert all(f"{key} = " in line for key in ("select", "set-level", "per-file-ignores"))
    assert line.endswith(', ignore = "last"')
    assert len(options_line(hostile_run, verbose=True)) > len(line)
    assert "and 48 more" in unwrapped(render(hostile_run, "text"))


def test_a_file_without_options_in_force_is_named(good: Report) -> None:
    empty = replace(good, configuration=Configuration(os.path.abspath("pyproject.toml")))
    assert options_line(empty) == "options from pyproject.toml: none"
    assert options_line(good) == ""


def test_summaries_count_headlines() -> None:
    models = (
        conforming(),
        replace(conforming(), selection=("A",)),
        conforming(),
        replace(unreadable(), selection=("A",)),
    )
    assert Report("1", models).summary.startswith(
        "4 models: 2 conform, 1 conforms for A, 1 not checked; no findings"
    )

"""Reports of a difference: groups of similar changes, and a pull request comment of at most 40 lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from io import StringIO

import jsonschema
import pytest
from rich.console import Console

from litecheck.data import schemas_dir
from litecheck.differences.change import KINDS, Change, ModelDifference
from litecheck.rendering.differences.text import print_report
from litecheck.rendering.differences.wording import NOUNS, groups, place, title, words
from litecheck.rendering.formats import formats, render
from tests.rendering.page_reader import content

SCALE = Change(
    "scale",
    0,
    3,
    4,
    "CONV_2D",
    "deep",
    "weight",
    "0.01",
    "0.02",
    "x 2, channel 1, 1 of 8 channels",
    1,
    8,
    1.0,
)
BIAS = Change("scale", 0, 3, 4, "CONV_2D", "deep", "bias", "0.1", "0.2", "x 2", 1, 8, 1.0, 0)
WEIGHTS = tuple(
    Change(
        "constant",
        0,
        n,
        n,
        "CONV_2D",
        f"w{n}\x1b",
        "weight",
        text="12 of 64 values",
        relative=0.003 * (n + 1),
    )
    for n in range(53)
)
NAME = Change("name", 0, role="model output 0", before="old", after="new")
OTHER = ModelDifference("1.0", "a.tflite", "b.tflite", (SCALE, BIAS, *WEIGHTS, NAME), 60, (60, 60))
SAME = ModelDifference("1.0", "a.tflite", "b.tflite", (), 60, (60, 60))


@pytest.mark.parametrize("difference", [OTHER, SAME], ids=["other", "same"])
def test_json_follows_the_schema(difference: ModelDifference) -> None:
    schema = json.loads((schemas_dir() / "diff.schema.json").read_text("utf-8"))
    found = json.loads(render(difference, "json"))
    jsonschema.validate(found, schema)
    assert found["exit_code"] == difference.exit_code == bool(difference.changes)
    assert schema["properties"]["changes"]["items"]["properties"]["kind"]["enum"] == list(KINDS)


#: Formats with the ends of their golden files.
ENDS = {
    "text": "txt", "markdown": "md", "json": "json", "html": "html", "junit": "junit.xml", "sarif": "sarif",
    "github": "github.txt", "gitlab": "gitlab.json",
}  # fmt: skip
#: Groups of 1, 4 and 6 changes, in two subgraphs, with an operator that has no partner.
OPTIONS = tuple(Change("option", 1, n, n + 1, "ADD", f"a{n}", "", "NONE", "RELU") for n in range(4))
GONE = Change("operator-removed", 0, 7, -1, "MUL", 60 * "long")
FULL = replace(
    OTHER, changes=(SCALE, BIAS, *WEIGHTS[:6], *OPTIONS, GONE, NAME), operators=(60, 59), unselected=3
)


def test_every_format_has_a_golden_file() -> None:
    assert set(ENDS) == set(formats("diff"))


@pytest.mark.parametrize("form", ENDS)
def test_whole_reports(form: str, golden: Callable[[str, str], None]) -> None:
    """Style and program of the page are omitted."""
    text = render(FULL, form)
    golden(f"difference.{ENDS[form]}", content(text) if form == "html" else text)


def test_whole_reports_with_every_detail(golden: Callable[[str, str], None]) -> None:
    file = StringIO()
    print_report(FULL, Console(file=file, width=110, color_system=None, _environ={}), verbose=True)
    golden("difference.verbose.txt", file.getvalue())


def test_every_kind_has_words() -> None:
    assert set(NOUNS) == set(KINDS)


def test_similar_changes_form_a_group() -> None:
    told = [title(group) for group in groups(OTHER)]
    assert told == [
        "1 scale changed (weight); 1 change follows from it",
        "53 constants changed (weight), rms 0.3-16 %",
        "1 input or output renamed (model output 0)",
    ]


@pytest.mark.parametrize(
    ("change", "where", "text"),
    [
        (SCALE, "CONV_2D #3 (now #4)", "weight: 0.01 -> 0.02 (x 2, channel 1, 1 of 8 channels)"),
        (NAME, "model", "model output 0: old -> new"),
        (Change("operator-added", 1, -1, 7, "RELU", text="why"), "subgraph 1, RELU #7", "why"),
    ],
)
def test_a_change_in_words(change: Change, where: str, text: str) -> None:
    assert (place(change), words(change)) == (where, text)


def test_the_answer_comes_first() -> None:
    first = "53 constants changed, 1 scale changed, 1 input or output renamed; 1 more change follows"
    assert " ".join(render(OTHER).split()).startswith(first)
    assert render(SAME).startswith("same: 60 operators compared\n")
    assert render(replace(SAME, unselected=2)).startswith("no selected change; 2 other changes\n")


def test_a_comment_has_at_most_40_lines() -> None:
    kinds = [Change("option", 0, n, n, "CONV_2D", f"n{n}", f"option {n}", "1", "2") for n in range(60)]
    many = ModelDifference("1.0", "a.tflite", "b.tflite", tuple(kinds), 60, (60, 60))
    assert len(render(many, "markdown").splitlines()) <= 40
    assert "35 more rows" in render(many, "markdown")


@pytest.mark.parametrize("form", sorted(formats("diff")))
def test_every_format_is_safe_and_names_the_scale(form: str) -> None:
    text = render(OTHER, form)
    assert "\x1b" not in text
    assert "scale" in text
    assert text.endswith("\n")

"""The page of a validation as text: its content and size, no executable content from data, and no requests."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from litecheck.finding import LEVELS
from litecheck.quantization import TensorSurvey
from litecheck.rendering.escape import visible
from litecheck.rendering.formats import render
from litecheck.rendering.html import page as base
from litecheck.rendering.validation import html
from litecheck.report import ModelReport, OperatorReport, Report
from litecheck.summary_text import STATUSES, VERDICTS
from tests.rendering.page_reader import Read, content, program

FOLDER = Path(html.__file__).parent / "page"
BASE = Path(base.__file__).parent


def words(report: Report) -> dict[str, Any]:
    held: dict[str, Any] = json.loads(Read(render(report, "html")).text("script", id="words"))
    return held


def large(count: int, status: str = "conforms", **more: Any) -> ModelReport:
    """Return a model of ``count`` operators, each with an activation and a weight."""
    operators = tuple(OperatorReport(0, n, "CONV_2D", f"conv_{n}", "conforms") for n in range(count))
    survey = tuple(
        TensorSurvey(
            0,
            n // 2,
            n,
            f"t{n}",
            "int8",
            bool(n % 2),
            1 + n % 2,
            (0.5 / (n + 1), 0.5),
            (-3, 4),
            (-7, n % 100),
        )
        for n in range(2 * count)
    )
    return ModelReport("large.tflite", "", 1, ("litert-int8",), operators, survey=survey, **more)


def test_the_page_ends_with_one_newline_and_is_deterministic(sample: Report, good: Report) -> None:
    for report in (sample, good, Report("0.1.0", ())):
        text = render(report, "html")
        assert text.endswith("</html>\n")
        assert text == render(report, "html")


def test_the_page_has_the_content_of_the_report(sample: Report) -> None:
    held = words(sample)
    assert (held["verdict"], held["summary"]) == ("violates", sample.summary)
    told = held["models"][0]
    model = sample.models[0]
    assert told["verdict"] == "violates"
    assert told["why"] == sample.explain(model)
    assert told["coverage"] == dict(model.coverage)
    assert {block["path"] for block in told["blocks"]} == {f.path for f in model.active}
    assert sum(block["places"] for block in told["blocks"]) == len(model.active)
    listed = [finding for row in told["operators"] for finding in row["findings"]]
    assert len(listed) == sum(1 for f in model.findings if f.where.operator >= 0)
    assert [len(problem) > 0 for problem in held["models"][2]["problems"]] == [True] * 3


def test_a_model_alone_gives_the_page_its_title(good: Report) -> None:
    page = Read(render(good, "html"))
    assert page.text("title") == "models/good.tflite: conforms"


def test_hostile_names_make_no_element(sample: Report, good: Report) -> None:
    text = render(sample, "html")
    assert all(c == "\n" or c.isprintable() for c in text)
    tags = [tag for tag, _ in Read(render(good, "html")).elements]
    hostile = replace(good.models[0], file="</title><script>x</script>$words\u202e\udc80.tflite")
    renamed = replace(good, models=(hostile,))
    for report in (sample, renamed):
        assert [tag for tag, _ in Read(render(report, "html")).elements] == tags
    assert Read(render(renamed, "html")).text("title") == visible(f"{hostile.file}: conforms")


def test_the_page_loads_no_file_and_data_is_escaped(sample: Report) -> None:
    page = Read(render(sample, "html"))
    found = [value for _, attrs in page.elements for name, value in attrs.items() if name in ("src", "href")]
    assert found == ["data:,"]
    style, script = page.text("style"), program(page)
    assert not re.search(r"url\(|@import|https?:", style)
    assert re.findall(r"https?:[^\"]*", script) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"fetch\(|XMLHttpRequest|WebSocket|\bimport\b|innerHTML|\beval\b", script)
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]


def test_every_word_has_a_sign_and_a_colour(sample: Report) -> None:
    assert set(html.LOOKS) == {*STATUSES, *VERDICTS, *LEVELS}
    style = Read(render(sample, "html")).text("style")
    rules = re.findall(r"([^{}]+)\{[^{}]*--fill: ", style)
    assert set(html.LOOKS) <= set(re.findall(r'\[data-outcome="([^"]+)"\]', "".join(rules)))


def test_every_file_of_the_folder_is_in_the_page(sample: Report) -> None:
    page = Read(render(sample, "html"))
    files = {file.name: file.read_text() for file in FOLDER.iterdir()}
    inside = {name for name, text in files.items() if text in program(page) + page.text("style")}
    assert inside == set(files) - {"body.html"}
    assert (BASE / "base.css").read_text() in page.text("style")


def test_the_strip_and_plots_of_large_models_are_coarse() -> None:
    model = large(12_345)
    text = render(Report("0.1.0", (model,)), "html")
    assert len(text) < 1_000_000
    (told,) = words(Report("0.1.0", (model,)))["models"]
    cells = told["cells"]
    assert len(cells) <= 500
    assert [cell[1] for cell in cells[1:]] == [cell[2] + 1 for cell in cells[:-1]]
    assert (cells[0][1], cells[-1][2]) == (0, 12_344)
    assert len(told["operators"]) + told["left"] == 12_345
    plots = told["plots"]
    for marks in (plots["made"], plots["weights"], plots["values"][0]["marks"]):
        assert 100 < len(marks) <= 400
    assert plots["values"][0]["count"] == 12_345
    assert min(mark[1] for mark in plots["weights"]) == min(
        one.scales[0] for one in model.survey if one.constant
    )


def test_a_finding_keeps_its_place_in_a_large_model() -> None:
    model = large(5_000)
    operators = tuple(
        replace(op, status="not covered", reason="float32") if op.index == 4_321 else op
        for op in model.operators
    )
    (told,) = words(Report("0.1.0", (replace(model, operators=operators),)))["models"]
    assert any(row["number"] == 4_321 for row in told["operators"])
    (cell,) = (one for one in told["cells"] if one[1] <= 4_321 <= one[2])
    assert cell[3:] == ["not covered", "#4320 to #4329: 1 of 10 not covered", "#4321 CONV_2D conv_4321"]


def test_failing_models_come_first(good: Report) -> None:
    models = (*good.models * 60, large(1), replace(good.models[0], operators=()))
    told = [model["told"] for model in words(Report("0.1.0", models))["models"]]
    assert sum(told) == 50
    assert told[-1] is True, "it is not checked"


def test_marks_have_their_values() -> None:
    (told,) = words(Report("0.1.0", (large(2),)))["models"]
    plots = told["plots"]
    assert plots["made"][0] == [
        0,
        0.5,
        0.5,
        "#0 CONV_2D 't0': int8, scale 0.5, zero points from -3 to 4",
        False,
    ]
    assert plots["weights"][1][3].startswith("#1 CONV_2D 't3': int8, 2 scales from 0.125 to 0.5")
    assert plots["values"][0]["marks"][0] == [
        0, -7, 1, "#0 CONV_2D 't1': int8 from -7 to 1, 3.52 % of the range", True,
    ]  # fmt: skip


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_biases_are_in_no_plot_of_values(dtype: str) -> None:
    model = large(1)
    survey = tuple(replace(one, dtype=dtype) for one in model.survey)
    (told,) = words(Report("0.1.0", (replace(model, survey=survey),)))["models"]
    assert (told["plots"]["values"], told["plots"]["weights"]) == ([], [])


def test_the_whole_content(sample: Report, golden: Callable[[str, str], None]) -> None:
    golden("validation.page.txt", content(render(sample, "html")))

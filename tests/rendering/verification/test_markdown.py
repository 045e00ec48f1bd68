"""A verification as a GitHub job summary."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from litecheck.rendering.formats import render
from litecheck.rendering.verification.operator_table import operators
from litecheck.verification.result import Verification


def parsed(verification: Verification) -> list[Any]:
    parser = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    tokens: list[Any] = parser.parse(render(verification, "markdown"))
    return tokens


def test_every_row_of_every_table_has_its_cells(sample: Verification) -> None:
    tokens = parsed(sample)
    starts = [n for n, token in enumerate(tokens) if token.type == "table_open"]
    tables = [tokens[start:end] for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True)]
    rows = [sum(t.type == "tr_open" for t in table) for table in tables]
    cells = [sum(t.type in {"td_open", "th_open"} for t in table) for table in tables]
    assert rows == [1 + 3, 1 + len(operators(sample)), 1 + len(sample.verdicts)]
    assert cells == [7 * rows[0], 10 * rows[1], 7 * rows[2]]


def test_html_is_ours_alone(sample: Verification) -> None:
    tokens = parsed(sample)
    every = [*tokens, *(child for t in tokens for child in t.children or ())]
    html = "".join(t.content for t in every if t.type in {"html_block", "html_inline"})
    tags = {"details", "summary", "b"}
    assert set(re.findall(r"<(/?\w+)", html)) == tags | {f"/{tag}" for tag in tags} | {"br"}
    assert html.count("<details") == html.count("</details>") == 11 + 4
    assert html.count("<details open>") == 11


def test_failures_are_explained_and_other_arithmetics_named(sample: Verification) -> None:
    text = render(sample, "markdown")
    assert (
        "- candidates: 6, as the device: requantize: half-even (ties go to the even neighbour); defect: no-bias<br>"
        "7, as expected: " in text
    )
    assert "**Note:** the published arithmetic `tflm` fits every operator that was compared exactly." in text
    assert "| 5 | `LOGISTIC` | ✅ exact, all 256 values | 0/4,096 |  | litert-xnnpack | `gate` |" in text
    assert "- 2 × `CALL_ONCE`, no reference: makes nothing to compare" in text


def test_long_runs_are_cut(sample: Verification) -> None:
    text = render(replace(sample, verdicts=(sample.verdicts[1],) * 1200), "markdown")
    assert "and 1,150 other failing cases" in text
    assert "1,200 cases, of which 1,000 are shown" in text
    assert len(text.encode()) < 1 << 20


def test_a_conforming_run_is_short(good: Verification) -> None:
    text = render(good, "markdown")
    assert "✅ conforms: exact under litert-reference; 1 operator: 1 exact" in text
    assert "<details open>" not in text
    assert "Drift" not in text

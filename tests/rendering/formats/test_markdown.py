from __future__ import annotations

import re

import pytest

from litecheck.rendering import markdown
from litecheck.rendering.formats import render

HOSTILE = [
    "a`b",
    "``",
    "`",
    "a|b",
    "*x* _y_ **z**",
    "<script>alert(1)</script>",
    "[a](http://e.example)",
    "![a](b)",
    "\\",
    " a ",
    "&lt;",
    "~~x~~ # h",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_text_and_code_are_shown_unchanged(text):
    md = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable(["table", "strikethrough"])

    def shown(source):
        (token,) = (t for t in md.parse(source) if t.type == "inline")
        return [(child.type, child.content) for child in token.children]

    assert shown(f"x {markdown.code(text)} y") == [("text", "x "), ("code_inline", text), ("text", " y")]
    assert all(kind == "text" for kind, _ in shown(f"x {markdown.plain(text)} y"))
    assert "".join(content for _, content in shown(f"x {markdown.plain(text)} y")) == f"x {text} y"


def test_every_row_of_the_table_has_the_same_cells(sample):
    md = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    tokens = md.parse(render(sample, "markdown"))
    rows = sum(t.type == "tr_open" for t in tokens)
    cells = sum(t.type in {"td_open", "th_open"} for t in tokens)
    assert rows == 1 + len(sample.models)
    assert cells == 11 * rows


def test_html_is_ours_alone(sample):
    md = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    tokens = md.parse(render(sample, "markdown"))
    every = [*tokens, *(child for t in tokens for child in t.children or ())]
    html = "".join(t.content for t in every if t.type in {"html_block", "html_inline"})
    assert set(re.findall(r"<(/?\w+)", html)) == {
        "details",
        "/details",
        "summary",
        "/summary",
        "b",
        "/b",
        "br",
    }
    assert html.count("<details") == html.count("</details>") == len(sample.models)


def test_conforming_models_are_folded(sample):
    text = render(sample, "markdown")
    assert text.count("<details>") == 1
    assert text.count("<details open>") == 4


def test_only_valid_addresses_become_links(report_of, make_finding):
    text = render(
        report_of(make_finding("A/x", see="https://e.org/a_b"), make_finding("B/x", see="a_b")), "markdown"
    )
    assert "Source: <https://e.org/a_b>." in text
    assert "Source: a\\_b." in text


def test_whole_reports(same_as_golden):
    same_as_golden("markdown", "md")

"""Markdown of each part and span of a document, and text that Markdown must not interpret."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litecheck.rendering.document import Collapsible, FactRows, Heading, ItemList, Paragraph, Part, TableGrid
from litecheck.rendering.markdown import code, markdown_text, plain
from tests.rendering.a_document import DOCUMENT, PARTS

WRITTEN = {
    "First": "### First `x`",
    "Second": "#### Second",
    "spans": "plain \\*text\\* ``a`b``**bold\\_**❌ <https://example.org/a><br>a\\|partjavascript:x",
    "list": "- one\n- **two**\n- and 1,200 more",
    "all": "- all",
    "facts": "- label\\_: fact`c`",
    "grid": "| name | count |\n| --- | ---: |\n| `a\\|b` | 1\\|2<br>3 |",
    "closed": "<details>\n<summary><b>closed &lt;b&gt;</b> rest ✅ https://e.org; k</summary>\n\nin\n\n</details>",
    "open": "<details open>\n<summary><b>open</b></summary>\n\nout\n\n</details>",
}


@pytest.mark.parametrize(("part", "expected"), [*zip(PARTS, WRITTEN.values(), strict=True)], ids=WRITTEN)
def test_parts(part: Part, expected: str) -> None:
    assert isinstance(part, Heading | Paragraph | ItemList | FactRows | TableGrid | Collapsible)
    head = "## `m.tflite` on **npu**\n\n❌ fails: 2 of 3 \\<fail\\>\n\n- device: npu\\_1\n\n"
    assert markdown_text(replace(DOCUMENT, parts=(part,))) == f"{head}{expected}\n\nlitecheck 1.0\n"


def test_a_document_without_verdict_and_facts() -> None:
    bare = replace(DOCUMENT, verdict="", facts=(), parts=(), title=("t",), summary="s")
    assert markdown_text(bare) == "## t\n\ns\n\nlitecheck 1.0\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "`a`"),
        ("a`b", "``a`b``"),
        ("``", "``` `` ```"),
        (" a", "`  a `"),
        ("a`", "`` a` ``"),
        ("", "`  `"),
    ],
)
def test_code_spans(text: str, expected: str) -> None:
    """The fence has one more backtick than the longest run inside; spaces separate backticks at the edges."""
    assert code(text) == expected


def test_markup_is_escaped() -> None:
    assert plain("a\\`*_[]#|~<>&$.!") == "a\\\\\\`\\*\\_\\[\\]\\#\\|\\~\\<\\>\\&\\$.!"

"""Plain technical English, as far as a machine sees it: help of all commands, rewritten pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from litecheck.cli.app import app
from tests.test_documentation import FENCED, commands

ROOT = Path(__file__).resolve().parent.parent
#: Words and phrases with the term of the glossary.
BANNED = {
    r"\bjudged by\b": "checked against",
    r"\bdemanded by\b": "rule",
    r"\bnot judged\b": "not checked",
    r"\brefused at load\b": "fails to load",
    r"\bcomputes wrongly\b": "wrong results",
    r"\bfolded away\b": "optimized out",
    r"\blargest live set\b": "peak activation memory",
    r"\bnever tried\b": "not exercised",
    r"\bdepartures?\b": "defect",
    r"\btruth values?\b": "bool",
    r"\b(low|high) rail\b": "at min, at max",
    r"\bunused codes\b": "unused levels",
    r"\bby itself\b": "isolated",
    r"\bwhat becomes of\b": "impact",
    r"\btold apart\b": "distinguished",
    r"\bdies\b": "crashes",
    r"\bnobody\b": "no NOUN",
    r"\bbehaviour|\bcolour|\bneighbour": "American spelling",
}
#: Pages in the language of the glossary. A page joins the list when it is rewritten.
PAGES = (
    "README.md", "docs/glossary.md", "docs/how-litecheck-is-built.md", "docs/how-to-bad-accuracy.md",
    "docs/how-to-microcontroller.md", "docs/how-to-qualify-a-delegate.md", "docs/index.md", "docs/security.md",
)  # fmt: skip
#: Words that a sentence of a rewritten page may have.
LONGEST = 30


def banned(text: str) -> Iterator[str]:
    for pattern, term in BANNED.items():
        for found in re.finditer(pattern, text, re.IGNORECASE):
            yield f"{found[0]!r}: use {term}"


@pytest.mark.parametrize("name", sorted(commands()), ids=lambda name: name or "litecheck")
def test_help_uses_the_terms_of_the_glossary(name: str) -> None:
    shown = CliRunner().invoke(app, [*name.split(), "--help"], env={"COLUMNS": "200"}).stdout
    assert "Usage" in shown
    assert list(banned(" ".join(shown.split()))) == []


@pytest.mark.parametrize("name", PAGES)
def test_rewritten_pages_use_the_terms_of_the_glossary(name: str) -> None:
    assert list(banned(prose(name))) == []


@pytest.mark.parametrize("name", PAGES)
def test_sentences_of_rewritten_pages_are_short(name: str) -> None:
    sentences = re.split(r"(?<=[.:?!])\s+|\n\s*\n|\n[|#-]", prose(name))
    assert [s for s in sentences if len(s.split()) > LONGEST] == []


def prose(name: str) -> str:
    """Return a page without fenced blocks, tables, code and addresses."""
    text = FENCED.sub("", (ROOT / name).read_text("utf-8"))
    lines = (line for line in text.splitlines() if not line.startswith(("    ", "|", "!")))
    return re.sub(r"`[^`]*`|\]\([^)]*\)", " ", "\n".join(lines))


def test_a_banned_phrase_and_a_long_sentence_are_seen() -> None:
    assert list(banned("It is Refused at load.")) == ["'Refused at load': use fails to load"]
    assert list(banned("It conforms.")) == []

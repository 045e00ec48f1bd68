"""A report as a document: a title, facts, and parts one below the other, which Markdown and HTML lay out each in its way."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """A name as it stands in a file."""

    text: str


@dataclass(frozen=True, slots=True)
class Bold:
    """A word that stands out."""

    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """An address in the web, or, behind ``#``, of a part of the document."""

    address: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Sign:
    """How something ended, one of the words in :data:`SIGNS`, as a picture beside the word."""

    meaning: str


@dataclass(frozen=True, slots=True)
class LineBreak:
    """The end of a line within a part."""


#: How things end: an icon for Markdown, and a character for pages, where not everybody sees colours.
SIGNS: dict[str, tuple[str, str]] = {
    "conforms": ("✅", "="),
    "violates": ("❌", "≠"),
    "fails": ("❌", "≠"),
    "not checked": ("⚠️", "–"),
    "waived": ("⚠️", "w"),
    "not claimed": ("⚠️", "–"),
    "named": ("✅", "="),
    "ambiguous": ("✅", "≈"),
    "none fits": ("❌", "≠"),
    "not repeatable": ("❌", "F"),
    "not answered": ("⚠️", "–"),
    "explained": ("✅", "="),
    "not explained": ("❌", "≠"),
    "exact": ("✅", "="),
    "within tolerance": ("✅", "≈"),
    "differs": ("❌", "≠"),
}

#: A text with what stands in it.
Span = str | Code | Bold | Link | Sign | LineBreak
Line = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of the parts that follow; ``level`` counts from 1, below the document's own."""

    line: Line
    level: int = 1


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Some sentences."""

    line: Line


@dataclass(frozen=True, slots=True)
class ItemList:
    """A list. ``more`` are left out of it."""

    lines: tuple[Line, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class FactRows:
    """Labels, and what stands beside each."""

    rows: tuple[tuple[str, Line], ...]


@dataclass(frozen=True, slots=True)
class TableGrid:
    """A table; numbers stand right, in columns whose head begins with ``>``."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """Parts that are optimized out behind a title, or stand open. ``anchor`` is what links lead to."""

    title: str
    rest: Line
    parts: tuple[Part, ...]
    opened: bool = False
    anchor: str = ""


Part = Heading | Paragraph | ItemList | FactRows | TableGrid | Fold


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report. ``verdict`` is ``conforms``, ``fails``, ``violates``, ``not checked`` or empty."""

    program: str
    title: Line
    verdict: str
    summary: str
    facts: tuple[tuple[str, str], ...]
    parts: tuple[Part, ...]
    version: str


def listed(lines: tuple[Line, ...], most: int) -> ItemList:
    """A list of at most so many."""
    return ItemList(lines[:most], max(0, len(lines) - most))


def broken(texts: tuple[str, ...]) -> Line:
    """Texts below each other."""
    line: list[Span] = []
    for text in texts:
        line += [LineBreak(), text] if line else [text]
    return tuple(line)

"""Report as a document: title, facts and parts, which Markdown and HTML lay out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from litecheck.rendering.escape import PHRASE, shorten


@dataclass(frozen=True, slots=True)
class Code:
    """A name as it appears in a file."""

    text: str


@dataclass(frozen=True, slots=True)
class Bold:
    """An emphasized word."""

    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """A web address or, after ``#``, a part of the document."""

    address: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class StatusIcon:
    """A symbol beside a verdict, a word in :data:`SIGNS`."""

    meaning: str


@dataclass(frozen=True, slots=True)
class LineBreak:
    """The end of a line within a part."""


#: Symbols of verdicts: an icon for Markdown, and a character for pages, legible without color.
SIGNS: dict[str, tuple[str, str]] = {
    "conforms": ("✅", "="),
    "violates": ("❌", "≠"),
    "fails": ("❌", "≠"),
    "not checked": ("⚠️", "–"),
    "not supported": ("⚠️", "U"),
    "waived": ("⚠️", "w"),
    "incomplete": ("⚠️", "…"),
    "not claimed": ("⚠️", "–"),
    "identified": ("✅", "="),
    "ambiguous": ("✅", "≈"),
    "unknown": ("❌", "≠"),
    "not repeatable": ("❌", "F"),
    "not answered": ("⚠️", "–"),
    "explained": ("✅", "="),
    "not explained": ("❌", "≠"),
    "exact": ("✅", "="),
    "within tolerance": ("✅", "≈"),
    "differs": ("❌", "≠"),
}

#: A part of a line: text, or an element of the layout.
Span = str | Code | Bold | Link | StatusIcon | LineBreak
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
    """A list. ``omitted`` is the number of further items."""

    lines: tuple[Line, ...]
    omitted: int = 0


@dataclass(frozen=True, slots=True)
class FactRows:
    """Labels with their values."""

    rows: tuple[tuple[str, Line], ...]


@dataclass(frozen=True, slots=True)
class TableGrid:
    """A table; columns whose head begins with ``>`` are numbers, aligned right."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]


@dataclass(frozen=True, slots=True)
class Collapsible:
    """Parts collapsed behind a title, or open. ``anchor`` is the target of links."""

    title: str
    rest: Line
    parts: tuple[Part, ...]
    opened: bool = False
    anchor: str = ""


Part = Heading | Paragraph | ItemList | FactRows | TableGrid | Collapsible


@dataclass(frozen=True, slots=True)
class Document:
    """A complete report. ``verdict`` is ``conforms``, ``fails``, ``violates``, ``not checked`` or empty.

    ``condition`` belongs to the verdict and follows it everywhere: `` within 1 LSB (ADD)`` or ``, 1 of 3 cases waived``.
    """

    program: str
    title: Line
    verdict: str
    summary: str
    facts: tuple[tuple[str, str], ...]
    parts: tuple[Part, ...]
    version: str
    condition: str = ""

    @property
    def whole_verdict(self) -> str:
        """The verdict with its condition."""
        return f"{self.verdict}{self.condition}"


def text_grid(heads: tuple[str, ...], rows: Iterable[Iterable[str]]) -> TableGrid:
    """Return a table of plain texts."""
    return TableGrid(heads, tuple(tuple((cell,) for cell in row) for row in rows))


def fact_rows(facts: Iterable[tuple[str, str]]) -> FactRows:
    """Return labels with plain texts."""
    return FactRows(tuple((label, (text,)) for label, text in facts))


def section(
    title: str, lines: Iterable[Line | str], most: int | None = None, level: int = 1
) -> Iterator[Part]:
    """Yield a list below a title, cut at ``most``; nothing without lines."""
    told = tuple(line if isinstance(line, tuple) else (line,) for line in lines)
    if told:
        yield from (Heading((title,), level), short_list(told, len(told) if most is None else most))


def case(title: str, ending: str, details: Iterable[tuple[str, Iterable[str]]]) -> Collapsible:
    """Return the details of a case, open, with its ending after its title."""
    rows = tuple(
        (label, join_lines(tuple(shorten(line, 3 * PHRASE) for line in lines))) for label, lines in details
    )
    return Collapsible(title, (f": {ending}",), (FactRows(rows),), True)


def short_list(lines: tuple[Line, ...], most: int) -> ItemList:
    """Return a list of at most ``most`` items."""
    return ItemList(lines[:most], max(0, len(lines) - most))


def join_lines(texts: tuple[str, ...]) -> Line:
    """Return texts on consecutive lines."""
    line: list[Span] = []
    for text in texts:
        line += [LineBreak(), text] if line else [text]
    return tuple(line)

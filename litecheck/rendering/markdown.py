"""A document as GitHub Flavored Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from litecheck.rendering import document as layout
from litecheck.rendering.escape import visible


def markdown_text(page: layout.Document) -> str:
    """Return the document as Markdown; failures are open, tables are folded."""
    icon = f"{layout.SIGNS[page.verdict][0]} {plain(page.whole_verdict)}: " if page.verdict else ""
    lines = [f"## {_line(page.title)}", "", icon + plain(page.summary)]
    if page.facts:
        lines += ["", *(f"- {plain(label)}: {plain(text)}" for label, text in page.facts)]
    lines += [line for part in page.parts for line in ("", *_part(part))]
    return "\n".join([*lines, "", f"litecheck {plain(page.version)}"]) + "\n"


def _part(part: layout.Part) -> Iterator[str]:
    if isinstance(part, layout.Heading):
        yield f"{'#' * (part.level + 2)} {_line(part.line)}"
    elif isinstance(part, layout.Paragraph):
        yield _line(part.line)
    elif isinstance(part, layout.ItemList):
        yield from (f"- {_line(line)}" for line in part.lines)
        if part.omitted:
            yield f"- and {part.omitted:,} more"
    elif isinstance(part, layout.FactRows):
        yield from (f"- {plain(label)}: {_line(line)}" for label, line in part.rows)
    elif isinstance(part, layout.TableGrid):
        yield from _grid(part)
    else:
        rest = html.escape(visible("".join(map(_words, part.rest))))
        yield from ("<details open>" if part.opened else "<details>",)
        yield f"<summary><b>{html.escape(visible(part.title))}</b>{rest}</summary>"
        for inner in part.parts:
            yield from ("", *_part(inner))
        yield from ("", "</details>")


def _grid(grid: layout.TableGrid) -> Iterator[str]:
    yield f"| {' | '.join(head.lstrip('>') for head in grid.heads)} |"
    yield f"|{'|'.join(' ---: ' if head.startswith('>') else ' --- ' for head in grid.heads)}|"
    for row in grid.rows:
        yield f"| {' | '.join(_line(cell, in_table=True) for cell in row)} |"


def _line(line: layout.Line, in_table: bool = False) -> str:
    return "".join(_span(span, in_table) for span in line)


def _span(span: layout.Span, in_table: bool) -> str:
    if isinstance(span, layout.Code):
        return code(span.text).replace("|", "\\|") if in_table else code(span.text)
    if isinstance(span, layout.Bold):
        return f"**{plain(span.text)}**"
    if isinstance(span, layout.Link) and re.fullmatch(r"https?://[!-;=?-~]+", span.address):
        return f"<{span.address}>"
    return "<br>" if isinstance(span, layout.LineBreak) else plain(_words(span))


def _words(span: layout.Span) -> str:
    """Return the text of a span without its markup."""
    if isinstance(span, layout.LineBreak):
        return "; "
    if isinstance(span, layout.StatusIcon):
        return f"{layout.SIGNS[span.meaning][0]} "
    if isinstance(span, layout.Link):
        return span.text or span.address
    return span if isinstance(span, str) else span.text


def plain(text: str) -> str:
    """Escape text for Markdown: no markup, HTML, formula or table border."""
    return re.sub(r"([\\`*_\[\]#|~<>&$])", r"\\\1", visible(text))


def code(text: str) -> str:
    """Return a code span around any text; its fence is longer than every run of backticks in the text.

    For example, ``a`b`` gets a fence of two backticks.
    """
    text = visible(text)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) or not text else ""
    return f"{fence}{pad}{text}{pad}{fence}"

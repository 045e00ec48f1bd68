"""A document as a page without scripts: facts, tables, and parts to unfold."""

from __future__ import annotations

from pathlib import Path
from string import Template

from litecheck.rendering.document import (
    SIGNS,
    Bold,
    Code,
    Document,
    FactRows,
    Fold,
    Heading,
    ItemList,
    Line,
    Link,
    Paragraph,
    Part,
    Sign,
    Span,
    TableGrid,
)
from litecheck.rendering.html.base import asset, framed, text

_FOLDER = Path(__file__).parent


def page(document: Document) -> str:
    """The page, complete in one file."""
    title = "".join(map(_words, document.title))
    ending = f": {document.verdict}" if document.verdict else ""
    verdict = f' <strong id="verdict" data-verdict="{document.verdict}">{document.verdict}</strong>'
    facts = (*document.facts, ("litecheck", document.version))
    parts = {
        "program": text(document.program),
        "title": _line(document.title) + (verdict if document.verdict else ""),
        "summary": text(document.summary),
        "facts": "\n".join(
            f"<div><dt>{text(label)}</dt><dd>{text(fact)}</dd></div>" for label, fact in facts
        ),
        "parts": "\n".join(map(_part, document.parts)),
    }
    body = Template(asset(_FOLDER / "document.html")).substitute(parts)
    return framed(title + ending, body, asset(_FOLDER / "document.css"))


def _words(span: Span) -> str:
    return span if isinstance(span, str) else getattr(span, "text", "")


def _part(part: Part) -> str:
    if isinstance(part, Heading):
        return f"<h{part.level + 1}>{_line(part.line)}</h{part.level + 1}>"
    if isinstance(part, Paragraph):
        return f"<p>{_line(part.line)}</p>"
    if isinstance(part, ItemList):
        lines = (*part.lines, (f"and {part.more:,} more",)) if part.more else part.lines
        return f"<ul>{''.join(f'<li>{_line(line)}</li>' for line in lines)}</ul>"
    if isinstance(part, FactRows):
        rows = (f"<dt>{text(label)}</dt><dd>{_line(line)}</dd>" for label, line in part.rows)
        return f"<dl>{''.join(rows)}</dl>"
    return _grid(part) if isinstance(part, TableGrid) else _fold(part)


def _grid(grid: TableGrid) -> str:
    """Cells of numbers have a class of their own."""
    kinds = [' class="number"' if head.startswith(">") else "" for head in grid.heads]
    pairs = zip(kinds, grid.heads, strict=True)
    heads = "".join(f"<th{kind}>{text(head.lstrip('>'))}</th>" for kind, head in pairs)
    rows = "".join(
        f"<tr>{''.join(f'<td{kind}>{_line(cell)}</td>' for kind, cell in zip(kinds, row, strict=True))}</tr>"
        for row in grid.rows
    )
    return f'<div class="scroll"><table class="rows"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'


def _fold(fold: Fold) -> str:
    parts = "".join(map(_part, fold.parts))
    if fold.anchor:
        # Inside, so that browsers unfold it for who follows a link.
        parts = f'<div id="{text(fold.anchor)}">{parts}</div>'
    opened = " open" if fold.opened else ""
    title = f"<summary><b>{text(fold.title)}</b>{_line(fold.rest)}</summary>"
    return f'<details class="part"{opened}>{title}{parts}</details>'


def _line(line: Line) -> str:
    return "".join(map(_span, line))


def _span(span: Span) -> str:
    if isinstance(span, str):
        return text(span)
    if isinstance(span, Code):
        return f"<code>{text(span.text)}</code>"
    if isinstance(span, Bold):
        return f"<b>{text(span.text)}</b>"
    if isinstance(span, Sign):
        character = SIGNS[span.meaning][1]
        return (
            f'<span class="sign" data-conclusion="{span.meaning}" title="{span.meaning}">{character}</span>'
        )
    if isinstance(span, Link):
        known = span.address.startswith(("https://", "http://", "#"))
        shown = text(span.text or span.address)
        return f'<a href="{text(span.address)}">{shown}</a>' if known else shown
    return "<br>"

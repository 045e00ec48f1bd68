"""HTML pages, each a single file without external resources; layout of a document as a page."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import Template

from litecheck.rendering import document as layout
from litecheck.rendering.escape import safe_json, visible

#: The folder of styles and scripts that pages share.
SHARED = Path(__file__).parent


@cache
def asset(path: Path) -> str:
    """Return the text of a file that is part of pages."""
    return path.read_text(encoding="utf-8")


def frame_page(title: str, body: str, style: str = "", script: str = "") -> str:
    """Return the page around ``body``, with its style after the base's; ``title`` is plain text."""
    own = asset(SHARED / "base.css") + style
    parts = {"policy": _policy(own, script), "title": text(title), "style": own, "body": body}
    return Template(asset(SHARED / "base.html")).substitute(parts)


def _policy(style: str, script: str) -> str:
    own = (("style-src", style), ("script-src", script))
    hashes = ((kind, b64encode(sha256(text.encode()).digest()).decode()) for kind, text in own if text)
    allowed = (f"{kind} 'sha256-{digest}'" for kind, digest in hashes)
    return "; ".join(
        ("default-src 'none'", *allowed, "img-src data:", "base-uri 'none'", "form-action 'none'")
    )


def embed_json(value: object) -> str:
    """Return JSON for a script element: ASCII, without markup characters."""
    written = safe_json(json.dumps(value, separators=(",", ":"), allow_nan=False))
    for character in "<>&":
        written = written.replace(character, f"\\u{ord(character):04x}")
    return written


def interactive(
    title: str, body: str, parts: Mapping[str, str], scripts: Sequence[Path], style: str = ""
) -> str:
    """Return a page of operators: ``body`` is a template of ``parts`` and its scripts, in order of dependency."""
    script = "\n".join(map(asset, scripts))
    filled = Template(body).substitute(parts, script=script)
    return frame_page(title, filled, asset(SHARED / "operators.css") + style, script)


def text(words: str) -> str:
    """Return text for a page: visible characters without markup."""
    return html.escape(visible(words))


def page(document: layout.Document, picture: str = "", style: str = "", below: str = "") -> str:
    """Return the document as a complete page in a single file, with markup above and below its parts, and their style."""
    title = "".join(map(_words, document.title))
    ending = f": {document.whole_verdict}" if document.verdict else ""
    told = text(document.whole_verdict)
    verdict = f' <strong id="verdict" data-verdict="{document.verdict}">{told}</strong>'
    facts = (*document.facts, ("litecheck", document.version))
    parts = {
        "program": text(document.program),
        "title": _line(document.title) + (verdict if document.verdict else ""),
        "summary": text(document.summary),
        "facts": "\n".join(
            f"<div><dt>{text(label)}</dt><dd>{text(fact)}</dd></div>" for label, fact in facts
        ),
        "parts": "\n".join(filter(None, (picture, *map(_part, document.parts), below))),
    }
    body = Template(asset(SHARED / "document.html")).substitute(parts)
    return frame_page(title + ending, body, asset(SHARED / "document.css") + style)


def _words(span: layout.Span) -> str:
    return span if isinstance(span, str) else getattr(span, "text", "")


def _part(part: layout.Part) -> str:
    if isinstance(part, layout.Heading):
        return f"<h{part.level + 1}>{_line(part.line)}</h{part.level + 1}>"
    if isinstance(part, layout.Paragraph):
        return f"<p>{_line(part.line)}</p>"
    if isinstance(part, layout.ItemList):
        lines = (*part.lines, (f"and {part.omitted:,} more",)) if part.omitted else part.lines
        return f"<ul>{''.join(f'<li>{_line(line)}</li>' for line in lines)}</ul>"
    if isinstance(part, layout.FactRows):
        rows = (f"<dt>{text(label)}</dt><dd>{_line(line)}</dd>" for label, line in part.rows)
        return f"<dl>{''.join(rows)}</dl>"
    return _grid(part) if isinstance(part, layout.TableGrid) else _fold(part)


def _grid(grid: layout.TableGrid) -> str:
    """Return a table; cells of numbers have the class ``number``."""
    kinds = [' class="number"' if head.startswith(">") else "" for head in grid.heads]
    pairs = zip(kinds, grid.heads, strict=True)
    heads = "".join(f"<th{kind}>{text(head.lstrip('>'))}</th>" for kind, head in pairs)
    rows = "".join(
        f"<tr>{''.join(f'<td{kind}>{_line(cell)}</td>' for kind, cell in zip(kinds, row, strict=True))}</tr>"
        for row in grid.rows
    )
    table = f'<table class="rows"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
    # A focusable region: the keyboard can scroll a table that is wider than a narrow screen.
    return f'<div class="scroll" tabindex="0" role="group" aria-label="Table">{table}</div>'


def _fold(fold: layout.Collapsible) -> str:
    parts = "".join(map(_part, fold.parts))
    if fold.anchor:
        # The anchor is inside, so that browsers expand the section for a link to it.
        parts = f'<div id="{text(fold.anchor)}">{parts}</div>'
    opened = " open" if fold.opened else ""
    title = f"<summary><b>{text(fold.title)}</b>{_line(fold.rest)}</summary>"
    return f'<details class="part"{opened}>{title}{parts}</details>'


def _line(line: layout.Line) -> str:
    return "".join(map(_span, line))


def _breakable(words: str) -> str:
    """Return text in which long paths and names can break after separators, and arrows do not break."""
    broken = re.sub(r"\S{12,}", lambda long: re.sub("[/_]", r"\g<0><wbr>", long[0]), text(words))
    return broken.replace("-&gt;", "→")


def _span(span: layout.Span) -> str:
    if isinstance(span, str):
        return _breakable(span)
    if isinstance(span, layout.Code):
        return f"<code>{_breakable(span.text)}</code>"
    if isinstance(span, layout.Bold):
        return f"<b>{text(span.text)}</b>"
    if isinstance(span, layout.StatusIcon):
        character = layout.SIGNS[span.meaning][1]
        return (
            f'<span class="sign" data-conclusion="{span.meaning}" title="{span.meaning}">{character}</span>'
        )
    if isinstance(span, layout.Link):
        known = span.address.startswith(("https://", "http://", "#"))
        shown = _breakable(span.text or span.address)
        return f'<a href="{text(span.address)}">{shown}</a>' if known else shown
    return "<br>"

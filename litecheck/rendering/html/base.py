"""The base of every page: one file that loads nothing, and runs nothing but its own style and script."""

from __future__ import annotations

import html
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import Template

from litecheck.rendering.escape import visible

_FOLDER = Path(__file__).parent


@cache
def asset(path: Path) -> str:
    """A file that is part of pages."""
    return path.read_text(encoding="utf-8")


def framed(title: str, body: str, style: str = "", script: str = "") -> str:
    """The page around ``body``, with its style behind the base's; ``title`` is plain text."""
    own = asset(_FOLDER / "base.css") + style
    parts = {"policy": _policy(own, script), "title": text(title), "style": own, "body": body}
    return Template(asset(_FOLDER / "base.html")).substitute(parts)


def _policy(style: str, script: str) -> str:
    def rules() -> Iterator[str]:
        yield "default-src 'none'"
        for kind, own in (("style-src", style), ("script-src", script)):
            if own:
                yield f"{kind} 'sha256-{b64encode(sha256(own.encode()).digest()).decode()}'"
        yield from ("img-src data:", "base-uri 'none'", "form-action 'none'")

    return "; ".join(rules())


def text(words: str) -> str:
    """Any text as what a page may show: no markup, nothing invisible."""
    return html.escape(visible(words))

"""Text of untrusted files in Markdown: shown as it is, and harmless wherever an issue is filed."""

from __future__ import annotations

import re

#: What Markdown or HTML may take for its own: anywhere, underscores around words, schemes of links, signs of lists.
_SPECIAL = re.compile(r"[\\`*\[\]#|~<>&@!{}]|(?<!\w)_|_(?!\w)|:(?=//)|^[-+](?=\s)|(?<=^\d)[.)](?=\s)")


def visible(text: str) -> str:
    """Control, format and unassigned characters as backslash escapes, so that the result is one printable line."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def literal(text: str) -> str:
    """The text outside of code: every character that means something there stands for itself."""
    return _SPECIAL.sub(lambda found: f"\\{found[0]}", visible(text))


def code(text: str, cell: bool = False) -> str:
    """A code span around any text: its fence is longer than every run of backticks inside.

    In a ``cell`` of a table a bar ends it even in code, so there it stands behind a backslash.
    """
    text = visible(text)
    fence = "`" * (1 + _longest(text))
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) or not text else ""
    span = f"{fence}{pad}{text}{pad}{fence}"
    return span.replace("|", "\\|") if cell else span


def block(text: str) -> list[str]:
    """Lines of a block of code around any text."""
    lines = [visible(line) for line in text.splitlines()]
    fence = "`" * max(3, 1 + max(map(_longest, lines), default=0))
    return [fence, *lines, fence]


def _longest(text: str) -> int:
    """Of all runs of backticks."""
    return max((len(run) for run in re.findall("`+", text)), default=0)

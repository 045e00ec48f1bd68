"""Tables of plain text: columns side by side, as wide as what is in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from litecheck.rendering.escape import shorten

#: Room for a name, however narrow the terminal is.
_LEAST = 16


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], width: int | None) -> str:
    """The columns of :func:`cells` as lines of text."""
    return "\n".join(("  " + "  ".join(row)).rstrip() for row in cells(heads, rows, width))


def cells(
    heads: Sequence[str], rows: Iterable[Sequence[str]], width: int | None, least: int = _LEAST
) -> list[list[str]]:
    """Columns padded to stand side by side, aligned left, or right where the head starts with ``>``; heads first.

    Empty columns are left out. The last column takes the room that is left of ``width``, at
    least ``least``; without a width, all it needs.
    """
    content = [[head.lstrip(">") for head in heads], *map(list, rows)]
    *columns, last = range(len(heads))
    used = [n for n in columns if any(row[n] for row in content[1:])]
    widths = {n: max(len(row[n]) for row in content) for n in used}
    room = None if width is None else max(least, width - 2 - sum(widths.values()) - 2 * len(used))
    padded = []
    for row in content:
        line = [f"{row[n]:{'>' if heads[n].startswith('>') else '<'}{widths[n]}}" for n in used]
        padded.append([*line, row[last] if room is None else shorten(row[last], room)])
    return padded

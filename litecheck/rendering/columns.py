"""Plain text tables with columns as wide as their contents, and histogram bars."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from textwrap import TextWrapper
from typing import TYPE_CHECKING

from litecheck.quantizer.comparison_result import Bucket
from litecheck.rendering.escape import shorten

if TYPE_CHECKING:
    from rich.console import Console

#: Smallest width of the last column.
_LEAST = 16
#: Indentation of the continuation lines of a row.
_CONTINUED = 4


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], width: int | None) -> str:
    """Return the columns of :func:`cells` as lines of text.

    If they do not fit into ``width``, each row continues on further lines, which are indented.
    """
    padded = cells(heads, rows, None)
    ends, room = _folds(padded[0], min(_LEAST, max(len(row[-1]) for row in padded)), width)
    lasts = [row[-1] if room is None else shorten(row[-1], room) for row in padded]
    folded = (_lines([*row[:-1], last], ends) for row, last in zip(padded, lasts, strict=True))
    return "\n".join(line for lines in folded for line in lines)


def _folds(row: Sequence[str], least: int, width: int | None) -> tuple[list[int], int | None]:
    """Return the index after the last column of each line, and the width of the last column, at least ``least``."""
    ends, taken = [], 0
    for number, cell in enumerate(row):
        needed = 2 + (len(cell) if number < len(row) - 1 else least)
        if width is not None and number and taken + needed > width:
            ends.append(number)
            taken = _CONTINUED
        taken += needed
    return [*ends, len(row)], None if width is None else max(least, width - taken + least)


def _lines(row: Sequence[str], ends: Sequence[int]) -> Iterator[str]:
    """Yield the lines of a row of padded cells; further lines without content are left out."""
    for start, end in zip((0, *ends), ends, strict=False):
        indent = " " * (_CONTINUED if start else 0)
        if line := "  ".join(row[start:end]).rstrip():
            yield f"  {indent}{line}"


def cells(
    heads: Sequence[str], rows: Iterable[Sequence[str]], width: int | None, least: int = _LEAST
) -> list[list[str]]:
    """Return the rows, heads first, with cells padded to the width of their column.

    Cells are aligned left, or right if the head starts with ``>``. Empty columns are omitted. The last column is
    shortened to the rest of ``width``, at least ``least`` characters; without ``width``, it is complete.
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


def width_of(console: Console) -> int | None:
    """Return the columns of a terminal, or those that ``COLUMNS`` states; None for other outputs without it."""
    return console.width if console.is_terminal or os.environ.get("COLUMNS") else None


def print_lines(lines: Iterable[str], console: Console) -> None:
    """Print lines unchanged and unbroken."""
    console.print("\n".join(lines), markup=False, highlight=False, emoji=False, soft_wrap=True)


def print_wrapped(lines: Iterable[str], console: Console) -> None:
    """Print lines, broken between words to :func:`width_of` the console; further lines are indented."""
    print_lines(break_lines(lines, width_of(console), "    "), console)


def break_lines(lines: Iterable[str], width: int | None, indent: str) -> Iterator[str]:
    """Yield lines broken between words to a width, if there is one; further lines are indented."""
    for line in lines:
        wrapper = TextWrapper(
            width or len(line) + 1, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )
        yield from wrapper.wrap(line) or [""]


#: Largest length of a bar.
BAR = 40
#: Smallest length of the longest bar: shorter bars would not distinguish the buckets.
_LEAST_BAR = 8


def percent(part: int, whole: int) -> str:
    """Return a rounded percentage, never 0 or 100 unless exact.

    For example, 1 of 3 gives ``33.33 %`` and 999,999 of 1,000,000 gives ``> 99.99 %``.
    """
    share = 100 * part / whole
    if 0 < share < 0.01:
        return "< 0.01 %"
    return "> 99.99 %" if 99.99 < share < 100 else f"{share:.4g} %"


def bars(histogram: Sequence[Bucket], plain: bool, width: int | None = None) -> Iterator[str]:
    """Yield a row for each bucket: its span, count and bar; ``plain`` restricts bars to ASCII.

    The fullest bucket has the longest bar: BAR characters, or fewer if ``width`` has less room.
    """
    most = max((1, *(bucket.count for bucket in histogram)))
    names = [span(bucket) for bucket in histogram]
    numbers = [f"{bucket.count:,}" for bucket in histogram]
    taken = max(map(len, names), default=0) + max(map(len, numbers), default=0) + 4
    longest = BAR if width is None else max(_LEAST_BAR, min(BAR, width - taken))
    for name, number, bucket in zip(names, numbers, histogram, strict=True):
        length = max(1, round(longest * bucket.count / most))
        bar = ("#" if plain else "█") * length
        yield f"{name:>{max(map(len, names))}}  {number:>{max(map(len, numbers))}}  {bar}"


def span(bucket: Bucket) -> str:
    """Return ``-1``, or ``+9..+16``."""
    return f"{bucket.low:+,}" if bucket.low == bucket.high else f"{bucket.low:+,}..{bucket.high:+,}"

"""Plain text tables with columns as wide as their contents, and histogram bars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from litecheck.quantizer.comparison_result import Bucket
from litecheck.rendering.escape import shorten

if TYPE_CHECKING:
    from rich.console import Console

#: Room for a name, however narrow the terminal is.
_LEAST = 16


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], width: int | None) -> str:
    """Return the columns of :func:`cells` as lines of text."""
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


def width_of(console: Console) -> int | None:
    """Return the width of a terminal in columns; None for other outputs."""
    return console.width if console.is_terminal else None


def print_lines(lines: Iterable[str], console: Console) -> None:
    """Print lines unchanged and unbroken."""
    console.print("\n".join(lines), markup=False, highlight=False, emoji=False, soft_wrap=True)


#: The longest bar.
BAR = 40
#: The least that still shows which bucket is fuller.
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
    """A row for each bucket, the longest bar being the fullest bucket's; ``plain`` keeps to ASCII.

    Bars are at most BAR long, and shorter where ``width`` has no room for that.
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

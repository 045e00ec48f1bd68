"""Terminal tables without truncated words: long words wrap after separators."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from litecheck.rendering.escape import visible

if TYPE_CHECKING:
    from rich.console import Console

#: Positions after which a word can wrap.
_JOINTS = re.compile(r"(?<=[/_.,-])(?=.)")
#: Spaces between two columns, and at the edges of the table.
_GAP, _EDGES = 3, 2
#: Smallest width left for columns that wrap.
_LEAST = 20


def fold_words(words: str, width: int) -> str:
    """Return text in which every word that is wider than ``width`` has line breaks after ``_``, ``/`` and similar
    characters."""
    return " ".join(_fold_word(word, width) for word in words.split(" "))


def _fold_word(word: str, width: int) -> str:
    lines = [""]
    for part in _JOINTS.split(word):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def shares(needs: Mapping[str, int], room: int) -> dict[str, int]:
    """Return the widths of columns: their needs if there is room, else equal shares plus unused room of narrow
    columns."""
    found: dict[str, int] = {}
    for number, (name, need) in enumerate(sorted(needs.items(), key=lambda item: item[1])):
        found[name] = max(1, min(need, room // (len(needs) - number)))
        room -= found[name]
    return found


def print_table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], whole: Collection[str], console: Console
) -> None:
    """Print a table; columns in ``whole`` are complete, the remaining columns share the rest of the terminal's width.

    If the rest is too small, the columns in ``whole`` that are wider than 12 characters wrap, too.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    content = [tuple(map(visible, row)) for row in rows]
    needs = {head: max(len(head), *(len(row[n]) for row in content), 1) for n, head in enumerate(heads)}
    room = console.width - _GAP * (len(heads) - 1) - _EDGES
    fixed = {head: need for head, need in needs.items() if head in whole}
    if room - sum(fixed.values()) < min(_LEAST, sum(needs.values()) - sum(fixed.values())):
        fixed = {head: need for head, need in fixed.items() if need <= _SHORT}
    wrapped = {head: need for head, need in needs.items() if head not in fixed}
    widths = fixed | shares(wrapped, room - sum(fixed.values()))
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for head in heads:
        table.add_column(head, overflow="fold", width=widths[head])
    for row in content:
        table.add_row(*(fold_words(cell, widths[head]) for head, cell in zip(heads, row, strict=True)))
    console.print(table)


#: Columns no wider than this never wrap.
_SHORT = 12

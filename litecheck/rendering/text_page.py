"""Console text with a margin, in wrapped lines of readable length."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Sequence

from rich.cells import cell_len
from rich.console import Console, OverflowMethod
from rich.text import Text

from litecheck.rendering.columns import cells
from litecheck.rendering.escape import NAME, PHRASE, escape_text, shorten, visible

#: Largest width of a line: longer lines are hard to read.
WIDEST = 120
#: Width of the labels in the margin.
LABEL = 10
#: Width of the labels of a header, for example "arithmetic".
HEADER = 11
#: Style of labels and of secondary text.
DIM = "dim"
_MANY = 20
#: Style of each verdict.
VERDICTS = {
    "conforms": "bold green",
    "fails": "bold red",
    "violates": "bold red",
    "not checked": "bold magenta",
}
#: Label of a case's folder. Its line is not broken, so that it can be copied.
_FOLDER = "files"
#: Smallest width of the last column; spare columns are omitted to reach it.
_LEAST = 10
#: A cell that needs the head of its column: a number, perhaps with a unit.
_NUMBER = re.compile(r"[-+]?\d\S*( dB| LSB| rel\.)?")


def capture_text(write: Callable[[Console], None]) -> str:
    """Return the output of ``write`` on a console of 80 columns without color."""
    file = io.StringIO()
    write(Console(file=file, width=80, color_system=None, force_terminal=False, _environ={}))
    return escape_text(file.getvalue(), lines=True, before="")


class Page:
    """A console, with full names and lists if ``verbose``."""

    def __init__(self, console: Console, verbose: bool) -> None:
        self.console = console
        self.width = min(console.width, WIDEST)
        self.verbose = verbose
        self.plain = console.options.ascii_only
        self.dash = "-" if self.plain else "─"

    def title(self, name: str, verdict: str, style: str) -> None:
        """Print a name and, at the right edge, its verdict; a longer verdict follows the name."""
        name = visible(name) if self.verbose else shorten(name, 2 * NAME)
        if len(verdict) + 2 > self.width:
            self.line(Text.assemble((name, "bold"), "  ", (verdict, style)))
            return
        room = self.width - cell_len(name) - len(verdict) - 2
        if room < 3:
            self.line(Text(name, "bold"))
            name, room = "", self.width - len(verdict) - 1
        gap = " " if name else ""
        dashes = (f"{gap}{self.dash * room} ", DIM)
        self.line(Text.assemble((name, "bold"), dashes, (verdict, style)))

    def line(
        self, text: Text | str = "", first: Text | str = "", indent: int = 0, whole: bool = False
    ) -> None:
        """Print ``first`` in the margin and ``text`` after it, wrapped, every line at the same column.

        A word that is wider than the page is broken unless ``whole``.
        """
        overflow: OverflowMethod = "ignore" if whole else "fold"
        body = text if isinstance(text, Text) else Text(text)
        margin = first if isinstance(first, Text) else Text(first)
        wrapped = body.wrap(self.console, max(self.width - indent, 16), overflow=overflow) if body else [body]
        for part in wrapped:
            gap = " " * (indent - margin.cell_len)
            row = Text.assemble(margin, gap, part)
            row.rstrip()
            self.console.print(row, soft_wrap=True)
            margin = Text()

    def print_labeled(self, label: str, text: Text | str, room: int = LABEL) -> None:
        """Print a line with its label in the margin of ``room`` columns; nothing for an empty text."""
        if text:
            self.line(text, Text(f"  {label}", DIM), max(2 + room, len(label) + 3), label == _FOLDER)

    def section(self, title: str, text: str) -> None:
        """Print a heading."""
        self.line(Text.assemble((title, "bold"), f"  {text}"))

    def listing(self, title: str, text: str, items: Iterable[str]) -> None:
        """Print a list below a heading, its items in full; nothing without items."""
        told = list(items)
        if told:
            self.section(title, text)
            self.bullets(told)
            self.line()

    def details(self, title: str, margin: Text, details: Iterable[tuple[str, Sequence[str]]]) -> None:
        """Print the details of a case below its title, with its outcome in the margin."""
        self.line(Text(title, "bold"), margin, max(margin.cell_len + 2, 2 + LABEL))
        for label, lines in details:
            shown = lines if self.verbose else [shorten(line, 3 * PHRASE) for line in lines]
            self.print_labeled(label, "\n".join(shown))
        self.line()

    def bullets(self, items: Iterable[str]) -> None:
        """Print items in full."""
        for item in items:
            self.line(item, "  -", 4)

    def facts(self, facts: Iterable[tuple[str, str]]) -> None:
        """Print facts, each after its label."""
        for label, text in facts:
            self.line(visible(text), Text(label, DIM), 2 + LABEL)

    def more(self, number: int, what: str = "more") -> None:
        """Print the number of items that are left out, if any."""
        if number > 0:
            self.line(Text(f"and {number:,} {what}", DIM), "", 4)

    def items(self, items: Sequence[str], limit: int = _MANY) -> None:
        """Print a list, cut at ``limit``."""
        shown = items if self.verbose else items[:limit]
        for item in shown:
            self.line(self.phrase(item), "  -", 4)
        self.more(len(items) - len(shown))

    def phrase(self, text: str) -> str:
        """Return text as a line of readable length."""
        return visible(text) if self.verbose else shorten(text, PHRASE)

    def grid(
        self,
        heads: Sequence[str],
        rows: Sequence[Sequence[str]],
        styles: Sequence[str],
        styled: int | None = None,
        spare: Sequence[str] = (),
        whole: bool = False,
        least: int = _LEAST,
    ) -> None:
        """Print a table; each row in its style, or only its column ``styled``.

        If the table is too wide, ``spare`` columns are omitted in their order; then each row becomes a sentence. The
        last column has ``least`` characters if the table without the spare columns allows that. With ``whole``, no cell
        is shortened: the last column is wrapped.
        """
        tries = ((room, spare[:n]) for room in dict.fromkeys((least, _LEAST)) for n in range(len(spare) + 1))
        for room, left_out in tries:
            kept = [n for n, head in enumerate(heads) if head.lstrip(">") not in left_out]
            shown, parts = [heads[n] for n in kept], [[row[n] for n in kept] for row in rows]
            lines = cells(shown, parts, None if whole else self.width, room)
            if max(2 + sum(map(len, line)) + 2 * (len(line) - 1) for line in lines) <= self.width:
                break
        else:
            if (
                not whole
                or max(sum(map(len, line[:-1])) + 2 * len(line) for line in lines) > self.width - _LEAST
            ):
                self._sentences(heads, rows, styles)
                return
        for line, style in zip(lines, [DIM, *styles], strict=True):
            text = Text("  ")
            for n, cell in enumerate(line[:-1]):
                text.append(cell, style if styled in (None, n) or style == DIM else "")
                text.append("  ")
            last = Text(line[-1].rstrip(), style if styled in (None, len(line) - 1) or style == DIM else "")
            if whole:
                self.line(last, text, text.cell_len)
                continue
            text.append_text(last)
            text.rstrip()
            text.truncate(self.width, overflow="ellipsis")
            self.console.print(text, soft_wrap=True)

    def _sentences(self, heads: Sequence[str], rows: Sequence[Sequence[str]], styles: Sequence[str]) -> None:
        """Print each row as a list of cells. Numbers have the heading of their column: ``scale 0.6555, SNR 40 dB``."""
        widest = max((len(row[0]) for row in rows), default=0)
        for row, style in zip(rows, styles, strict=True):
            named = (
                f"{head.lstrip('>')} {cell}" if _NUMBER.fullmatch(cell) else cell
                for head, cell in zip(heads[1:], row[1:], strict=True)
            )
            self.line(Text(", ".join(filter(None, named)), style), f"  {row[0]:>{widest}}", widest + 4)

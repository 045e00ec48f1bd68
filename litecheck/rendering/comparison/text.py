"""A comparison for people at a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from litecheck.rendering.escape import visible
from litecheck.rendering.records import ComparedTensors
from litecheck.rendering.wording.differences import lines, verdict

_STYLES = {"exact": "bold green", "within tolerance": "bold green", "differs": "bold red"}
_LABEL = 11


def print_comparison(compared: ComparedTensors, console: Console) -> None:
    """The verdict, a histogram, the first and the worst element explained, and the causes."""
    comparison = compared.comparison
    word = verdict(comparison)
    title = f"{visible(compared.actual)} against {visible(compared.expected)}"
    console.print(
        Text.assemble((title, "bold"), ": ", (word, _STYLES.get(word, "bold magenta"))), soft_wrap=True
    )
    for label, text in lines(comparison, console.options.ascii_only):
        body = Text(text).wrap(console, max(20, min(console.width, 120) - _LABEL), overflow="fold")
        margin = Text(label, "dim")
        for part in body or [Text()]:
            row = Text.assemble(margin, " " * (_LABEL - margin.cell_len), part)
            row.rstrip()
            console.print(row, soft_wrap=True)
            margin = Text()

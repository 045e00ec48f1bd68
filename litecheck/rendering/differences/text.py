"""Text report of the differences between two models: the answer first, then causes in groups."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from litecheck.differences.change import ModelDifference
from litecheck.rendering.differences import wording
from litecheck.rendering.escape import shorten, visible
from litecheck.rendering.text_page import Page

_FEW = 5


def print_report(difference: ModelDifference, console: Console, verbose: bool = False) -> None:
    """Print the report; ``verbose`` shortens no list, and prints the consequences of each cause."""
    page = Page(console, verbose)
    page.line(
        Text(page.phrase(wording.summary(difference)), "bold red" if difference.changes else "bold green")
    )
    for label, text in wording.facts(difference):
        page.print_labeled(label, page.phrase(text))
    for group in wording.groups(difference):
        page.line()
        page.section(page.phrase(wording.title(group)), "")
        few = len(group.changes) if verbose or len(group.changes) < wording.GROUPED else _FEW
        for change in group.changes[:few]:
            name = f" '{change.name if verbose else shorten(change.name, 40)}'" if change.name else ""
            line = f"{wording.place(change)}{name}: {wording.words(change)}"
            page.line(visible(line) if verbose else shorten(line, 300), "  -", 4)
        page.more(len(group.changes) - few)
    followers = [change for change in difference.changes if change.cause >= 0]
    if followers and verbose:
        page.line()
        page.section("Consequences", "")
        for change in followers:
            cause = difference.changes[change.cause]
            origin = f"follows from {wording.place(cause)}: {wording.words(cause)}"
            page.line(visible(f"{wording.place(change)}: {wording.words(change)}, {origin}"), "  -", 4)


def brief(difference: ModelDifference) -> str:
    """Return one line if the models differ."""
    return f"{visible(f'{difference.second}: {wording.summary(difference)}')}\n" if difference.changes else ""

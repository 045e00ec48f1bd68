"""Document of a difference: at most 40 lines of Markdown, so that it fits a comment on a pull request."""

from __future__ import annotations

from litecheck.differences.change import Change, ModelDifference
from litecheck.rendering.differences import wording
from litecheck.rendering.document import Code, Document, Line, Part, TableGrid
from litecheck.rendering.escape import shorten

#: Rows of the table: with title, facts and heads at most 40 lines.
_ROWS = 25
#: Largest number of characters of a name in a row.
_NAME = 60
_HEADS = (">number", "change", "place", "before and after")


def document(difference: ModelDifference) -> Document:
    """Return the document: a table of causes, alike ones in one row."""
    groups = wording.groups(difference)
    rows: list[tuple[Line, ...]] = []
    for group in groups:
        if len(group.changes) >= wording.GROUPED:
            first, last = group.changes[0], group.changes[-1]
            places = f"{wording.place(first)} to {wording.place(last)}"
            rows.append(
                (
                    (str(len(group.changes)),),
                    (wording.title(group),),
                    (places,),
                    (wording.words(first), ", ..."),
                )
            )
        else:
            rows += [_row(change) for change in group.changes]
    parts: list[Part] = [TableGrid(_HEADS, tuple(rows[:_ROWS]))] if rows else []
    left = len(rows) - _ROWS
    summary = wording.summary(difference) + (f"; {left} more rows in the JSON report" if left > 0 else "")
    title: Line = (Code(difference.first), " -> ", Code(difference.second))
    verdict = "differs" if difference.changes else "exact"
    return Document(
        "diff", title, verdict, summary, tuple(wording.facts(difference)), tuple(parts), difference.version
    )


def _row(change: Change) -> tuple[Line, ...]:
    name: Line = (" ", Code(shorten(change.name, _NAME))) if change.name else ()
    return ("1",), (wording.NOUNS[change.kind][0],), (wording.place(change), *name), (wording.words(change),)

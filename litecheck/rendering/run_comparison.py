"""Comparison of two runs of a suite as text, document and plain values: regressions first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from litecheck.rendering.document import Code, Document, Heading, Line, Part, TableGrid
from litecheck.rendering.escape import visible
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.run_comparison import CaseChange, RunComparison, RunSide
from litecheck.summary_text import count_of
from litecheck.typed_json import encode

if TYPE_CHECKING:
    from rich.console import Console

#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 1
_HEADS = ("case", "before", "after")
_MANY = 20


def summary(compared: RunComparison) -> str:
    """Return ``2 regressions, 1 fixed, 0 otherwise changed, 410 the same, 25 without results to compare``."""
    parts = [
        count_of(len(compared.regressions), "regression"),
        f"{len(compared.fixed):,} fixed",
        f"{len(compared.changed):,} otherwise changed",
        f"{compared.same:,} the same",
        *([f"{compared.unrun:,} without results to compare"] if compared.unrun else []),
    ]
    only = len(compared.only_before) + len(compared.only_after)
    return ", ".join(parts) + (f"; {only:,} in one of them only" if only else "")


def _facts(compared: RunComparison) -> list[tuple[str, str]]:
    rows = [
        ("before", _side_name(compared.before, compared.devices[0])),
        ("after", _side_name(compared.after, compared.devices[1])),
    ]
    if compared.suites[0] != compared.suites[1]:
        rows.append(("suites", "two different ones: cases of the same name may ask something else"))
    worst = Counter(one.opcode for one in compared.regressions)
    if worst:
        rows.append(
            ("worse in", ", ".join(f"{opcode} ({number:,})" for opcode, number in worst.most_common()))
        )
    return rows


def _side_name(file: str, device: str) -> str:
    return f"{file}: {device}" if device else file


def _sections(compared: RunComparison) -> list[tuple[str, list[tuple[str, ...]]]]:
    """Return every list that is not empty, the most severe first, with a row for each case."""
    found: list[tuple[str, list[tuple[str, ...]]]] = [
        ("Regressions", list(map(_row, compared.regressions))),
        ("Fixed", list(map(_row, compared.fixed))),
        ("Otherwise changed", list(map(_row, compared.changed))),
        ("Only before", [(name, "", "") for name in compared.only_before]),
        ("Only after", [(name, "", "") for name in compared.only_after]),
    ]
    return [(title, rows) for title, rows in found if rows]


def _row(change: CaseChange) -> tuple[str, ...]:
    before, after = (_ending_text(side) for side in (change.before, change.after))
    if before == after:
        before, after = (
            f"{_ending_text(side)} ({side.arithmetic})" for side in (change.before, change.after)
        )
    return change.name, before, after


def _ending_text(side: RunSide) -> str:
    """Return ``failed, 3 LSB, waived``."""
    off = f"{side.worst:.6g}" if side.unit == "LSB" else f"{side.worst:.3g}"
    return ", ".join(
        filter(None, (CaseOutcome(side.ending).text, f"{off} {side.unit}" if side.worst else "", side.excuse))
    )


def document(compared: RunComparison) -> Document:
    """Return the document, each list as a table."""
    parts: list[Part] = []
    for title, rows in _sections(compared):
        lines: list[tuple[Line, ...]] = [((Code(row[0]),), (row[1],), (row[2],)) for row in rows]
        parts += [Heading((title,)), TableGrid(_HEADS, tuple(lines))]
    facts = tuple(_facts(compared))
    head = (Code(compared.before), " and ", Code(compared.after))
    return Document("suite diff", head, "", summary(compared), facts, tuple(parts), compared.version)


def values(compared: RunComparison) -> dict[str, Any]:
    """Return the comparison as plain dicts and lists; schemas/suite-diff.schema.json describes them."""
    plain = encode(compared, RunComparison)
    return {"litecheck_suite_diff": VERSION, "exit_code": compared.exit_code, **plain}


def print_report(compared: RunComparison, console: Console, verbose: bool = False) -> None:
    """Print the lists; long lists are shortened."""
    from rich.text import Text

    from litecheck.rendering.text_page import Page

    page = Page(console, verbose)
    page.line(Text(summary(compared), "bold"))
    page.facts(_facts(compared))
    for title, rows in _sections(compared):
        page.line()
        page.section(title, "")
        told = (f"{name}: {before} -> {after}" if before or after else name for name, before, after in rows)
        page.items(tuple(told), _MANY)


def brief(compared: RunComparison) -> str:
    """Return a line if a case became worse."""
    return f"{visible(compared.after)}: {summary(compared)}\n" if compared.exit_code else ""

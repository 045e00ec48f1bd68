"""Mutation coverage of a suite as text, document and plain values: the case that detects each mutant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from litecheck.rendering.document import Code, Document, Heading, Paragraph, Part, text_grid
from litecheck.rendering.escape import NAME, shorten
from litecheck.suite.manifest import by_operator
from litecheck.suite.mutants import FAR
from litecheck.suite.mutation_coverage import MutantCoverage, MutationCoverage
from litecheck.summary_text import count_of
from litecheck.typed_json import encode

if TYPE_CHECKING:
    from rich.console import Console

#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 1
_SUMMARY = ("operator", "type", ">mutants", ">detected", ">under 1 LSB")
_ROWS = ("operator", "type", "mutant", "detected by", ">LSB")


def summary(table: MutationCoverage) -> str:
    """Return ``397 mutants, 397 detected; under a tolerance of 1 LSB 180``."""
    total = len(table.non_equivalent)
    caught, near = total - len(table.survivors()), total - len(table.survivors(1))
    apart = len(table.rows) - total
    without = f"; {apart:,} more are equivalent" if apart else ""
    return f"{count_of(total, 'mutant')}, {caught:,} detected; under a tolerance of 1 LSB {near:,}{without}"


def _facts(table: MutationCoverage) -> list[tuple[str, str]]:
    return [
        ("suite", f"{table.profile}, level {table.level}, {count_of(table.cases, 'case')}, "
                  f"{count_of(table.vectors, 'inference')}"),
        ("SHA-256", table.suite),
        ("expected", f"outputs of {table.arithmetic}"),
    ]  # fmt: skip


def _summaries(table: MutationCoverage) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for (opcode, kind), several in by_operator(table.non_equivalent).items():
        caught = sum(1 for row in several if row.detected)
        near = sum(1 for row in several if not row.survives(1))
        rows.append((opcode, kind, f"{len(several):,}", f"{caught:,}", f"{near:,}"))
    return rows


def _cells(row: MutantCoverage) -> tuple[str, ...]:
    caught = row.case.removeprefix(f"{row.opcode}/{row.kind}/") if row.detected else "no case"
    worst = "" if not row.detected else "far off" if row.worst >= FAR else f"{row.worst:,}"
    return row.opcode, row.kind, row.mistake, f"{caught}, run {row.run}" if row.detected else caught, worst


def document(table: MutationCoverage) -> Document:
    """Return the document: a row for each operator, survivors, mutants that only exact comparison detects, and all
    mutants."""
    parts: list[Part] = [text_grid(_SUMMARY, _summaries(table))]
    for title, rows in _sections(table):
        parts += [Heading((title,)), text_grid(_ROWS, map(_cells, rows))]
    apart = [row for row in table.rows if row.because]
    if apart:
        told = [(row.opcode, row.kind, row.mistake, row.because) for row in apart]
        grid = text_grid(("operator", "type", "mutant", "because"), told)
        parts += [Heading(("Equivalent mutants",)), grid]
    parts += [Heading(("All mutants",)), text_grid(_ROWS, map(_cells, table.non_equivalent))]
    parts.append(Paragraph(("LSB: largest difference of an output of the mutant.",)))
    facts = tuple(_facts(table))
    return Document(
        "suite prove", (Code(table.profile),), "", summary(table), facts, tuple(parts), table.version
    )


def _sections(table: MutationCoverage) -> list[tuple[str, tuple[MutantCoverage, ...]]]:
    near = tuple(row for row in table.survivors(1) if row.detected)
    found = [("Survivors", table.survivors()), ("Survivors under a tolerance of 1 LSB", near)]
    return [(title, rows) for title, rows in found if rows]


def values(table: MutationCoverage) -> dict[str, Any]:
    """Return the table as plain dicts and lists; schemas/kills.schema.json describes them."""
    found: dict[str, Any] = {"litecheck_kills": VERSION, **encode(table, MutationCoverage)}
    found["summary"] = {
        "mistakes": len(table.non_equivalent),
        "caught": len(table.non_equivalent) - len(table.survivors()),
        "caught_under_1_lsb": len(table.non_equivalent) - len(table.survivors(1)),
    }
    return found


def print_report(table: MutationCoverage, console: Console, verbose: bool = False) -> None:
    """Print a row for each operator, and the surviving mutants; ``verbose`` also prints every mutant."""
    from rich.text import Text

    from litecheck.rendering.text_page import Page

    page = Page(console, verbose)
    page.line(Text(summary(table), "bold"))
    page.facts(_facts(table))
    page.line()
    rows = _summaries(table)
    page.grid(_SUMMARY, rows, [""] * len(rows))
    sections = _sections(table)
    if verbose:
        sections.append(("All mutants", table.non_equivalent))
    for title, several in sections if verbose else sections[:1] if table.survivors() else ():
        page.line()
        page.section(title, "")
        shown = [(*cells[:3], shorten(cells[3], NAME), cells[4]) for cells in map(_cells, several)]
        page.grid(_ROWS, shown, [""] * len(shown))


def brief(table: MutationCoverage) -> str:
    """Return a line if a mutant survives."""
    return f"{table.profile}: {summary(table)}\n" if table.exit_code else ""

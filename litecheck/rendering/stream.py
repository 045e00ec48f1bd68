"""Report of a stream: the verdict on a simulator's answers, as plain values and text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from litecheck.rendering.escape import json_document
from litecheck.suite.stream.computations import VectorMutant
from litecheck.suite.stream.stream_report import FailedVector, StreamReport
from litecheck.summary_text import count_of
from litecheck.version import __version__

if TYPE_CHECKING:
    from rich.console import Console

#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 1
#: Explanations and values of a row that the text shows.
_SHOWN, _VALUES = 4, 12
_STYLES = {"exact": "bold green", "differs": "bold red"}


def values(report: StreamReport) -> dict[str, Any]:
    """Return the report as plain dicts and lists; schemas/stream.schema.json describes them."""
    return {
        "litecheck_stream": VERSION,
        "version": __version__,
        "stream": asdict(report.header),
        "verdict": report.verdict,
        "exit_code": report.exit_code,
        "vectors": report.header.count,
        "failed": report.failed,
        "first": _vector(report.first),
        "worst": _vector(report.worst),
        "explanations": [
            {**_flag(e.mutant), "explained": e.explained, "fits_all": e.all_} for e in report.explanations
        ],
        "unexplained": report.unexplained,
        "flags": [_flag(mutant) for mutant in report.mutants],
    }


def _flag(mutant: VectorMutant) -> dict[str, Any]:
    return {"name": mutant.name, "does": mutant.does, "same": mutant.same, "published": mutant.published}


def _vector(vector: FailedVector | None) -> dict[str, Any] | None:
    if vector is None:
        return None
    return {**asdict(vector), "fields": dict(vector.fields)}


def json_text(report: StreamReport) -> str:
    """Return the report as JSON."""
    return json_document(values(report))


def print_report(report: StreamReport, console: Console) -> None:
    """Print the verdict, the number of wrong answers, the first and the worst, and mutants that explain them."""
    from litecheck.rendering.text_page import Page

    page, header = Page(console, verbose=False), report.header
    page.title(f"stream {header.name}", report.verdict, _STYLES[report.verdict])
    page.print_labeled(
        "vectors", f"{header.count:,} of {header.kind}, level {header.level}, seed {header.seed}"
    )
    page.print_labeled(
        "against", f"{header.arithmetic}: {header.operator} {header.variants.replace(',', ', ')}"
    )
    page.print_labeled("detects", count_of(len(report.mutants), "defect"))
    for label, text in _failures(report):
        page.print_labeled(label, text)


def _failures(report: StreamReport) -> Iterator[tuple[str, str]]:
    if report.first is None or report.worst is None:
        return
    share = report.failed / report.header.count
    yield "failed", f"{count_of(report.failed, 'vector')}, {share:.2%}"
    yield "first", _vector_text(report.first)
    if report.worst.number != report.first.number:
        yield "worst", _vector_text(report.worst)
    whole = [e for e in report.explanations if e.all_]
    for one in whole:
        yield "explained", f"{_mutant_text(one.mutant)} gives every answer"
    if not whole:
        yield "explained", "no known defect gives every answer"
        for one in report.explanations[:_SHOWN]:
            yield "", f"{_mutant_text(one.mutant)} gives {_failing_text(one.explained)}"
    if report.unexplained:
        yield "unknown", f"no known defect gives {_failing_text(report.unexplained)}"


def _failing_text(number: int) -> str:
    return count_of(number, "failing answer")


def _mutant_text(mutant: VectorMutant) -> str:
    """Return ``wraps (the lowest bits are kept)``, with the arithmetics that compute like it and equivalent mutants."""
    known = f"; arithmetic of {', '.join(mutant.published)}" if mutant.published else ""
    same = f"; ambiguous: {', '.join(mutant.same)}" if mutant.same else ""
    return f"{mutant.name} ({mutant.does}{known}{same})"


def _vector_text(vector: FailedVector) -> str:
    """Return ``vector 17: 5 expected, 6 came (+1); acc 12, m 1073741824``."""
    right, came = (_row(v) for v in (vector.expected, vector.answer))
    fields = ", ".join(f"{name} {_cut(text)}" for name, text in vector.fields)
    return f"vector {vector.number:,}: expected {right}, got {came} ({vector.difference:+,}); {fields}"


def _row(numbers: tuple[int, ...]) -> str:
    return _cut(" ".join(map(str, numbers)))


def _cut(text: str) -> str:
    words = text.split()
    return text if len(words) <= _VALUES else f"{' '.join(words[:_VALUES])} ... ({len(words)} values)"

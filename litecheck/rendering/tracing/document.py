"""Document of a trace, which Markdown and HTML lay out."""

from __future__ import annotations

from dataclasses import replace

from litecheck.rendering.document import (
    Bold,
    Code,
    Collapsible,
    Document,
    FactRows,
    Heading,
    Line,
    Part,
    TableGrid,
)
from litecheck.rendering.escape import shorten
from litecheck.rendering.tracing import wording
from litecheck.summary_text import count_of
from litecheck.tracing.trace_result import Culprit, Trace

#: Largest number of culprits with all details.
_CULPRITS = 20
#: Largest number of characters of a name in the table.
_NAME = 60


def document(trace: Trace) -> Document:
    """Return the document: the answer, culprits, and the table of operators with culprits in bold."""
    parts: list[Part] = []
    if trace.fix is not None:
        words = wording.fix(trace).removeprefix(trace.fix.command)
        rows_of_fix: list[tuple[str, Line]] = [("fix", (Code(trace.fix.command), words))]
        rows_of_fix += [("gain", (text,))] if (text := wording.gains(trace)) else []
        parts.append(FactRows(tuple(rows_of_fix)))
    for one in trace.culprits[:_CULPRITS]:
        parts.append(Heading((f"{wording.where(one)} ", Code(one.name))))
        parts.append(
            FactRows(
                tuple(_culprit_row(one, label, text) for label, text in wording.culprit_lines(one, trace))
            )
        )
    if trace.operators:
        title = f" {count_of(len(trace.operators), 'operator')}"
        parts.append(Collapsible("Operators", (title,), (_operators(trace),), True))
    if trace.unmatched:
        lines: list[tuple[Line, ...]] = [
            ((f"{opcode} #{number}",), (why,)) for _, number, opcode, why in trace.unmatched
        ]
        parts.append(
            Collapsible("Operators without a partner", (), (TableGrid(("operator", "reason"), tuple(lines)),))
        )
    title_line: Line = (
        (Code(trace.file), " against ", Code(trace.reference)) if trace.reference else (Code(trace.file),)
    )
    verdict = "fails" if trace.exit_code else ""
    notes = tuple(("note", note) for note in trace.notes)
    return Document(
        "trace",
        title_line,
        verdict,
        wording.answer(trace),
        (*wording.facts(trace), *notes),
        tuple(parts),
        trace.version,
    )


def _culprit_row(one: Culprit, label: str, text: str) -> tuple[str, Line]:
    """Return a label with its line, where a command is code."""
    command = one.fix.command if one.fix is not None and label == "fix" else ""
    return label, (Code(command), text.removeprefix(command)) if command else (text,)


def _operators(trace: Trace) -> TableGrid:
    """Return the table of operators, without bars and empty columns, and with culprits in bold."""
    named = wording.culprit_places(trace)
    every = [wording.row(replace(one, name=shorten(one.name, _NAME)), True) for one in trace.operators]
    kept = [n for n, head in enumerate(wording.HEADS) if head != "SNR" and any(row[n] for row in every)]
    heads = tuple(">#" if wording.HEADS[n] == "#" else wording.HEADS[n] for n in kept)
    rows = tuple(
        tuple((Bold(row[n]) if (one.subgraph, one.operator) in named else row[n],) for n in kept)
        for one, row in zip(trace.operators, every, strict=True)
    )
    return TableGrid(heads, rows)

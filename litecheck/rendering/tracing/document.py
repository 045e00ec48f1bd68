"""Document of a trace, which Markdown and HTML lay out."""

from __future__ import annotations

from litecheck.rendering.document import Code, Collapsible, Document, FactRows, Heading, Line, Part, TableGrid
from litecheck.rendering.tracing import wording
from litecheck.summary_text import counted
from litecheck.tracing.trace_result import Trace

#: Culprits that are told in full.
_CULPRITS = 20


def document(trace: Trace) -> Document:
    """Return the document: the answer, culprits, and the table of operators folded."""
    parts: list[Part] = []
    if trace.fix is not None:
        words = wording.fix(trace).removeprefix(trace.fix.command)
        rows_of_fix: list[tuple[str, Line]] = [("fix", (Code(trace.fix.command), words))]
        rows_of_fix += [("gain", (text,))] if (text := wording.gains(trace)) else []
        parts.append(FactRows(tuple(rows_of_fix)))
    for one in trace.culprits[:_CULPRITS]:
        parts.append(Heading((f"{wording.where(one)} ", Code(one.name))))
        parts.append(FactRows(tuple((label, (text,)) for label, text in wording.culprit_lines(one))))
    heads = tuple(head for head in wording.HEADS if head != "SNR")
    place = wording.HEADS.index("SNR")
    rows: list[tuple[Line, ...]] = []
    for operator in trace.operators:
        cells = wording.row(operator, True)
        rows.append(tuple((cell,) for n, cell in enumerate(cells) if n != place))
    title = counted(len(rows), "operator")
    parts.append(
        Collapsible("Operators", (f" {title}",), (TableGrid(heads, tuple(rows)),), not trace.culprits)
    )
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

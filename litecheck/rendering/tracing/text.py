"""Text report of a trace: the answer first, then the fix, then a table of operators."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from litecheck.rendering.escape import shorten, visible
from litecheck.rendering.operator_names import operator_name
from litecheck.rendering.text_page import DIM, LABEL, Page
from litecheck.rendering.tracing import wording
from litecheck.summary_text import count_of
from litecheck.tracing.trace_result import Trace

#: Largest number of rows and culprits of a short report.
_ROWS, _CULPRITS = 40, 5
#: Columns that a narrow terminal omits, in this order.
_SPARE = ("SNR", "possible", "bits", "saturated", "name", "alone")


def print_report(trace: Trace, console: Console, verbose: bool = False) -> None:
    """Print the report."""
    page = Page(console, verbose)
    page.line(Text(visible(wording.answer(trace)), "bold red" if trace.exit_code else "bold green"))
    page.print_labeled("fix", visible(wording.fix(trace)))
    page.print_labeled("gain", wording.gains(trace) if trace.has_loss else "")
    for failure in trace.failures[bool(wording.below_limit(trace)) :]:
        page.print_labeled("fails", failure)
    page.line()
    for label, text in wording.facts(trace):
        page.print_labeled(label, page.phrase(text))
    for one in trace.culprits if verbose else trace.culprits[:_CULPRITS]:
        page.line()
        page.section(wording.where(one), shorten(one.name))
        for label, text in wording.culprit_lines(one, trace):
            page.print_labeled(label, visible(text))
    hidden = 0 if verbose else len(trace.culprits) - _CULPRITS
    if hidden > 0:
        page.line(Text(f"\nand {count_of(hidden, 'culprit')} more (--verbose)", DIM), "", 2)
    rows, left = wording.select_rows(trace, len(trace.operators) if verbose else _ROWS)
    if rows:
        page.line()
        named = wording.culprit_places(trace)
        cells = [tuple(shorten(cell, 40) for cell in wording.row(one, page.plain)) for one in rows]
        styles = ["bold red" if (one.subgraph, one.operator) in named else "" for one in rows]
        filled = [n for n in range(len(wording.HEADS)) if any(row[n] for row in cells)]
        heads = [wording.HEADS[n] for n in filled]
        page.grid(heads, [[row[n] for n in filled] for row in cells], styles, spare=_SPARE)
        if left:
            page.line(Text(f"and {count_of(left, 'operator')} more (--verbose)", DIM), "", 2)
    for note in trace.notes:
        page.print_labeled("note", page.phrase(note))
    for subgraph, number, opcode, reason in trace.unmatched if verbose else ():
        place = operator_name(subgraph, number, opcode)
        page.line(page.phrase(f"{place}: {reason}"), Text("  unmatched", DIM), 2 + LABEL + 2)


def brief(trace: Trace) -> str:
    """Return one line for each culprit and each exceeded limit."""
    lines = [
        f"{trace.file}: {wording.where(one)}: {wording.CAUSES[one.cause][0]}: {one.detail}"
        for one in trace.culprits
    ]
    lines += [f"{trace.file}: {failure}" for failure in trace.failures]
    return "".join(f"{visible(line)}\n" for line in lines)

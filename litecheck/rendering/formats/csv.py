"""CSV for spreadsheets: a line per operator, type and granularity, a column per ending of a case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from litecheck.rendering.escape import visible
from litecheck.rendering.report_view import Format, ReportView

if TYPE_CHECKING:
    from litecheck.rendering.wording.operator_lines import OperatorLine

#: Characters with which a formula begins in spreadsheets.
_ACTING = ("=", "+", "-", "@")


def render(sheet: ReportView) -> str:
    """Return the table; numbers have no separators, so that spreadsheets can sum them."""
    import csv
    import io

    lines = sheet.operators()
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    ends = [ending.value for ending in lines[0].ends] if lines else []
    several = any(line.model for line in lines)
    heads = [*("device", "operator", "type", "weights", "verdict", "cases"), *ends, *_LAST]
    writer.writerow(["model", *heads] if several else heads)
    writer.writerows([_text(line.model), *_cells(line)] if several else [*_cells(line)] for line in lines)
    return file.getvalue()


_LAST = ("tolerance", "worst", "unit", "arithmetic", "placement")


def _cells(line: OperatorLine) -> Iterator[str]:
    yield from map(_text, (line.device, line.opcode, line.kind, line.granularity, line.verdict))
    yield from map(str, (line.cases, *line.ends.values()))
    yield from (f"{value:g}" for value in (line.tolerance, line.worst))
    yield from map(_text, (line.unit, line.arithmetic, line.placement))


def _text(text: str) -> str:
    """Return a cell in visible characters; an apostrophe prevents its evaluation as a formula."""
    shown = visible(text)
    return f"'{shown}" if shown.startswith(_ACTING) else shown


FORMAT = Format("csv", "CSV, for spreadsheets: a line for each kind of operator", ("verify", "suite"), render)

"""Graph strip of a validated model: operators as cells and as rows; large models have coarse cells and few rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from litecheck.finding import Finding
from litecheck.rendering.escape import shorten
from litecheck.rendering.validation.targets import places_of
from litecheck.report import ModelReport, OperatorReport
from litecheck.summary_text import Status

#: Largest number of cells in the strip of a subgraph.
_CELLS = 500
#: Largest number of rows of operators; operators that conform without a finding are omitted first.
_ROWS = 1000
#: Statuses by severity: a cell of several operators has the most severe.
_GRAVITY: tuple[Status, ...] = (
    "violates",
    "not covered",
    "waived",
    "structure checked only",
    "conforms",
    "not applicable",
)


def cells(model: ModelReport) -> list[tuple[int, int, int, str, str, str]]:
    """Return a tuple for each cell: subgraph, first and last operator, status, text, and name of the first such
    operator."""
    made = []
    every = sorted(model.operators, key=lambda op: (op.subgraph, op.index))
    for _, group in groupby(every, lambda op: op.subgraph):
        operators = list(group)
        size = -(-len(operators) // _CELLS)
        made += [_cell(operators[at : at + size]) for at in range(0, len(operators), size)]
    return made


def _cell(operators: Sequence[OperatorReport]) -> tuple[int, int, int, str, str, str]:
    first, last = operators[0], operators[-1]
    worst = min(operators, key=lambda op: _GRAVITY.index(op.status))
    alike = sum(op.status == worst.status for op in operators)
    label = f"#{first.index} {shorten(first.opcode)}: {first.status}"
    if len(operators) > 1:
        label = f"#{first.index} to #{last.index}: {alike} of {len(operators)} {worst.status}"
    told = worst.name if len(operators) == 1 else f"#{worst.index} {worst.opcode} {worst.name}"
    return first.subgraph, first.index, last.index, worst.status, label, shorten(told)


def rows(
    model: ModelReport, findings: Sequence[Finding], told: Callable[[Finding], tuple[str, str, str]]
) -> dict[str, Any]:
    """Return the operators with their findings, in order; ``left`` counts conforming operators without a row."""
    found: dict[tuple[int, int], list[Finding]] = defaultdict(list)
    for finding in findings:
        found[finding.where.subgraph, finding.where.operator].append(finding)

    def dull(op: OperatorReport) -> tuple[bool, bool]:
        return (op.subgraph, op.index) not in found, op.status in ("conforms", "not applicable")

    places = places_of(model)
    kept = sorted(sorted(model.operators, key=dull)[:_ROWS], key=lambda op: (op.subgraph, op.index))
    return {
        "operators": [
            {
                "subgraph": op.subgraph,
                "number": op.index,
                "opcode": shorten(op.opcode),
                "name": shorten(op.name),
                "status": op.status,
                "reason": shorten(op.reason),
                "place": places.get((op.subgraph, op.index), ""),
                "findings": list(map(told, found[op.subgraph, op.index])),
            }
            for op in kept
        ],
        "left": len(model.operators) - len(kept),
    }

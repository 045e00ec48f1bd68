"""Table of operators by type and weight granularity, common to the reports of suites and verifications."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from litecheck.devices.outcome import Outcome
from litecheck.rendering import document as layout
from litecheck.rendering.escape import shorten, visible
from litecheck.rendering.wording.outcomes import size_words
from litecheck.suite.case_outcome import CaseOutcome

#: The heads of :func:`operator_cells`.
OPERATOR_HEADS = (
    *("operator", "type", "weights", "verdict", ">cases", "ended", ">tolerance", ">worst"),
    *("arithmetic", "placement"),
)


def kind_name(opcode: str, kind: str, granularity: str) -> str:
    """Return the name of a kind of operator, for example ``CONV_2D int8 per-axis``."""
    return " ".join(filter(None, (visible(opcode), kind, granularity)))


@dataclass(frozen=True, slots=True)
class OperatorLine:
    """The cases of an operator on a type with weights of a granularity, on a device.

    ``ends`` counts the cases by ending; ``worst`` is the largest difference in ``unit``. ``arithmetic`` describes the
    device's arithmetic, ``placement`` the delegation to the device. ``positions`` are those of its cases in the
    report, ``model`` is the model's name if the report has several.
    """

    device: str
    opcode: str
    kind: str
    granularity: str
    verdict: str
    ends: Mapping[Outcome, int] | Mapping[CaseOutcome, int]
    tolerance: float
    worst: float
    unit: str
    arithmetic: str
    placement: str
    positions: tuple[int, ...]
    model: str = ""

    @property
    def cases(self) -> int:
        """Number of cases."""
        return sum(self.ends.values())

    @property
    def occurring(self) -> dict[Outcome | CaseOutcome, int]:
        """Endings with at least one case."""
        return {ending: number for ending, number in self.ends.items() if number}

    @property
    def title(self) -> str:
        """Title, for example ``CONV_2D int8 per-axis``."""
        return kind_name(self.opcode, self.kind, self.granularity)


def extent(value: float, unit: str) -> str:
    """Return a difference in short form: ``3 LSB``, ``1.2e-06 rel.``; "" for 0."""
    if not value:
        return ""
    if not isfinite(value):
        return "not finite"
    return size_words(value, unit) if unit == "LSB" else f"{abs(value):.3g} rel."


def operator_cells(line: OperatorLine) -> tuple[str, ...]:
    """Return a row of the table as texts."""
    return (
        shorten(line.opcode),
        line.kind,
        line.granularity,
        line.verdict,
        f"{line.cases:,}",
        ", ".join(f"{number:,} {ending.text}" for ending, number in line.occurring.items()),
        extent(line.tolerance, line.unit),
        extent(line.worst, line.unit),
        visible(line.arithmetic),
        line.placement,
    )


def operator_grid(lines: tuple[OperatorLine, ...], most: int) -> layout.TableGrid:
    """Return the table for documents, without empty columns."""
    rows = [operator_cells(line) for line in lines[:most]]
    used = [n for n in range(len(OPERATOR_HEADS)) if not rows or any(row[n] for row in rows)]

    def cell(row: tuple[str, ...], n: int) -> layout.Line:
        if OPERATOR_HEADS[n] == "operator":
            return (layout.Code(row[n]),)
        return (layout.StatusIcon(row[n]), row[n]) if OPERATOR_HEADS[n] == "verdict" else (row[n],)

    grid = tuple(tuple(cell(row, n) for n in used) for row in rows)
    return layout.TableGrid(tuple(OPERATOR_HEADS[n] for n in used), grid)


def operator_words(line: OperatorLine) -> dict[str, Any]:
    """Return the values of a row for HTML pages."""
    return {
        "opcode": shorten(line.opcode),
        "kind": line.kind,
        "weights": line.granularity,
        "verdict": line.verdict,
        "sign": layout.SIGNS[line.verdict][1],
        "ends": {ending.value: number for ending, number in line.occurring.items()},
        "tolerance": line.tolerance,
        "allowed": extent(line.tolerance, line.unit),
        "size": abs(line.worst) if isfinite(line.worst) else "inf",
        "worst": extent(line.worst, line.unit),
        "arithmetic": visible(line.arithmetic),
        "placement": line.placement,
        "positions": list(line.positions),
    }

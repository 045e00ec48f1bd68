"""The table of operators by type and granularity of their weights, which the reports of a suite and of a model share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from litecheck.rendering import document as layout
from litecheck.rendering.escape import shorten, visible
from litecheck.rendering.wording.outcomes import size_words

#: The heads of :func:`operator_cells`.
OPERATOR_HEADS = (
    *("operator", "type", "weights", "verdict", ">cases", "ended", ">tolerance", ">worst"),
    *("arithmetic", "placement"),
)


@dataclass(frozen=True, slots=True)
class OperatorLine:
    """An operator on one type with weights of one granularity, and how its cases ended on a device.

    ``ends`` holds every way a case can end, with how many did; ``worst`` is the largest difference in ``unit``.
    ``arithmetic`` says in words what the device computes, ``placement`` whether the device is known to have computed
    it. ``positions`` are those of its cases in the report, ``model`` the model's name where the report has several.
    """

    device: str
    opcode: str
    kind: str
    granularity: str
    verdict: str
    ends: Mapping[str, int]
    tolerance: float
    worst: float
    unit: str
    arithmetic: str
    placement: str
    positions: tuple[int, ...]
    model: str = ""

    @property
    def cases(self) -> int:
        """How many there are."""
        return sum(self.ends.values())

    @property
    def occurring(self) -> dict[str, int]:
        """The endings that occur."""
        return {name: number for name, number in self.ends.items() if number}

    @property
    def title(self) -> str:
        """``CONV_2D int8 per-axis``."""
        return " ".join(filter(None, (visible(self.opcode), self.kind, self.granularity)))


def extent(value: float, unit: str) -> str:
    """How far off, in few signs: ``3 LSB``, ``1.2e-06 rel.``; nothing for nothing."""
    if not value:
        return ""
    if not isfinite(value):
        return "not finite"
    return size_words(value, unit) if unit == "LSB" else f"{abs(value):.3g} rel."


def operator_cells(line: OperatorLine) -> tuple[str, ...]:
    """A row of the table as texts."""
    return (
        shorten(line.opcode),
        line.kind,
        line.granularity,
        line.verdict,
        f"{line.cases:,}",
        ", ".join(f"{number:,} {name}" for name, number in line.occurring.items()),
        extent(line.tolerance, line.unit),
        extent(line.worst, line.unit),
        visible(line.arithmetic),
        line.placement,
    )


def operator_grid(lines: tuple[OperatorLine, ...], most: int) -> layout.TableGrid:
    """The table for documents, without the columns in which nothing stands."""
    rows = [operator_cells(line) for line in lines[:most]]
    used = [n for n in range(len(OPERATOR_HEADS)) if not rows or any(row[n] for row in rows)]

    def cell(row: tuple[str, ...], n: int) -> layout.Line:
        if OPERATOR_HEADS[n] == "operator":
            return (layout.Code(row[n]),)
        return (layout.Sign(row[n]), row[n]) if OPERATOR_HEADS[n] == "verdict" else (row[n],)

    grid = tuple(tuple(cell(row, n) for n in used) for row in rows)
    return layout.TableGrid(tuple(OPERATOR_HEADS[n] for n in used), grid)


def operator_words(line: OperatorLine) -> dict[str, Any]:
    """What pages are given of a row."""
    return {
        "opcode": shorten(line.opcode),
        "kind": line.kind,
        "weights": line.granularity,
        "verdict": line.verdict,
        "sign": layout.SIGNS[line.verdict][1],
        "ends": line.occurring,
        "tolerance": line.tolerance,
        "allowed": extent(line.tolerance, line.unit),
        "size": abs(line.worst) if isfinite(line.worst) else "inf",
        "worst": extent(line.worst, line.unit),
        "arithmetic": visible(line.arithmetic),
        "placement": line.placement,
        "positions": list(line.positions),
    }

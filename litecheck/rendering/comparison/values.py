"""A comparison as plain values; schemas/comparison.schema.json describes them."""

from __future__ import annotations

from math import isfinite
from typing import Any

from litecheck.quantizer.comparison import Attribution, Element
from litecheck.rendering.escape import visible
from litecheck.rendering.records import ComparedTensors
from litecheck.rendering.wording.differences import decimal, verdict

#: Raised when a key changes its meaning or goes away.
VERSION = 1


def values(compared: ComparedTensors) -> dict[str, Any]:
    """The comparison as plain dicts and lists."""
    from litecheck.version import __version__

    comparison = compared.comparison
    return {
        "litecheck_comparison": VERSION,
        "version": __version__,
        "expected": visible(compared.expected),
        "actual": visible(compared.actual),
        "verdict": verdict(comparison),
        "exit_code": comparison.exit_code,
        "dtype": comparison.dtype,
        "shape": comparison.shape,
        "elements": comparison.size,
        "semantics": comparison.semantics,
        "unit": comparison.unit,
        "tolerance": comparison.tolerance,
        "mismatches": comparison.mismatches,
        "share": comparison.share,
        "beyond": comparison.beyond,
        "largest": comparison.largest,
        "farthest": _number(comparison.farthest),
        "histogram": [{"low": b.low, "high": b.high, "count": b.count} for b in comparison.histogram],
        "first": _element(comparison.first),
        "worst": _element(comparison.worst),
        "causes": [_cause(cause) for cause in comparison.causes],
    }


def _cause(cause: Attribution) -> dict[str, Any]:
    return {
        "name": cause.name,
        "sentence": cause.sentence,
        "exact": cause.exact,
        "explained": cause.explained,
        "broken": cause.broken,
    }


def _element(element: Element | None) -> dict[str, Any] | None:
    if element is None:
        return None
    return {
        "index": element.index,
        "expected": _number(element.expected),
        "actual": _number(element.actual),
        "difference": element.difference,
        "real": _number(element.real),
        "scale": _number(element.scale),
        "zero_point": None if element.scale is None else element.zero_point,
        "quotient": None if element.quotient is None else str(element.quotient),
        "quotient_decimal": None if element.quotient is None else decimal(element.quotient),
        "quotient_float32": None if element.quotient32 is None else float(element.quotient32),
        "neighbours": element.neighbours,
    }


def _number(value: float | None) -> float | str | None:
    """JSON has no number for infinities and NaN."""
    return value if value is None or isfinite(value) else str(value)

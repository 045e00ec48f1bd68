"""A comparison for people and for programs (schemas/comparison.schema.json)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from math import floor, isfinite, trunc
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from litecheck.quantizer.attribution.failure import Cause
from litecheck.quantizer.comparison import Comparison, Element
from litecheck.quantizer.onnx_types import RANGES
from litecheck.render.escape import visible
from litecheck.render.histogram import bars, percent
from litecheck.report import counted

#: Raised when a key changes its meaning or goes away.
VERSION = 1
_STYLES = {"exact": "bold green", "within tolerance": "bold green", "differs": "bold red"}
_LABEL = 11


def verdict(comparison: Comparison) -> str:
    """exact, within tolerance, differs, or not judged."""
    if not comparison.size:
        return "not judged"
    if comparison.exact:
        return "exact"
    return "within tolerance" if comparison.within else "differs"


def print_comparison(comparison: Comparison, expected: str, actual: str, console: Console) -> None:
    """The verdict, a histogram, the first and the worst element explained, and the causes."""
    word = verdict(comparison)
    title = f"{visible(actual)} against {visible(expected)}"
    console.print(
        Text.assemble((title, "bold"), ": ", (word, _STYLES.get(word, "bold magenta"))), soft_wrap=True
    )
    for label, text in _lines(comparison, console.options.ascii_only):
        body = Text(text).wrap(console, max(20, min(console.width, 120) - _LABEL), overflow="fold")
        margin = Text(label, "dim")
        for part in body or [Text()]:
            row = Text.assemble(margin, " " * (_LABEL - margin.cell_len), part)
            row.rstrip()
            console.print(row, soft_wrap=True)
            margin = Text()


def _lines(comparison: Comparison, plain: bool) -> Iterator[tuple[str, str]]:
    yield "tensor", _tensor(comparison)
    if comparison.exact or not comparison.size:
        return
    yield "differ", _extent(comparison)
    yield from (
        ("histogram" if not n else "", row) for n, row in enumerate(bars(comparison.histogram, plain))
    )
    if comparison.first and comparison.first != comparison.worst:
        yield "first", explained(comparison.first, comparison.dtype)
    if comparison.worst:
        yield "worst", explained(comparison.worst, comparison.dtype)
    for cause in comparison.causes:
        yield "cause", _told(cause, comparison)
    if not comparison.causes and comparison.farthest is None:
        yield "cause", _unknown(comparison)


def _tensor(comparison: Comparison) -> str:
    shape = "x".join(map(str, comparison.shape)) or "scalar"
    by = f", expected values quantized by {comparison.semantics}" if comparison.semantics else ""
    return f"{comparison.dtype} {shape}, {counted(comparison.size, 'element')}{by}"


def _extent(comparison: Comparison) -> str:
    share = f"{comparison.mismatches:,} ({percent(comparison.mismatches, comparison.size)})"
    steps = "ULP" if comparison.farthest is not None else "LSB"
    extent = f"{share}, by at most {abs(comparison.largest):,} {steps}{_far(comparison)}"
    if not comparison.tolerance:
        return extent
    allowed = {"LSB": "{:,}", "ULP": "{:,} ULP", "share": "{:g} of it"}[comparison.unit]
    beyond = f"{comparison.beyond:,} by more than the tolerance of {allowed.format(comparison.tolerance)}"
    return f"{extent}; {beyond}"


def _far(comparison: Comparison) -> str:
    if comparison.farthest is None:
        return ""
    if not isfinite(comparison.farthest):
        return ", somewhere a number against none"
    return f", {comparison.farthest:.3g} of the largest value"


def explained(element: Element, dtype: str) -> str:
    """One element in words: where, its exact quotient, what the roundings make of it, what the device gives."""
    place = f"[{', '.join(map(str, element.index))}]"
    if element.ulps is not None:
        ours, theirs = _real(element.expected, dtype), _real(element.actual, dtype)
        return f"{place}: expected {ours}, the device gives {theirs}, {element.ulps:+,} ULP"
    gives = f"expected {element.expected:,}, the device gives {element.actual:,}"
    if element.quotient is None:
        real = "" if element.real is None else f"real value {element.real:.9g}, "
        return f"{place}: {real}{gives}"
    zero = f" plus zero point {element.zero_point}" if element.zero_point else ""
    quotient, width = element.quotient, ""
    if element.quotient32 is not None and element.quotient32.denominator == 2 != quotient.denominator:
        # The tie is one of the computation, not of the value.
        quotient, width = element.quotient32, f", in float32 {decimal(element.quotient32)}"
    start = f"{place}: real value {element.real:.9g}, exact quotient {decimal(element.quotient)}{width}{zero}"
    return f"{start}; {_roundings(quotient, element.zero_point, dtype)}; {gives}"


def _real(value: float, dtype: str) -> str:
    """The shortest text that gives back the same value of the type."""
    return f"{value:.4g}" if dtype == "bfloat16" else str(np.dtype(dtype).type(value))


def _roundings(quotient: Fraction, zero_point: int, dtype: str) -> str:
    low, high = RANGES[dtype]
    end = max(low, min(high, round(quotient) + zero_point))
    if end != round(quotient) + zero_point:
        return f"beyond {dtype}, saturates at {end}"
    if quotient.denominator == 1:
        return f"a whole number, {int(quotient) + zero_point}"
    below, above = floor(quotient) + zero_point, floor(quotient) + 1 + zero_point
    if quotient.denominator != 2:
        return f"nearest is {round(quotient) + zero_point}, between {below} and {above}"
    away = trunc(quotient) + (1 if quotient > 0 else -1) + zero_point
    return f"half away gives {min(high, away)}, half even {round(quotient) + zero_point}"


def decimal(value: Fraction) -> str:
    """Four decimals, and as many more as it takes not to look like a tie or a whole number that it is not."""
    if abs(value) >= 10**9 or 0 < abs(value) < Fraction(1, 10**4):
        return f"{float(value):.6g}"
    for digits in range(4, 60):
        shown = Fraction(round(value * 10**digits), 10**digits)
        if shown == value or (shown * 2).denominator != 1:
            break
    whole, rest = divmod(abs(round(shown * 10**digits)), 10**digits)
    return f"{'-' if value < 0 else ''}{whole}.{rest:0{digits}}"


def _told(cause: Cause, comparison: Comparison) -> str:
    if cause.exact:
        return f"{cause.name}: {cause.sentence} This reproduces all {counted(comparison.size, 'element')}."
    if cause.explained == comparison.mismatches and not cause.broken:
        return f"{cause.name}: {cause.sentence}"
    extent = f"explains {cause.explained:,} of {counted(comparison.mismatches, 'difference')}"
    also = f", and would make {cause.broken:,} others differ" if cause.broken else ""
    return f"{cause.name}, not wholly: {cause.sentence} It {extent}{also}."


def _unknown(comparison: Comparison) -> str:
    if comparison.semantics:
        return "none of the deviations tried explains the differences"
    return "cannot be told from the integers; with real values as EXPECTED, more causes can be tried"


def json_text(comparison: Comparison, expected: str, actual: str) -> str:
    """The comparison as one JSON document."""
    return json.dumps(document(comparison, expected, actual), indent=2) + "\n"


def document(comparison: Comparison, expected: str, actual: str) -> dict[str, Any]:
    """The comparison as plain dicts and lists."""
    from litecheck.version import __version__

    return {
        "litecheck_comparison": VERSION,
        "version": __version__,
        "expected": visible(expected),
        "actual": visible(actual),
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


def _cause(cause: Cause) -> dict[str, Any]:
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

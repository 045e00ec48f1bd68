"""Sentences on a comparison of two tensors: differences, an explained element, and causes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby
from math import floor, isfinite, trunc

import numpy as np

from litecheck.quantizer.comparison_result import Comparison, Element, IntegerCause
from litecheck.quantizer.onnx_types import RANGES
from litecheck.rendering.columns import bars, percent
from litecheck.rendering.rows import Detail
from litecheck.summary_text import count_of


def verdict(comparison: Comparison) -> str:
    """Return exact, within tolerance, differs, or not checked."""
    if not comparison.size:
        return "not checked"
    if comparison.exact:
        return "exact"
    return "within tolerance" if comparison.within else "differs"


def lines(comparison: Comparison, plain: bool) -> Iterator[tuple[str, str]]:
    """Yield labels with their lines; ``plain`` keeps the histogram to ASCII."""
    yield "tensor", _tensor(comparison)
    if comparison.exact or not comparison.size:
        return
    yield "differ", _extent(comparison)
    yield from (
        ("histogram" if not n else "", row) for n, row in enumerate(bars(comparison.histogram, plain))
    )
    if comparison.first and comparison.first != comparison.worst:
        yield "first", explain_element(comparison.first, comparison.dtype)
    if comparison.worst:
        yield "worst", explain_element(comparison.worst, comparison.dtype)
    for cause in comparison.causes:
        yield "cause", _cause_text(cause, comparison)
    if not comparison.causes and comparison.farthest is None:
        yield "cause", _unknown(comparison)


def _tensor(comparison: Comparison) -> str:
    shape = "x".join(map(str, comparison.shape)) or "scalar"
    by = f", expected values quantized by {comparison.semantics}" if comparison.semantics else ""
    return f"{comparison.dtype} {shape}, {count_of(comparison.size, 'element')}{by}"


def _extent(comparison: Comparison) -> str:
    share = f"{comparison.mismatches:,} ({percent(comparison.mismatches, comparison.size)})"
    steps = "ULP" if comparison.farthest is not None else "LSB"
    extent = f"{share}, by at most {abs(comparison.largest):,} {steps}{_farthest_text(comparison)}"
    if not comparison.tolerance:
        return extent
    allowed = {"LSB": "{:,}", "ULP": "{:,} ULP", "share": "{:g} of it"}[comparison.unit]
    beyond = f"{comparison.beyond:,} by more than the tolerance of {allowed.format(comparison.tolerance)}"
    return f"{extent}; {beyond}"


def _farthest_text(comparison: Comparison) -> str:
    if comparison.farthest is None:
        return ""
    if not isfinite(comparison.farthest):
        return ", somewhere a number against none"
    return f", {comparison.farthest:.3g} of the largest value"


def explain_element(element: Element, dtype: str) -> str:
    """Describe an element: location, exact quotient, value under each rounding, value of the device."""
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
        # The tie is a property of the computation, not of the value.
        quotient, width = element.quotient32, f", in float32 {decimal(element.quotient32)}"
    start = f"{place}: real value {element.real:.9g}, exact quotient {decimal(element.quotient)}{width}{zero}"
    return f"{start}; {_roundings(quotient, element.zero_point, dtype)}; {gives}"


def _real(value: float, dtype: str) -> str:
    """Return the shortest text that restores the same value of the type."""
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
    """Format a value with four decimals, or as many as distinguish it from a tie or a whole number.

    For example, 13/2 gives ``6.5000`` and 2 + 1e-7 gives ``2.0000001``.
    """
    if abs(value) >= 10**9 or 0 < abs(value) < Fraction(1, 10**4):
        return f"{float(value):.6g}"
    for digits in range(4, 60):
        shown = Fraction(round(value * 10**digits), 10**digits)
        if shown == value or (shown * 2).denominator != 1:
            break
    whole, rest = divmod(abs(round(shown * 10**digits)), 10**digits)
    return f"{'-' if value < 0 else ''}{whole}.{rest:0{digits}}"


def _cause_text(cause: IntegerCause, comparison: Comparison) -> str:
    if cause.exact:
        return f"{cause.name}: {cause.sentence} This reproduces all {count_of(comparison.size, 'element')}."
    if cause.explained == comparison.mismatches and not cause.broken:
        return f"{cause.name}: {cause.sentence}"
    extent = f"explains {cause.explained:,} of {count_of(comparison.mismatches, 'difference')}"
    also = f", and would make {cause.broken:,} others differ" if cause.broken else ""
    return f"{cause.name}, not wholly: {cause.sentence} It {extent}{also}."


def _unknown(comparison: Comparison) -> str:
    if comparison.semantics:
        return "none of the deviations tried explains the differences"
    return "cannot be told from the integers; with real values as EXPECTED, more causes can be tried"


def group_by_label(comparison: Comparison) -> Iterator[Detail]:
    """Yield the lines of each label together."""
    for label, group in groupby(_inherit_labels(comparison), lambda pair: pair[0]):
        yield label, tuple(text for _, text in group)


def _inherit_labels(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield the lines with labels; a line without a label has the label of the line before."""
    last = ""
    for label, text in lines(comparison, plain=False):
        last = label or last
        yield last, text

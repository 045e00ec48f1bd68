"""Sentences on properties that all failing operators have and no passing operator has."""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.summary_text import count_of
from litecheck.verification.result import FailureCorrelation

#: Largest number of listed values of operators that pass.
_LISTED = 4


def separation_sentence(s: FailureCorrelation) -> str:
    """Return ``all 3 that fail have input zero point below -127 (-128), none of the 4 operators that pass has: at
    least -127``."""
    if s.property == "operator":
        return f"all {s.fails:,} that fail are {s.failing[0]}, none of the {s.passes:,} that pass is"
    having, others = _values(s)
    told = (
        f"all {s.fails:,} that fail have {s.property} {having}, none of the {count_of(s.passes, 'operator')}"
    )
    return f"{told} that pass has: {others}" + (
        " (of so few operators this may be chance)" if s.chance else ""
    )


def _values(s: FailureCorrelation) -> tuple[str, str]:
    """Return the values of all failing operators, and the values of the passing operators."""
    if s.relation == "above":
        return f"above {_value_text(s.bound)} ({_span(s.failing)})", f"at most {_value_text(s.passing[-1])}"
    if s.relation == "below":
        return f"below {_value_text(s.bound)} ({_span(s.failing)})", f"at least {_value_text(s.bound)}"
    if s.relation == "is":
        return _value_text(s.failing[0]), _list(s.passing)
    return f"that {_value_text(s.bound)} does not divide", f"all multiples of {_value_text(s.bound)}"


def _list(values: Sequence[float | str]) -> str:
    shown = sorted(map(_value_text, values))
    more = f" and {len(shown) - _LISTED} others" if len(shown) > _LISTED else ""
    return ", ".join(shown[:_LISTED]) + more


def _span(values: Sequence[float | str]) -> str:
    low, high = _value_text(values[0]), _value_text(values[-1])
    return low if low == high else f"{low} to {high}"


def _value_text(value: float | str) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if value == int(value) else f"{value:.6g}"

"""Check ``limits``: a named measurement of the operator lies in the required range."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor

from litecheck.checks.bound_operator import NONE, BoundOperator, Check, Fault
from litecheck.checks.limit_kinds import KINDS
from litecheck.profile.load import STRUCTURES
from litecheck.profile.measurements.estimates import CEILINGS, ESTIMATES
from litecheck.profile.measurements.measured_operator import Measured
from litecheck.profile.measurements.parameters import UNSET
from litecheck.profile.measurements.register import Measurement
from litecheck.profile.measurements.registry import measurement, setter_of
from litecheck.profile.types import Constraint, Exactly, MultipleOf, OneOf, OperatorRule, Range, Requirement

#: Distance from the ends of a range beyond which a float comparison is exact: far above a float's relative error.
_MARGIN = 2.0**-40


def checker(rule: OperatorRule, requirement: Requirement, value: Constraint) -> Check:
    """Return the check of a measurement; a measurement that does not apply (None) always passes."""
    name = requirement.path.rsplit("/", 1)[1]
    measured_by, called, fits = measurement(name), name.replace("_", " "), satisfies(value)

    estimate = ESTIMATES.get(name) if isinstance(value, Range) else None
    if isinstance(value, Range) and value.low <= 0:
        estimate = estimate or CEILINGS.get(name)
    least, most = _inner_interval(value) if isinstance(value, Range) else (0.0, 0.0)

    declared = setter_of(name).beside_faults
    beside_faults = is_structural(requirement) if declared is None else declared
    find_kind = KINDS.get(name)

    def check(bound: BoundOperator) -> Sequence[Fault]:
        if bound.any_fault and not beside_faults:
            return NONE
        if estimate is not None:
            near = bound.estimate(estimate)
            if near is not None and least < near < most:
                return NONE
        measured = measured_by(bound.measurable())
        if measured is None or fits(measured):
            return NONE
        whole = not isinstance(measured, Fraction) or measured.denominator == 1
        return (
            Fault(
                f"{called} is {measured if whole else f'{float(measured):.6g}'}",
                kind=find_kind(bound) if find_kind else _fault_kind(measured, value),
            ),
        )

    return check


def _fault_kind(measured: Fraction | int | str, value: Constraint) -> str:
    """Return the kind of a fault: a number above a range or outside an enum, or the default of an absent option."""
    if not isinstance(measured, str):
        return "above" if isinstance(value, Range) and measured > value.high else ""
    return "unknown" if measured.lstrip("-").isdigit() else "unset" if measured.endswith(UNSET) else ""


def is_structural(requirement: Requirement) -> bool:
    """Return True for a limit on shapes, options and indices, which holds for every type."""
    return requirement.verb == "limits" and requirement.demand.profile in STRUCTURES


def fast_path(requirement: Requirement) -> tuple[Measurement, Fraction | int | str] | None:
    """Return the measurement and its single required value, or None; most limits require a single exact value."""
    if requirement.verb != "limits" or not isinstance(requirement.value, Exactly):
        return None
    return measurement(requirement.path.rsplit("/", 1)[1]), _as_integer(requirement.value)


def satisfies(value: Constraint) -> Callable[[Measured], bool]:
    """Return a predicate: True if a measured number or word satisfies the constraint.

    For example, 4 satisfies 1..4, and 9/2 does not.
    """
    if isinstance(value, OneOf):
        parts = tuple(map(satisfies, value.values))
        return lambda measured: any(part(measured) for part in parts)
    if isinstance(value, Range):
        return _range_predicate(value)
    if isinstance(value, MultipleOf):
        n = value.n
        return lambda measured: (
            isinstance(measured, int | Fraction) and (Fraction(measured) / n).denominator == 1
        )
    if not isinstance(value, Exactly):
        return lambda measured: False
    wanted = _as_integer(value)
    return lambda measured: measured == wanted


def _as_integer(value: Exactly) -> Fraction | int | str:
    """Return a number as an integer if it is whole: a comparison with an integer is then faster."""
    wanted = value.value
    return int(wanted) if isinstance(wanted, Fraction) and wanted.denominator == 1 else wanted


def _inner_interval(value: Range) -> tuple[float, float]:
    """Return the open interval inside the range that is safe against the rounding error of floats."""
    low, high = float(value.low), float(value.high)
    return low + _MARGIN * abs(low), high - _MARGIN * abs(high)


def _range_predicate(value: Range) -> Callable[[Measured], bool]:
    """Return a predicate for a closed range: in floats for a number well inside it, exact near its ends."""
    low, high = value.low, value.high
    least, most = ceil(low), floor(high)
    inner = _inner_interval(value)

    def between(measured: Measured) -> bool:
        if isinstance(measured, int):
            return least <= measured <= most
        if not isinstance(measured, Fraction):
            return False
        try:
            if inner[0] < measured.numerator / measured.denominator < inner[1]:
                return True
        except OverflowError:
            pass
        return low <= measured <= high

    return between

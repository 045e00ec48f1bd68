"""Verb ``limits``: a named measurement of the operator lies where the rule wants it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from litecheck.checks.bound import Bound, Fault
from litecheck.profile.measurements import measure
from litecheck.profile.operands import Measured
from litecheck.profile.types import Constraint, Exactly, MultipleOf, OneOf, Range, Requirement


def check(bound: Bound, requirement: Requirement, value: Constraint) -> Iterator[Fault]:
    """The measurement does not fit; one that does not apply (None) always fits."""
    name = requirement.path.rsplit("/", 1)[1]
    if bound.any_fault:
        return
    measured = measure(name, bound.measurable())
    if measured is not None and not fits(measured, value):
        shown = (
            f"{float(measured):.6g}"
            if isinstance(measured, Fraction) and measured.denominator > 1
            else measured
        )
        yield Fault(f"{name.replace('_', ' ')} is {shown}")


def fits(measured: Measured, value: Constraint) -> bool:
    """Whether a measured number or word satisfies a constraint."""
    if isinstance(value, OneOf):
        return any(fits(measured, part) for part in value.values)
    if isinstance(measured, str) or measured is None:
        return isinstance(value, Exactly) and value.value == measured
    if isinstance(value, Range):
        return value.low <= measured <= value.high
    if isinstance(value, MultipleOf):
        return (Fraction(measured) / value.n).denominator == 1
    return isinstance(value, Exactly) and value.value == measured

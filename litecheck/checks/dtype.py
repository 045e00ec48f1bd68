"""Check ``dtype``: a tensor has one of the types that its rule allows."""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.checks.bound_operator import BoundOperator, Check, Fault, at, words
from litecheck.profile.types import Constraint, OperatorRule, Requirement, SameAs


def checker(rule: OperatorRule, requirement: Requirement, value: Constraint) -> Check:
    """Return the check of a type. On a fault, the other checks skip the tensor, because its values have another
    meaning."""
    allowed, role = words(value), requirement.role or ""
    if isinstance(value, SameAs):
        return _alike(role, value.role)

    def check(bound: BoundOperator) -> Sequence[Fault]:
        wrong = (o for o in bound.roles[role] if o.facts.dtype not in allowed)
        return [
            at(o, f"it is {o.facts.dtype}", kind=o.facts.dtype if o.facts.dtype in requirement.faults else "")
            for o in wrong
        ]

    return check


def _alike(role: str, other: str) -> Check:
    def check(bound: BoundOperator) -> Sequence[Fault]:
        model = bound.facts(other)
        if model is None:
            return []
        found = f", {other} is {model.dtype}"
        return [
            at(o, f"it is {o.facts.dtype}{found}") for o in bound.roles[role] if o.facts.dtype != model.dtype
        ]

    return check

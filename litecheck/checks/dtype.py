"""Verb ``dtype``: an operand is stored in one of the types its rule allows."""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.checks.bound_operator import BoundOperator, Check, Fault, at, words
from litecheck.profile.types import Constraint, OperatorRule, Requirement


def checker(rule: OperatorRule, requirement: Requirement, value: Constraint) -> Check:
    """A tensor of another type; the other verbs then leave it alone, its numbers mean something else."""
    allowed, role = words(value), requirement.role or ""

    def check(bound: BoundOperator) -> Sequence[Fault]:
        return [at(o, f"it is {o.facts.dtype}") for o in bound.roles[role] if o.facts.dtype not in allowed]

    return check

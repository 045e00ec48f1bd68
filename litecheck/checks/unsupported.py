"""Check ``unsupported``: the target does not run the operator."""

from __future__ import annotations

from litecheck.checks.bound_operator import NONE, Check, Fault
from litecheck.profile.types import LISTED_HERE, Constraint, OperatorRule, Requirement


def checker(rule: OperatorRule, requirement: Requirement, value: Constraint) -> Check:
    """Return the check: always a fault, unless the profile relaxes it and lists an operator that its parent does not
    list."""
    faults = NONE if value == LISTED_HERE else (Fault("the model uses it"),)
    return lambda bound: faults

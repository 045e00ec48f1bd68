"""Verb ``unsupported``: a target does not run the operator at all."""

from __future__ import annotations

from litecheck.checks.bound_operator import NONE, Check, Fault
from litecheck.profile.types import LISTED_HERE, Constraint, OperatorRule, Requirement


def checker(rule: OperatorRule, requirement: Requirement, value: Constraint) -> Check:
    """A fault that the rule exists, unless the profile relaxes that and lists what its parent does not."""
    faults = NONE if value == LISTED_HERE else (Fault("the model uses it"),)
    return lambda bound: faults

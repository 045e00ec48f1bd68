"""Verb ``unsupported``: a target does not run the operator at all."""

from __future__ import annotations

from litecheck.checks.bound_operator import Check, Fault
from litecheck.profile.types import Constraint, OperatorRule, Requirement


def checker(rule: OperatorRule, requirement: Requirement, value: Constraint) -> Check:
    """Always a fault: that the rule exists is the finding."""
    return lambda bound: (Fault("the model uses it"),)

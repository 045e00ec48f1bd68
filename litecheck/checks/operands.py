"""Check ``operands``: the operator has exactly the tensors that its rule names."""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.checks.bound_operator import NONE, BoundOperator, Check, Fault
from litecheck.profile.types import Constraint, OperatorRule, Requirement
from litecheck.summary_text import count_of


def checker(rule: OperatorRule, requirement: Requirement, value: Constraint) -> Check:
    """Return the check: a required input or output is absent (``OP/role/operands``), or there are too many
    (``OP/operands``)."""
    role = requirement.role
    if role is None:
        return _surplus

    def check(bound: BoundOperator) -> Sequence[Fault]:
        if bound.roles[role] and role not in bound.gaps:
            return NONE
        if _is_left_out(bound, role):
            return (Fault("it is left out", role=role, kind="left_out"),)
        return (Fault("it is absent", role=role),)

    return check


def _is_left_out(bound: BoundOperator, role: str) -> bool:
    """Return True if the list of inputs or outputs ends before a role. Example: [0] for the roles lhs and rhs."""
    rule, operator = bound.rule, bound.operator
    sides = ((rule.inputs, operator.inputs), (rule.outputs, operator.outputs))
    return any(role in roles and roles.index(role) >= len(indices) for roles, indices in sides)


def _surplus(bound: BoundOperator) -> Sequence[Fault]:
    if not bound.surplus:
        return NONE
    inputs = count_of(len(bound.operator.inputs), "input")
    return (Fault(f"it has {inputs} and {count_of(len(bound.operator.outputs), 'output')}"),)

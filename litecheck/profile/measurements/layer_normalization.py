"""Measurements of the layer normalization of an LSTM."""

from __future__ import annotations

from collections.abc import Iterable

from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.register import measures
from litecheck.profile.operator_plan import Plan, TensorPlan


def _coefficients(roles: Iterable[str]) -> list[str]:
    """Return the roles of layer normalization coefficients."""
    return [role for role in roles if role.endswith("layer_norm_coefficients")]


def _set_normalization(plan: Plan, value: int) -> Plan | None:
    roles = _coefficients(plan.inputs)
    for n, role in enumerate(roles[::-1]):
        own = plan.operands[role] or (TensorPlan("int16").with_scale(2.0**-10),)
        plan = plan.with_role(role, own if n < value else ())
    return plan if 0 <= value <= len(roles) else None


@measures(_set_normalization)
def layer_norm_operands(operands: Operands) -> Measured:
    """Number of layer normalization coefficients of an LSTM. Example: coefficients of four gates give 4."""
    return sum(bool(operands.roles[role]) for role in _coefficients(operands.roles))


def _set_absent_normalization(plan: Plan, value: int) -> Plan | None:
    """Add all layer normalization coefficients, and remove those of the cell gate and of the output gate."""
    roles = ["cell_layer_norm_coefficients", "output_layer_norm_coefficients"]
    if not set(roles) <= set(plan.inputs):
        return None
    full = _set_normalization(plan, len(_coefficients(plan.inputs)))
    return full.without_inputs(*roles[:value]) if full and 0 <= value <= len(roles) else None


@measures(_set_absent_normalization)
def absent_layer_norm_operands(operands: Operands) -> Measured:
    """Number of missing layer normalization coefficients of an LSTM that has some of them. Example: coefficients of the
    forget gate and the output gate of an LSTM without input gate give 1."""
    found = {role: bool(operands.roles[role]) for role in _coefficients(operands.roles)}
    if not any(found.values()):
        return 0
    coupled = operands.one("input_to_input_weights") is None
    return sum(not there for role, there in found.items() if not (coupled and role.startswith("input")))

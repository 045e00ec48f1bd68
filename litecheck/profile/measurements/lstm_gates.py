"""Measurements of the integer LSTM: which of its gates and extensions there are, and its intermediate results."""

from __future__ import annotations

import numpy as np

from litecheck.model.links import parameters_of
from litecheck.profile.measurements.bound import Measured, Operands
from litecheck.profile.measurements.register import measures
from litecheck.profile.plan import Plan, TensorPlan
from litecheck.quantization import Quantization

_TINY = float(np.finfo(np.float32).tiny)


_INPUT_GATE = ("input_to_input_weights", "recurrent_to_input_weights", "input_gate_bias")
_GATES = ("input", "forget", "cell", "output")


def _normalized(plan: Plan, value: int) -> Plan | None:
    roles = [role for role in plan.inputs if role.endswith("layer_norm_coefficients")]
    for n, role in enumerate(roles[::-1]):
        own = plan.operands[role] or (TensorPlan("int16").scaled(2.0**-10),)
        plan = plan.with_role(role, own if n < value else ())
    return plan if 0 <= value <= len(roles) else None


def _gated(plan: Plan, value: int) -> Plan | None:
    return plan.without(*_INPUT_GATE[value:]) if 0 <= value <= len(_INPUT_GATE) else None


def _intermediate(plan: Plan, value: int) -> Plan | None:
    more = {f"unnamed {n}": (TensorPlan("int8"),) for n in range(len(plan.intermediates), value)}
    return plan.but(intermediates=(*plan.intermediates, *more)[:value], operands={**plan.operands, **more})


def _scaleless(plan: Plan, value: int) -> Plan | None:
    for n, gate in enumerate(reversed(_GATES)):
        role = f"{gate}_gate_intermediate"
        own = (plan.one(role) or TensorPlan("int16")).scaled(2.0**-12)
        plan = plan.with_role(role, (own if n >= value else own.but(quantization=Quantization()),))
    return plan


def _hidden(plan: Plan, value: int) -> Plan | None:
    """Without projection; one step of the zero point is enough."""
    state = plan.one("output_state")
    if state is None:
        return None
    plan = plan.without("projection_weights", "projection_bias")
    return plan.scaled("hidden", state.scale, state.zero_point + value)


@measures(_normalized)
def layer_norm_operands(operands: Operands) -> Measured:
    """How many layer normalization coefficients an LSTM has."""
    present = [role for role, tensors in operands.roles.items() if tensors]
    return sum(role.endswith("layer_norm_coefficients") for role in present)


@measures(_gated)
def input_gate_operands(operands: Operands) -> Measured:
    """How many operands of an LSTM's input gate there are: weights, recurrent weights, bias."""
    return sum(operands.one(role) is not None for role in _INPUT_GATE)


@measures(_intermediate)
def intermediate_tensors(operands: Operands) -> Measured:
    """How many intermediate tensors the operator lists."""
    return len(operands.operator.intermediates)


@measures(_scaleless)
def unscaled_gates(operands: Operands) -> Measured:
    """How many gates of an LSTM have an intermediate sum without one scale that is a normal number above 0.

    The sum of an input gate that is not there must state a scale too, but any will do.
    """
    return sum(_unscaled(operands, gate) for gate in _GATES)


def _unscaled(operands: Operands, gate: str) -> bool:
    intermediate = operands.one(f"{gate}_gate_intermediate")
    if intermediate is None or intermediate.quantization.scale.size != 1:
        return True
    there = operands.one(f"input_to_{gate}_weights") is not None
    return there and not _TINY <= float(intermediate.quantization.scale[0]) < float("inf")


@measures(_hidden)
def hidden_mismatches(operands: Operands) -> Measured:
    """1 where an LSTM without projection states another scale or zero point for ``hidden`` than for its output
    state, which ``hidden`` then is; else 0."""
    hidden, state = operands.one("hidden"), operands.one("output_state")
    if hidden is None or state is None or operands.one("projection_weights") is not None:
        return None
    return int(parameters_of(hidden) != parameters_of(state))

"""Measurements of an LSTM's tensors: types that the table of types does not list by combination, and constants."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.register import measures
from litecheck.profile.operator_plan import CHANNELS, Plan, TensorPlan
from litecheck.quantization import Quantization


def _set_values(tensor: TensorPlan, values: NDArray[Any]) -> TensorPlan:
    return tensor.but(dtype=values.dtype.name, shape=values.shape, values=values, quantization=Quantization())


def _set_integer_biases(plan: Plan, value: int) -> Plan | None:
    """Set a float32 input, ``value`` int32 gate biases, and float32 for the remaining biases."""
    biases = [role for role in plan.inputs if role.endswith("gate_bias") and plan.one(role)]
    if not 0 <= value <= len(biases):
        return None
    plan = plan.edit("input", lambda t: t.but(dtype="float32", quantization=Quantization(), values=None))
    for number, role in enumerate(biases):
        zeros = np.zeros(CHANNELS, "int32" if number < value else "float32")
        plan = plan.edit(role, partial(_set_values, values=zeros))
    return plan


def _set_integer_weights(plan: Plan, value: int) -> Plan | None:
    """Set a float32 input and biases, ``value`` int8 weights, and float32 for the remaining weights."""
    planned = _set_integer_biases(plan, 0)
    return None if planned is None else _set_types(planned, "weights", value, "int8", [0.25])


def _set_integer_states(plan: Plan, value: int) -> Plan | None:
    """Set a float32 input, biases and weights, ``value`` int16 states, and float32 for the remaining states."""
    planned = _set_integer_weights(plan, 0)
    return None if planned is None else _set_types(planned, "state", value, "int16", [])


def _set_types(plan: Plan, ending: str, value: int, dtype: str, scale: list[float]) -> Plan | None:
    """Set this type for the first ``value`` inputs of these roles, the last inputs first, and float32 for the rest."""
    roles = [role for role in reversed(plan.inputs) if role.endswith(ending) and plan.one(role)]
    if not 0 <= value <= len(roles):
        return None
    for number, role in enumerate(roles):
        if number < value:
            plan = plan.edit(role, lambda t: t.but(dtype=dtype, values=None).with_scale(scale))
        else:
            plan = plan.edit(role, lambda t: t.but(dtype="float32", values=None, quantization=Quantization()))
    return plan


@measures(_set_integer_biases)
def integer_biases(operands: Operands) -> Measured:
    """Number of gate biases of a float LSTM that are not of float32. Example: a float32 input and an int32 bias of the
    forget gate give 1."""
    given = operands.one("input")
    if given is None or given.dtype != "float32":
        return None
    biases = (t for role, tensors in operands.roles.items() if role.endswith("gate_bias") for t in tensors)
    return sum(t.dtype != "float32" for t in biases)


def _constants(roles: Iterable[str], normalized: bool) -> list[str]:
    """Return the roles of the tensors that an integer LSTM reads at load; layer normalization reads gate biases later."""
    weights = [
        role
        for role in roles
        if role.startswith(("input_to_", "recurrent_to_", "projection_"))
        and not role.endswith("intermediate")
    ]
    return weights if normalized else [*weights, *(role for role in roles if role.endswith("gate_bias"))]


def _set_computed(plan: Plan, value: int) -> Plan | None:
    """Make the first ``value`` weights inputs of the model, and the remaining weights and biases constants."""
    roles = [role for role in _constants(plan.inputs, normalized=False) if plan.one(role)]
    if not 0 <= value <= len(roles):
        return None
    plan = plan.edit_all(lambda t: t.but(values=None), roles[:value])
    return plan.edit_all(lambda t: t if t.values is not None else t.holding(np.ones(t.shape)), roles[value:])


@measures(_set_computed)
def computed_gate_constants(operands: Operands) -> Measured:
    """Number of weights and biases of an integer LSTM that are computed at run time although the kernel reads them at load.
    Example: forget gate weights that are an input of the model give 1.

    With layer normalization, the kernel reads gate biases only at run time.
    """
    normalized = any(
        operands.one(role) is not None for role in operands.roles if role.endswith("layer_norm_coefficients")
    )
    tensors = (operands.one(role) for role in _constants(operands.roles, normalized))
    return sum(t is not None and not t.is_constant for t in tensors)


@measures(_set_integer_weights)
def integer_weights(operands: Operands) -> Measured:
    """Number of weights of an LSTM with a float32 input that are not of float32. Example: a float32 input and int8
    weights of the cell from the input give 1."""
    given = operands.one("input")
    if given is None or given.dtype != "float32":
        return None
    weights = (t for role, tensors in operands.roles.items() if role.endswith("weights") for t in tensors)
    return sum(t.dtype != "float32" for t in weights)


@measures(_set_integer_states)
def integer_states(operands: Operands) -> Measured:
    """Number of states of an LSTM with float32 input and weights that are not of float32. Example: an int16 cell state
    beside a float32 input gives 1.

    The kernel reads and writes the states as float32, also beyond the end of a narrower tensor.
    """
    if integer_weights(operands) != 0:
        return None
    states = (t for role, tensors in operands.roles.items() if role.endswith("state") for t in tensors)
    return sum(t.dtype != "float32" for t in states)

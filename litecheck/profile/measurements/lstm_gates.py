"""Measurements of the integer LSTM: which of its gates and extensions there are, and its intermediate results."""

from __future__ import annotations

import numpy as np

from litecheck.model.links import parameters_of
from litecheck.profile.measurements.bound import Measured, Operands

_TINY = float(np.finfo(np.float32).tiny)


def layer_norm_operands(operands: Operands) -> Measured:
    """How many layer normalization coefficients an LSTM has."""
    present = [role for role, tensors in operands.roles.items() if tensors]
    return sum(role.endswith("layer_norm_coefficients") for role in present)


def input_gate_operands(operands: Operands) -> Measured:
    """How many operands of an LSTM's input gate there are: weights, recurrent weights, bias."""
    roles = ("input_to_input_weights", "recurrent_to_input_weights", "input_gate_bias")
    return sum(operands.one(role) is not None for role in roles)


def intermediate_tensors(operands: Operands) -> Measured:
    """How many intermediate tensors the operator lists."""
    return len(operands.operator.intermediates)


def unscaled_gates(operands: Operands) -> Measured:
    """How many gates of an LSTM have an intermediate sum without one scale that is a normal number above 0.

    The sum of an input gate that is not there must state a scale too, but any will do.
    """
    return sum(_unscaled(operands, gate) for gate in ("input", "forget", "cell", "output"))


def _unscaled(operands: Operands, gate: str) -> bool:
    intermediate = operands.one(f"{gate}_gate_intermediate")
    if intermediate is None or intermediate.quantization.scale.size != 1:
        return True
    there = operands.one(f"input_to_{gate}_weights") is not None
    return there and not _TINY <= float(intermediate.quantization.scale[0]) < float("inf")


def hidden_mismatches(operands: Operands) -> Measured:
    """1 where an LSTM without projection states another scale or zero point for ``hidden`` than for its output
    state, which ``hidden`` then is; else 0."""
    hidden, state = operands.one("hidden"), operands.one("output_state")
    if hidden is None or state is None or operands.one("projection_weights") is not None:
        return None
    return int(parameters_of(hidden) != parameters_of(state))


#: By their names, in the order the documentation lists them.
GATES = (layer_norm_operands, input_gate_operands, intermediate_tensors, unscaled_gates, hidden_mismatches)

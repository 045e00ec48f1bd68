"""Measurements of tensors that only some LSTM have: intermediate tensors, peepholes, projection, normalization."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.register import measures
from litecheck.profile.operator_plan import Blocks, Plan, TensorPlan
from litecheck.quantization import Blockwise, MultiAxis, Quantization

_GATES = ("input", "forget", "cell", "output")
#: Inputs of an LSTM beyond its gates, biases and states.
_EXTENSIONS = (
    "cell_to_input_weights", "cell_to_forget_weights", "cell_to_output_weights", "projection_weights",
    "projection_bias", "input_layer_norm_coefficients", "forget_layer_norm_coefficients",
    "cell_layer_norm_coefficients", "output_layer_norm_coefficients",
)  # fmt: skip


def _set_size(plan: Plan, value: int) -> Plan | None:
    tensor = TensorPlan("int16", (value,)).with_scale(2.0**-10)
    return plan.but(intermediates=("intermediate",), operands={**plan.operands, "intermediate": (tensor,)})


@measures(_set_size)
def intermediate_elements(operands: Operands) -> Measured:
    """Largest number of elements of an intermediate tensor; none without intermediate tensors. Example:
    shapes (0) and (4) give 4."""
    tensors = operands.subgraph.tensors
    sizes = [tensors[i].size for i in operands.operator.intermediates if 0 <= i < len(tensors)]
    return max(sizes, default=None)


def _set_blocks(plan: Plan, value: int) -> Plan | None:
    gates = [f"{gate}_gate_intermediate" for gate in _GATES]
    if not 0 <= value <= len(gates) or not set(gates) <= set(plan.intermediates):
        return None
    blocks = Blocks(2, np.ones(1, np.float32))
    for role in gates[:value]:
        plan = plan.edit(role, lambda t: t.but(quantization=Quantization(), blocks=blocks))
    return plan


@measures(_set_blocks)
def blockwise_gates(operands: Operands) -> Measured:
    """Number of LSTM gates with an intermediate tensor of blockwise quantization. Example: blocks of 32 for the forget
    gate give 1."""
    tensors = operands.subgraph.tensors
    found = [tensors[i] for i in operands.operator.intermediates[:4] if 0 <= i < len(tensors)]
    return sum(isinstance(tensor.quantization.details, Blockwise) for tensor in found)


def _set_multi_axis(plan: Plan, value: int) -> Plan | None:
    """Set quantization along several axes for the intermediate tensors of the last ``value`` gates."""
    for n, gate in enumerate(reversed(_GATES)):
        role = f"{gate}_gate_intermediate"
        own = (plan.one(role) or TensorPlan("int16")).with_scale(2.0**-12)
        several = replace(own.quantization, details=MultiAxis(0, -1, 0, (0,)))
        plan = plan.with_role(role, (own.but(quantization=several) if n < value else own,))
    return plan


@measures(_set_multi_axis)
def multi_axis_gates(operands: Operands) -> Measured:
    """Number of LSTM gates with an intermediate tensor of multi-axis quantization. Example: scales along two axes for the
    forget gate give 1."""
    found = (operands.one(f"{gate}_gate_intermediate") for gate in _GATES)
    return sum(t is not None and isinstance(t.quantization.details, MultiAxis) for t in found)


def _set_extensions(plan: Plan, value: int) -> Plan | None:
    for n, role in enumerate(_EXTENSIONS):
        plan = plan.with_role(role, plan.operands[role] or (TensorPlan("int16"),) if n < value else ())
    return plan if 0 <= value <= len(_EXTENSIONS) else None


@measures(_set_extensions)
def lstm_extensions(operands: Operands) -> Measured:
    """Number of peephole weights, projection tensors and layer normalization coefficients of an LSTM. Example:
    three peephole weights give 3."""
    return sum(operands.one(role) is not None for role in _EXTENSIONS)

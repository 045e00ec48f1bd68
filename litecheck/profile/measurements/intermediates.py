"""Measurements of tensors that only some LSTM have: intermediate tensors, peepholes, projection, normalization."""

from __future__ import annotations

from dataclasses import replace

from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.register import Setter, measures
from litecheck.profile.operator_plan import Plan, TensorPlan
from litecheck.quantization import Blockwise, Details, MultiAxis

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


def _detail_setter(details: Details) -> Setter:
    """Return a setter of the number of gates, from the last, with these details beside the scale of their intermediate."""

    def sets(plan: Plan, value: int) -> Plan | None:
        if not 0 <= value <= len(_GATES):
            return None
        for n, gate in enumerate(reversed(_GATES)):
            role = f"{gate}_gate_intermediate"
            own = (plan.one(role) or TensorPlan("int16")).with_scale(2.0**-12)
            detailed = own.but(quantization=replace(own.quantization, details=details))
            plan = plan.with_role(role, (detailed if n < value else own,))
        return plan

    return sets


@measures(_detail_setter(Blockwise(0, -1, 2)))
def blockwise_gates(operands: Operands) -> Measured:
    """Number of LSTM gates with an intermediate tensor of blockwise quantization. Example: blocks of 32 for the forget
    gate give 1."""
    tensors = operands.subgraph.tensors
    found = [tensors[i] for i in operands.operator.intermediates[:4] if 0 <= i < len(tensors)]
    return sum(isinstance(tensor.quantization.details, Blockwise) for tensor in found)


@measures(_detail_setter(MultiAxis(0, -1, 0, (0,))))
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

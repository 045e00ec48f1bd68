"""Measurements of recurrent operators: gates, inputs that must occur together, outputs, largest sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from litecheck.model.links import parameters_of
from litecheck.model.stored_values import signed_sums
from litecheck.model.types import Tensor
from litecheck.profile.measurements.accumulators import largest_value
from litecheck.profile.measurements.measured_operator import (
    Measured,
    Operands,
    integer,
    one_scale,
    one_zero_point,
    word,
)
from litecheck.profile.measurements.register import measures, option_fields, option_stated
from litecheck.profile.operator_plan import CHANNELS, Plan, TensorPlan
from litecheck.quantization import Quantization

#: Prefixes of the roles of cells: a single cell, or a cell for each direction.
_CELLS = ("", "fw_", "bw_")


_Q12 = 2.0**-12
_TINY = float(np.finfo(np.float32).tiny)
_GATES = ("input", "forget", "cell", "output")
_INPUT_GATE = ("input_to_input_weights", "recurrent_to_input_weights", "input_gate_bias")
_PEEPHOLES = tuple(f"cell_to_{gate}_weights" for gate in ("input", "output", "forget"))
#: Roles that occur together with the normalization coefficients of the forget gate.
_COEFFICIENTS = tuple(f"{gate}_layer_norm_coefficients" for gate in ("cell", "output", "input"))


def _keep_first(plan: Plan, value: int, *names: str) -> Plan | None:
    """Keep the first ``value`` of these operands in the first cell that has any; for 0, keep all."""
    for cell in _CELLS:
        if any(plan.one(cell + name) for name in names):
            return plan.without_inputs(*(cell + name for name in names[value or len(names) :]))
    return plan


def _set_merged(plan: Plan, value: int) -> Plan | None:
    both = "merge_outputs" in option_fields(plan.opcode)
    plan = plan.option(merge_outputs=False) if both else plan
    if not value:
        return plan if both else option_stated(plan, "FULL", "kernel_type")
    return plan.option(merge_outputs=True) if both else option_stated(plan, "BASIC", "kernel_type")


@measures(lambda plan, value: _keep_first(plan, value, *_INPUT_GATE))
def partial_input_gate(operands: Operands) -> Measured:
    """Number of tensors of an incomplete LSTM input gate (weights, recurrent weights, bias). Example: weights
    alone give 1."""
    return _count_incomplete(operands, lambda cell: _INPUT_GATE)


@measures(lambda plan, value: _keep_first(plan, value, *_PEEPHOLES))
def partial_peepholes(operands: Operands) -> Measured:
    """Number of LSTM peephole weights if those of a gate are missing. Example: cell_to_forget_weights alone
    gives 1."""

    def names(cell: str) -> Sequence[str]:
        gated = operands.one(f"{cell}input_to_input_weights") is not None
        return [f"cell_to_{gate}_weights" for gate in (*(("input",) if gated else ()), "forget", "output")]

    return _count_incomplete(operands, names)


@measures(lambda plan, value: plan.without_inputs(*_COEFFICIENTS[:value]))
def missing_layer_norm(operands: Operands) -> Measured:
    """Number of missing normalization coefficients of an LSTM that has those of the forget gate. Example: an
    LSTM without input gate and with forget coefficients alone gives 2."""
    if operands.one("forget_layer_norm_coefficients") is None:
        return 0
    gated = operands.one("input_to_input_weights") is not None
    gates = (*(("input",) if gated else ()), "cell", "output")
    return sum(operands.one(f"{gate}_layer_norm_coefficients") is None for gate in gates)


@measures(
    lambda plan, value: plan.without_inputs(
        *[r for r in plan.operands if r.endswith("projection_weights")][:value]
    )
)
def lone_projection_bias(operands: Operands) -> Measured:
    """Number of projection biases of an LSTM without projection weights. Example: a projection bias alone
    gives 1."""
    return sum(
        operands.one(f"{cell}projection_bias") is not None
        and operands.one(f"{cell}projection_weights") is None
        for cell in _CELLS
    )


def _count_incomplete(operands: Operands, names: Callable[[str], Sequence[str]]) -> int:
    """Return the number of inputs that are present although another input of their cell is absent."""
    count = 0
    for cell in _CELLS:
        wanted = names(cell)
        present = sum(operands.one(cell + name) is not None for name in wanted)
        count += present if present < len(wanted) else 0
    return count


@measures(
    lambda plan, value: option_stated(
        plan.without_inputs(*["output_state", "cell_state"][:value]), "FULL", "kernel_type"
    )
)
def absent_lstm_operands(operands: Operands) -> Measured:
    """Number of missing tensors of a full LSTM that are optional only in the basic form. Example: a missing
    cell state gives 1.

    The input gate needs all of its three tensors or none.
    """
    if word(operands, "kernel_type") != "FULL":
        return None
    needed = ["output_state", "cell_state"]
    for gate in ("forget", "cell", "output"):
        needed += _gate(gate)
    whole = sum(operands.one(role) is None for role in _gate("input"))
    return sum(operands.one(role) is None for role in needed) + whole % 3


def _gate(name: str) -> list[str]:
    return [f"input_to_{name}_weights", f"recurrent_to_{name}_weights", f"{name}_gate_bias"]


@measures(_set_merged)
def miscounted_results(operands: Operands) -> Measured:
    """Difference between the output count of a recurrent layer and the count of its options: 1, 2 for both
    directions, or 4 for a basic LSTM. Example: two outputs with merge_outputs give 1."""
    merged, basic = integer(operands, "merge_outputs"), word(operands, "kernel_type")
    if merged is None and basic is None:
        return None
    wanted = (1 if merged else 2) if merged is not None else 4 if basic == "BASIC" else 1
    return abs(len(operands.operator.outputs) - wanted)


def _intermediate(plan: Plan, value: int) -> Plan | None:
    more = {f"unnamed {n}": (TensorPlan("int8"),) for n in range(len(plan.intermediates), value)}
    return plan.but(intermediates=(*plan.intermediates, *more)[:value], operands={**plan.operands, **more})


def _scaleless(plan: Plan, value: int) -> Plan | None:
    for n, gate in enumerate(reversed(_GATES)):
        role = f"{gate}_gate_intermediate"
        own = (plan.one(role) or TensorPlan("int16")).with_scale(2.0**-12)
        plan = plan.with_role(role, (own if n >= value else own.but(quantization=Quantization()),))
    return plan


def _shift_hidden(plan: Plan, value: int) -> Plan | None:
    """Remove the projection, and shift the zero point of ``hidden`` by ``value``."""
    state = plan.one("output_state")
    if state is None:
        return None
    plan = plan.without_inputs("projection_weights", "projection_bias")
    return plan.with_scale("hidden", state.scale, state.zero_point + value)


@measures(
    lambda plan, value: plan.without_inputs(*_INPUT_GATE[value:]) if 0 <= value <= len(_INPUT_GATE) else None
)
def input_gate_operands(operands: Operands) -> Measured:
    """Number of tensors of an LSTM input gate: weights, recurrent weights, bias. Example: an LSTM without
    input gate (CIFG) gives 0."""
    return sum(operands.one(role) is not None for role in _INPUT_GATE)


@measures(_intermediate)
def intermediate_tensors(operands: Operands) -> Measured:
    """Number of intermediate tensors of the operator. Example: an integer LSTM with layer normalization gives
    5."""
    return len(operands.operator.intermediates)


@measures(_scaleless)
def unscaled_gates(operands: Operands) -> Measured:
    """Number of LSTM gates with an intermediate sum that lacks a per-tensor, normal scale above 0. Example:
    scale 0 for the forget gate gives 1.

    The intermediate sum of an absent input gate needs a scale as well, but the value is free.
    """
    return sum(_lacks_scale(operands, gate) for gate in _GATES)


def _lacks_scale(operands: Operands, gate: str) -> bool:
    intermediate = operands.one(f"{gate}_gate_intermediate")
    if intermediate is None or intermediate.quantization.scale.size != 1:
        return True
    there = operands.one(f"input_to_{gate}_weights") is not None
    return there and not _TINY <= float(intermediate.quantization.scale[0]) < float("inf")


@measures(_shift_hidden)
def hidden_mismatches(operands: Operands) -> Measured:
    """1 if an LSTM without projection has different parameters for ``hidden`` and the output state, else 0.
    Example: scales 0.5 and 0.25 give 1."""
    hidden, state = operands.one("hidden"), operands.one("output_state")
    if hidden is None or state is None or operands.one("projection_weights") is not None:
        return None
    return int(parameters_of(hidden) != parameters_of(state))


def _heavy_gate(plan: Plan, value: int) -> Plan | None:
    data = plan.one("input")
    if data is None:
        return None
    plan = plan.edit("input_to_forget_weights", lambda t: t.holding(np.eye(CHANNELS)))
    rest = min(value - (127 - int(data.zero_point[0])), 2**31 - 1)
    return plan.edit("forget_gate_bias", lambda t: t.holding(np.full(CHANNELS, rest)))


@measures(_heavy_gate)
def gate_accumulator(operands: Operands) -> Measured:
    """Upper bound on the accumulator magnitude of each LSTM gate, for constant weights and all inputs.
    Example: 4 int8 weights of 100, input zero point 0 and no bias give 100 * 4 * 128 = 51,200.

    The input's products and the recurrent products are two sums; the bias belongs to the first sum.
    """
    largest = 0
    for gate in _GATES:
        bias = operands.one(f"{gate}_gate_bias")
        added = 0 if bias is None else largest_value(bias) or 0
        for source, data, extra in (("input", "input", added), ("recurrent", "output_state", 0)):
            weights = operands.one(f"{source}_to_{gate}_weights")
            reach = _product_bound(operands.one(data), weights)
            largest = max(largest, reach + extra)
    return max(largest, _projection_bound(operands)) or None


def _steep_gate(plan: Plan, value: Fraction) -> Plan | None:
    weights = plan.one("input_to_forget_weights")
    if weights is None or not weights.scale.size or value <= 0:
        return None
    plan = plan.without_inputs(*(r for r in plan.operands if r.endswith("layer_norm_coefficients")))
    return plan.with_scale("input", float(value) * _Q12 / float(weights.scale.max()))


@measures(_steep_gate)
def gate_multiplier(operands: Operands) -> Measured:
    """Largest product scale of an LSTM gate / scale of its sums, which is the intermediate scale with layer
    normalization and 2^-12 without. Example: input scale 0.5 and weight scale 0.25 give 512."""
    found = []
    for gate in _GATES:
        total = one_scale(operands.one(f"{gate}_gate_intermediate"))
        step = Fraction(_Q12) if operands.one(f"{gate}_layer_norm_coefficients") is None else total
        for source, data in (("input", "input"), ("recurrent", "output_state")):
            scales = [one_scale(operands.one(role)) for role in (data, f"{source}_to_{gate}_weights")]
            if step and scales[0] and scales[1]:
                found.append(scales[0] * scales[1] / step)
    return max(found, default=None)


def _projection_bound(operands: Operands) -> int:
    """Return an upper bound of a sum in an LSTM's projection with bias.

    The factor 255 is the largest distance of a hidden value from any zero point.
    """
    weights, bias = operands.one("projection_weights"), operands.one("projection_bias")
    found = None
    if weights is not None and weights.dtype == "int8" and len(weights.shape) == 2:
        found = signed_sums(weights, (*weights.shape, 1))
    reach = int((found[0] - found[1]).max(initial=0)) * 255 if found is not None else 0
    return reach + (0 if bias is None else largest_value(bias) or 0)


def _product_bound(data: Tensor | None, weights: Tensor | None) -> int:
    """Return an upper bound of the product of a constant weight matrix and a vector of stored values."""
    zero = one_zero_point(data)
    if data is None or weights is None or zero is None or len(weights.shape) != 2 or data.dtype != "int8":
        return 0
    found = (
        signed_sums(weights, (*weights.shape, 1)) if weights.dtype == "int8" and weights.is_constant else None
    )
    if found is None or not found[0].size:
        return 0
    return int((found[0] - found[1]).max()) * max(127 - zero, zero + 128)

"""Measurements of recurrent operators: which of their operands go together, how many results they have."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from litecheck.profile.measurements.bound import Measured, Operands
from litecheck.profile.measurements.option_values import integer, word
from litecheck.profile.measurements.register import measures
from litecheck.profile.measurements.setters import option_fields, option_stated
from litecheck.profile.plan import Plan

#: How the roles of an operator's cells begin: one cell, or one for each direction.
_CELLS = ("", "fw_", "bw_")


_INPUT_GATE = ("input_to_input_weights", "recurrent_to_input_weights", "input_gate_bias")
_PEEPHOLES = tuple(f"cell_to_{gate}_weights" for gate in ("input", "output", "forget"))
#: What goes with the normalization coefficients of the forget gate.
_COEFFICIENTS = tuple(f"{gate}_layer_norm_coefficients" for gate in ("cell", "output", "input"))


def _alone_of(plan: Plan, value: int, *names: str) -> Plan | None:
    """The first cell with so many of these operands, or with all."""
    for cell in _CELLS:
        if any(plan.one(cell + name) for name in names):
            return plan.without(*(cell + name for name in names[value or len(names) :]))
    return plan


def _weights_of_projections(plan: Plan) -> list[str]:
    return [role for role in plan.operands if role.endswith("projection_weights")]


def _bare(plan: Plan, value: int) -> Plan | None:
    return option_stated(plan.without(*["output_state", "cell_state"][:value]), "FULL", "kernel_type")


def _merged(plan: Plan, value: int) -> Plan | None:
    both = "merge_outputs" in option_fields(plan.opcode)
    plan = plan.option(merge_outputs=False) if both else plan
    if not value:
        return plan if both else option_stated(plan, "FULL", "kernel_type")
    return plan.option(merge_outputs=True) if both else option_stated(plan, "BASIC", "kernel_type")


@measures(lambda plan, value: _alone_of(plan, value, *_INPUT_GATE))
def lone_input_gate(operands: Operands) -> Measured:
    """How many operands of an LSTM's input gate, weights, recurrent weights and bias, stand without the others."""
    return _alone(operands, lambda cell: _INPUT_GATE)


@measures(lambda plan, value: _alone_of(plan, value, *_PEEPHOLES))
def lone_peepholes(operands: Operands) -> Measured:
    """How many of an LSTM's peephole weights stand without those of the other gates."""

    def names(cell: str) -> Sequence[str]:
        gated = operands.one(f"{cell}input_to_input_weights") is not None
        return [f"cell_to_{gate}_weights" for gate in (*(("input",) if gated else ()), "forget", "output")]

    return _alone(operands, names)


@measures(lambda plan, value: plan.without(*_COEFFICIENTS[:value]))
def missing_layer_norm(operands: Operands) -> Measured:
    """How many normalization coefficients are missing in an LSTM that has those of the forget gate."""
    if operands.one("forget_layer_norm_coefficients") is None:
        return 0
    gated = operands.one("input_to_input_weights") is not None
    gates = (*(("input",) if gated else ()), "cell", "output")
    return sum(operands.one(f"{gate}_layer_norm_coefficients") is None for gate in gates)


@measures(lambda plan, value: plan.without(*_weights_of_projections(plan)[:value]))
def lone_projection_bias(operands: Operands) -> Measured:
    """How many projection biases an LSTM has without projection weights."""
    return sum(
        operands.one(f"{cell}projection_bias") is not None
        and operands.one(f"{cell}projection_weights") is None
        for cell in _CELLS
    )


def _alone(operands: Operands, names: Callable[[str], Sequence[str]]) -> int:
    """How many operands are there, cell by cell, where some that belong to them are not."""
    count = 0
    for cell in _CELLS:
        wanted = names(cell)
        present = sum(operands.one(cell + name) is not None for name in wanted)
        count += present if present < len(wanted) else 0
    return count


@measures(_bare)
def absent_lstm_operands(operands: Operands) -> Measured:
    """How many operands an LSTM of the full form lacks that only the basic form does without.

    The input gate has all its three or none.
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


@measures(_merged)
def miscounted_results(operands: Operands) -> Measured:
    """How many results a recurrent layer has more or fewer than its options say: one, two both ways, or four."""
    merged, basic = integer(operands, "merge_outputs"), word(operands, "kernel_type")
    if merged is None and basic is None:
        return None
    wanted = (1 if merged else 2) if merged is not None else 4 if basic == "BASIC" else 1
    return abs(len(operands.operator.outputs) - wanted)

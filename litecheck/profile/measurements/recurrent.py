"""Measurements of recurrent operators: which of their optional operands go together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from litecheck.profile.measurements.bound import Measured, Operands

#: How the roles of an operator's cells begin: one cell, or one for each direction.
_CELLS = ("", "fw_", "bw_")


def lone_input_gate(operands: Operands) -> Measured:
    """How many operands of an LSTM's input gate, weights, recurrent weights and bias, stand without the others."""
    names = ("input_to_input_weights", "recurrent_to_input_weights", "input_gate_bias")
    return _alone(operands, lambda cell: names)


def lone_peepholes(operands: Operands) -> Measured:
    """How many of an LSTM's peephole weights stand without those of the other gates."""

    def names(cell: str) -> Sequence[str]:
        gated = operands.one(f"{cell}input_to_input_weights") is not None
        return [f"cell_to_{gate}_weights" for gate in (*(("input",) if gated else ()), "forget", "output")]

    return _alone(operands, names)


def missing_layer_norm(operands: Operands) -> Measured:
    """How many normalization coefficients are missing in an LSTM that has those of the forget gate."""
    if operands.one("forget_layer_norm_coefficients") is None:
        return 0
    gated = operands.one("input_to_input_weights") is not None
    gates = (*(("input",) if gated else ()), "cell", "output")
    return sum(operands.one(f"{gate}_layer_norm_coefficients") is None for gate in gates)


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


#: By their names, in the order the documentation lists them.
RECURRENT = (lone_input_gate, lone_peepholes, missing_layer_norm, lone_projection_bias)

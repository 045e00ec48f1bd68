"""Intermediate values of float LSTMs, which give the operator's outputs and states."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.reference.kernels.recurrent import lstm_float, lstm_inner
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError

ROLES = [
    f"{what}_to_{gate}_weights"
    for what in ("input", "recurrent")
    for gate in ("input", "forget", "cell", "output")
]
TANH = Table("UnidirectionalSequenceLSTMOptions", {"fused_activation_function": 4, "time_major": False})
STEPS, CELLS, OUTPUTS = 5, 3, 2


def operands(*, projected: bool, normalized: bool) -> dict[str, Operand | None]:
    rng = np.random.default_rng(0)

    def drawn(*shape: int) -> Operand:
        return Operand(rng.normal(size=shape).astype(np.float32), "float32")

    outputs = OUTPUTS if projected else CELLS
    found: dict[str, Operand | None] = {"input": drawn(1, STEPS, 4)}
    found |= {role: drawn(CELLS, 4 if role.startswith("input") else outputs) for role in ROLES}
    for gate in ("input", "forget", "cell", "output"):
        found[f"{gate}_gate_bias"] = drawn(CELLS)
        found[f"{gate}_layer_norm_coefficients"] = drawn(CELLS) if normalized else None
        if gate != "cell":
            found[f"cell_to_{gate}_weights"] = drawn(CELLS)
    found["projection_weights"] = drawn(OUTPUTS, CELLS) if projected else None
    found["projection_bias"] = None
    return found | {"output_state": drawn(1, outputs), "cell_state": drawn(1, CELLS)}


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("projected", [False, True])
def test_the_last_step_gives_outputs_and_states(projected: bool, normalized: bool) -> None:
    given = operands(projected=projected, normalized=normalized)
    made = lstm_float(**given, output=OutputSpec("float32", ()), options=TANH, variants={})
    inner = lstm_inner(given, TANH)
    assert np.array_equal(inner["cell"][-1], made.state["cell_state"])
    assert inner["cell"].shape == inner["hidden"].shape == (STEPS, 1, CELLS)
    weights = given["projection_weights"]
    outputs = inner["hidden"] if weights is None else inner["hidden"] @ weights.data.T
    assert outputs[:, 0] == pytest.approx(made.outputs[0][0], abs=1e-6)
    gates = {"input_gate", "forget_gate", "cell_gate", "output_gate"} if normalized else set()
    assert inner.keys() == {"cell", "hidden"} | gates


def test_a_gate_is_reported_before_its_normalization() -> None:
    given = operands(projected=False, normalized=True)
    inner = lstm_inner(given, TANH)
    x, h, c = given["input"].data[0, 0], given["output_state"].data[0], inner["cell"][0, 0]
    total = given["input_to_output_weights"].data @ x + given["recurrent_to_output_weights"].data @ h
    assert inner["output_gate"][0, 0] == pytest.approx(
        total + given["cell_to_output_weights"].data * c, abs=1e-5
    )


def test_a_state_is_needed() -> None:
    given = operands(projected=False, normalized=False) | {"cell_state": None}
    with pytest.raises(RunError, match="cell_state is missing"):
        lstm_inner(given, TANH)


@pytest.mark.parametrize("gate", ["forget", "cell", "output"])
def test_only_the_input_gate_may_be_absent(gate: str) -> None:
    for absent, rejected in ((gate, True), ("input", False)):
        given = operands(projected=False, normalized=False)
        given |= {f"{what}_to_{absent}_weights": None for what in ("input", "recurrent", "cell")}
        given[f"{absent}_gate_bias"] = given[f"{absent}_layer_norm_coefficients"] = None
        given.pop("cell_to_cell_weights", None)
        if rejected:
            with pytest.raises(RunError):
                lstm_float(**given, output=OutputSpec("float32", ()), options=TANH, variants={})
        else:
            made = lstm_float(**given, output=OutputSpec("float32", ()), options=TANH, variants={})
            assert made.outputs[0].shape == (1, STEPS, CELLS)

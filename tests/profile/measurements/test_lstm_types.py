"""Types of the biases, weights and states of a float LSTM, and constants of an integer LSTM."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.profile.measurements.lstm_types import (
    computed_gate_constants,
    integer_biases,
    integer_states,
    integer_weights,
)
from litecheck.profile.measurements.measured_operator import Operands


@pytest.mark.parametrize(
    ("dtype", "biases", "expected"),
    [
        ("float32", {"forget_gate_bias": "int32", "cell_gate_bias": "float32"}, 1),
        ("float32", {"fw_forget_gate_bias": "float16", "bw_cell_gate_bias": "int64"}, 2),
        ("float32", {"projection_bias": "int32"}, 0),
        ("int8", {"forget_gate_bias": "int32"}, None),
    ],
)
def test_biases_of_a_float_lstm(dtype: str, biases: dict[str, str], expected: int | None) -> None:
    assert integer_biases(lstm(dtype, biases)) == expected


@pytest.mark.parametrize(
    ("dtype", "types", "weights", "states"),
    [
        ("float32", {"input_to_cell_weights": "int8", "cell_state": "int16"}, 1, None),
        ("float32", {"input_to_cell_weights": "float32", "cell_state": "int16"}, 0, 1),
        ("float32", {"output_state": "float32", "cell_state": "float32"}, 0, 0),
        ("float32", {"projection_weights": "uint8", "cell_to_input_weights": "int16"}, 2, None),
        ("int8", {"input_to_cell_weights": "float32", "cell_state": "int16"}, None, None),
    ],
)
def test_weights_and_states_of_a_float_lstm(
    dtype: str, types: dict[str, str], weights: int | None, states: int | None
) -> None:
    operands = lstm(dtype, types)
    assert (integer_weights(operands), integer_states(operands)) == (weights, states)


def lstm(dtype: str, types: dict[str, str]) -> Operands:
    """Return an LSTM with an input of a type and tensors in these roles."""
    plans = [run_time(role, (4,), d) for role, d in {"input": dtype, **types}.items()]
    model = one_operator("LSTM", plans, [run_time("output", (4,), dtype)])
    graph = model.subgraphs[0]
    return Operands(graph.operators[0], {t.name: (t,) for t in graph.tensors}, graph, model)


@pytest.mark.parametrize(
    ("computed", "normalized", "expected"),
    [
        ((), False, 0),
        (("input_to_forget_weights", "recurrent_to_cell_weights", "projection_weights"), False, 3),
        (("forget_gate_bias", "projection_bias"), False, 2),
        (("forget_gate_bias", "projection_bias"), True, 1),
        (("cell_to_forget_weights", "output_state", "cell_layer_norm_coefficients"), True, 0),
    ],
    ids=str,
)
def test_constants_that_the_kernel_reads_at_load(
    computed: tuple[str, ...], normalized: bool, expected: int
) -> None:
    roles = [
        "input_to_forget_weights", "recurrent_to_cell_weights", "cell_to_forget_weights", "forget_gate_bias",
        "projection_weights", "projection_bias", "output_state",
    ]  # fmt: skip
    roles += ["cell_layer_norm_coefficients"] * normalized
    operands = [
        run_time(role, (4,), "int8") if role in computed else constant(role, np.ones(4, np.int8))
        for role in roles
    ]
    model = one_operator("LSTM", operands, [run_time("output", (4,), "int8")])
    graph = model.subgraphs[0]
    found = Operands(graph.operators[0], {t.name: (t,) for t in graph.tensors}, graph, model)
    assert computed_gate_constants(found) == expected

"""Types of the biases of a float LSTM, and constants of an integer LSTM."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.profile.measurements.lstm_types import computed_gate_constants, integer_biases
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
    plans = [run_time(role, (4,), d) for role, d in {"input": dtype, **biases}.items()]
    model = one_operator("LSTM", plans, [run_time("output", (4,), dtype)])
    graph = model.subgraphs[0]
    roles = {t.name: (t,) for t in graph.tensors}
    assert integer_biases(Operands(graph.operators[0], roles, graph, model)) == expected


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

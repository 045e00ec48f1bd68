"""Types of the biases of a float LSTM."""

from __future__ import annotations

import pytest

from litecheck.cases.one_operator import one_operator, run_time
from litecheck.profile.measurements.lstm_types import integer_biases
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

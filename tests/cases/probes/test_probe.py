"""Model and runs of a probe of a single operator."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from litecheck.cases.probes.probe import Probe, ProbeExtras, ProbeOperand, ProbeOutput, draw_int8, probe
from litecheck.model.build import qparams
from litecheck.model.stored_values import stored_integers


def added(more: ProbeExtras | None = None) -> Probe:
    """Return an ADD of a row (1, 3) and a constant column (2, 1)."""
    row = ProbeOperand(np.array([[1, 2, 3]], np.int8), qparams(0.5, 4))
    column = ProbeOperand(np.array([[10], [20]], np.int8), qparams(0.25, -1), constant=True)
    return probe("a sum", "ADD", [row, column], ProbeOutput(qparams(1.0, 7)), more)


def test_operands_keep_their_place_and_kind() -> None:
    made = added()
    graph = made.subgraph
    (operator,) = graph.operators
    lhs, rhs = (graph.tensors[i] for i in operator.inputs)
    assert (made.name, made.opcode, operator.opcode) == ("a sum", "ADD", "ADD")
    assert (lhs.name, lhs.shape, lhs.is_constant) == ("input 0", (1, 3), False)
    assert (rhs.name, rhs.shape, rhs.is_constant) == ("constant 1", (2, 1), True)
    assert stored_integers(rhs).tolist() == [[10], [20]]
    assert (lhs.quantization.scale.tolist(), rhs.quantization.zero_point.tolist()) == ([0.5], [-1])
    assert len(made.runs) == 1
    assert [values.tolist() for values in made.runs[0]] == [[[1, 2, 3]]]
    assert made.model.description == "a sum"


def test_the_output_has_the_computed_shape() -> None:
    """A row (1, 3) plus a column (2, 1) is (2, 3)."""
    graph = added().subgraph
    (output,) = (graph.tensors[i] for i in graph.outputs)
    assert (output.shape, output.dtype) == ((2, 3), "int8")
    assert (output.quantization.scale.tolist(), output.quantization.zero_point.tolist()) == ([1.0], [7])
    assert [t.shape for t in graph.tensors if t.index not in graph.outputs] == [(1, 3), (2, 1)]


def test_further_runs_replace_the_first_input() -> None:
    row, column = (ProbeOperand(np.full(s, 5, np.int8), qparams(0.5)) for s in ((1, 3), (2, 1)))
    other = np.array([[7, 8, 9]], np.int8)
    made = probe("a sum", "ADD", [row, column], ProbeOutput(qparams(1.0)), ProbeExtras([other]))
    assert [[v.tolist() for v in run] for run in made.runs] == [
        [[[5, 5, 5]], [[5], [5]]], [[[7, 8, 9]], [[5], [5]]],
    ]  # fmt: skip
    assert made.run_order == (0, 1)
    assert replace(made, order=(1, 0, 1)).run_order == (1, 0, 1)


def test_accumulators_have_a_value_for_each_output_element() -> None:
    assert added().accumulators is None
    known = added(ProbeExtras(accumulators=np.array([100, 200, 300]))).accumulators
    assert known is not None
    assert known.tolist() == [[100, 200, 300], [100, 200, 300]]


def test_options_reach_the_operator() -> None:
    options = added(ProbeExtras(options={"fused_activation_function": "RELU6"})).subgraph.operators[0].options
    assert options is not None
    assert options.get("fused_activation_function") == 3  # RELU6 in the schema


def test_drawn_values_are_all_of_int8() -> None:
    values = draw_int8(np.random.default_rng(0), 64, 64)
    assert (values.shape, values.dtype) == ((64, 64), np.int8)
    assert {*values.ravel().tolist()} == {*range(-128, 128)}

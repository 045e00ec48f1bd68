"""Output shapes of SVDF, plain recurrent cells and LSTM, and the text of each misfit."""

from __future__ import annotations

from typing import Any

import pytest

from tests.model.shapes.tables import misfit_of, shapes_of

SVDF = {"input": (2, 3), "weights_feature": (8, 3), "weights_time": (8, 5), "bias": (4,), "state": (2, 40)}


@pytest.mark.parametrize(
    ("rank", "changed", "shape"),
    [
        (2, {}, (2, 4)),
        (1, {"bias": (8,)}, (2, 8)),
        (2, {"input": None}, (None, 4)),
        (2, {"weights_time": None}, (2, 4)),
        (2, {"weights_feature": None, "state": (2, 7)}, (2, None)),
        (2, {"bias": (4, 1), "state": None}, (2, 4)),
    ],
)
def test_svdf(rank: int, changed: dict[str, Any], shape: Any) -> None:
    assert shapes_of(("svdf", "SVDF", {"rank": rank}, SVDF | changed)) == (shape,)


@pytest.mark.parametrize(
    ("rank", "changed", "role", "found"),
    [
        (0, {}, None, "rank is 0, the feature weights have 8 filters"),
        (3, {}, None, "rank is 3, the feature weights have 8 filters"),
        (2, {"input": (3,)}, "input", "the input has 1 dimensions, at least 2 wanted"),
        (2, {"input": (2, 4)}, "weights_feature", "the input has 4 values, the feature weights take 3"),
        (
            2,
            {"weights_feature": (8,)},
            "weights_feature",
            "the weights feature has 1 dimensions, at least 2 wanted",
        ),
        (2, {"weights_time": (8,)}, "weights_time", "the weights time has 1 dimensions, at least 2 wanted"),
        (
            2,
            {"weights_time": (6, 5)},
            "weights_time",
            "the time weights have 6 filters, the feature weights 8",
        ),
        (2, {"bias": (8,)}, "bias", "the bias is [8], [4] wanted"),
        (2, {"bias": ()}, "bias", "the bias has 0 dimensions, at least 1 wanted"),
        (2, {"state": (2, 39)}, "state", "the state is [2, 39], [2, 40] wanted"),
        (2, {"state": (1, 40)}, "state", "the state is [1, 40], [2, 40] wanted"),
        (2, {"state": (2, 40, 1)}, "state", "the state has 3 dimensions, 2 wanted"),
    ],
)
def test_misfits_of_svdf(rank: int, changed: dict[str, Any], role: str | None, found: str) -> None:
    assert misfit_of(("svdf", "SVDF", {"rank": rank}, SVDF | changed)) == (role, found)


CELL = {"input_weights": (5, 3), "recurrent_weights": (5, 5), "bias": (5,), "hidden_state": (2, 5)}


@pytest.mark.parametrize(
    ("law", "opcode", "options", "source", "shape"),
    [
        ("rnn", "RNN", {}, (2, 3), (2, 5)),
        ("rnn", "RNN", {}, None, (None, 5)),
        ("sequence_rnn", "UNIDIRECTIONAL_SEQUENCE_RNN", {}, (2, 7, 3), (2, 7, 5)),
        ("sequence_rnn", "UNIDIRECTIONAL_SEQUENCE_RNN", {"time_major": True}, (7, 2, 3), (7, 2, 5)),
        ("sequence_rnn", "UNIDIRECTIONAL_SEQUENCE_RNN", {}, None, (None, None, 5)),
    ],
)
def test_plain_cell(law: str, opcode: str, options: dict[str, Any], source: Any, shape: Any) -> None:
    assert shapes_of((law, opcode, options, {"input": source, **CELL})) == (shape,)


@pytest.mark.parametrize(
    ("changed", "role", "found"),
    [
        ({"input": (3,)}, "input", "the input has 1 dimensions, at least 2 wanted"),
        ({"input": (2, 4)}, "input_weights", "the input has 4 values, the input weights take 3"),
        ({"input_weights": (5,)}, "input_weights", "the input weights has 1 dimensions, at least 2 wanted"),
        (
            {"recurrent_weights": (5, 4)},
            "recurrent_weights",
            "the recurrent weights is [5, 4], [5, 5] wanted",
        ),
        (
            {"recurrent_weights": (4, 5)},
            "recurrent_weights",
            "the recurrent weights is [4, 5], [5, 5] wanted",
        ),
        (
            {"recurrent_weights": (5,)},
            "recurrent_weights",
            "the recurrent weights has 1 dimensions, at least 2 wanted",
        ),
        ({"bias": (4,)}, "bias", "the bias is [4], [5] wanted"),
        ({"hidden_state": (2, 4)}, "hidden_state", "the hidden state is [2, 4], [2, 5] wanted"),
        ({"hidden_state": (1, 5)}, "hidden_state", "the hidden state is [1, 5], [2, 5] wanted"),
    ],
)
def test_misfits_of_plain_cell(changed: dict[str, Any], role: str, found: str) -> None:
    assert misfit_of(("rnn", "RNN", {}, {"input": (2, 3), **CELL, **changed})) == (role, found)


@pytest.mark.parametrize(
    ("changed", "role", "found"),
    [
        ({"input": (2, 3)}, "input", "the input has 2 dimensions, 3 wanted"),
        ({"bias": (5, 1)}, "bias", "the bias has 2 dimensions, 1 wanted"),
        ({"input_weights": (5, 3, 1)}, "input_weights", "the input weights has 3 dimensions, 2 wanted"),
        (
            {"recurrent_weights": (5, 5, 1)},
            "recurrent_weights",
            "the recurrent weights has 3 dimensions, 2 wanted",
        ),
    ],
)
def test_misfits_of_a_sequence(changed: dict[str, Any], role: str, found: str) -> None:
    asked = ("sequence_rnn", "UNIDIRECTIONAL_SEQUENCE_RNN", {}, {"input": (2, 7, 3), **CELL, **changed})
    assert misfit_of(asked) == (role, found)


BACKWARDS = {"input_weights": (4, 3), "recurrent_weights": (4, 4), "bias": (4,), "hidden_state": (2, 4)}
BOTH_CELLS = {f"fw_{name}": shape for name, shape in CELL.items()}
BOTH_CELLS |= {f"bw_{name}": shape for name, shape in BACKWARDS.items()}


@pytest.mark.parametrize(
    ("options", "source", "changed", "shapes"),
    [
        ({}, (2, 7, 3), {}, ((2, 7, 5), (2, 7, 4))),
        ({"time_major": True}, (7, 2, 3), {}, ((7, 2, 5), (7, 2, 4))),
        ({"merge_outputs": True}, (2, 7, 3), {}, ((2, 7, 9),)),
        ({"merge_outputs": True}, (2, 7, 3), {"fw_input_weights": None}, ((2, 7, None),)),
        ({"merge_outputs": True}, (2, 7, 3), {"bw_input_weights": None}, ((2, 7, None),)),
    ],
)
def test_plain_cells_in_both_directions(
    options: dict[str, Any], source: Any, changed: dict[str, Any], shapes: Any
) -> None:
    operands = {"input": source, **BOTH_CELLS, **changed}
    asked = ("bidirectional_rnn", "BIDIRECTIONAL_SEQUENCE_RNN", options, operands)
    assert shapes_of(asked, len(shapes)) == shapes


@pytest.mark.parametrize(
    ("options", "results", "found"),
    [
        ({}, 1, "there are 1 outputs, merge_outputs wants 2"),
        ({"merge_outputs": True}, 2, "there are 2 outputs, merge_outputs wants 1"),
    ],
)
def test_number_of_outputs_of_both_directions(options: dict[str, Any], results: int, found: str) -> None:
    operands = {"input": (2, 7, 3), **BOTH_CELLS}
    asked = ("bidirectional_rnn", "BIDIRECTIONAL_SEQUENCE_RNN", options, operands)
    assert misfit_of(asked, results) == (None, found)


def gates(cells: int, outputs: int, length: int, prefix: str = "") -> dict[str, Any]:
    """Return all operands of an LSTM with a batch of 2."""
    operands: dict[str, Any] = {}
    for gate in ("input", "forget", "cell", "output"):
        operands[f"input_to_{gate}_weights"] = (cells, length)
        operands[f"recurrent_to_{gate}_weights"] = (cells, outputs)
        operands[f"{gate}_layer_norm_coefficients"] = (cells,)
        operands["cell_gate_bias" if gate == "cell" else f"{gate}_gate_bias"] = (cells,)
        if gate != "cell":
            operands[f"cell_to_{gate}_weights"] = (cells,)
    operands |= {"projection_weights": (outputs, cells), "projection_bias": (outputs,)}
    operands |= {"output_state": (2, outputs), "cell_state": (2, cells)}
    return {prefix + role: shape for role, shape in operands.items()}


LSTM = gates(5, 4, 3)


@pytest.mark.parametrize(
    ("law", "opcode", "options", "source", "shape"),
    [
        ("lstm", "LSTM", {}, (2, 3), (2, 4)),
        ("lstm", "LSTM", {}, None, (None, 4)),
        ("sequence_lstm", "UNIDIRECTIONAL_SEQUENCE_LSTM", {}, (2, 7, 3), (2, 7, 4)),
        ("sequence_lstm", "UNIDIRECTIONAL_SEQUENCE_LSTM", {"time_major": True}, (7, 2, 3), (7, 2, 4)),
    ],
)
def test_lstm(law: str, opcode: str, options: dict[str, Any], source: Any, shape: Any) -> None:
    assert shapes_of((law, opcode, options, {"input": source, **LSTM})) == (shape,)


def test_lstm_with_few_operands() -> None:
    """The LSTM has no input gate, peepholes, projection or layer normalization."""
    few = {
        role: shape
        for role, shape in LSTM.items()
        if role.startswith(("input_to_", "recurrent_to_")) and "_to_input" not in role
    }
    assert shapes_of(("lstm", "LSTM", {}, {"input": (2, 3), **few})) == ((2, 4),)


def test_diagonal_recurrent_weights_are_vectors() -> None:
    diagonal = {role: (4,) for role in LSTM if role.startswith("recurrent_to_")}
    options = {"diagonal_recurrent_tensors": True}
    opcode = "UNIDIRECTIONAL_SEQUENCE_LSTM"
    operands = {"input": (2, 7, 3), **LSTM}
    assert shapes_of(("sequence_lstm", opcode, options, operands | diagonal)) == ((2, 7, 4),)
    assert misfit_of(("sequence_lstm", opcode, options, operands)) == (
        "recurrent_to_output_weights",
        "the recurrent to output weights has 2 dimensions, 1 wanted",
    )
    wrong = {**diagonal, "recurrent_to_cell_weights": (5,)}
    assert misfit_of(("sequence_lstm", opcode, options, operands | wrong)) == (
        "recurrent_to_cell_weights",
        "the recurrent to cell weights is [5], [4] wanted",
    )


def without(*roles: str) -> dict[str, Any]:
    return {role: shape for role, shape in LSTM.items() if role not in roles}


@pytest.mark.parametrize(
    ("role", "shape", "found"),
    [
        ("input", (3,), "the input has 1 dimensions, at least 2 wanted"),
        ("input_to_forget_weights", (5, 2), "the input to forget weights is [5, 2], [5, 3] wanted"),
        ("input_to_cell_weights", (4, 3), "the input to cell weights is [4, 3], [5, 3] wanted"),
        ("recurrent_to_input_weights", (5, 3), "the recurrent to input weights is [5, 3], [5, 4] wanted"),
        ("cell_to_output_weights", (4,), "the cell to output weights is [4], [5] wanted"),
        ("forget_layer_norm_coefficients", (4,), "the forget layer norm coefficients is [4], [5] wanted"),
        ("cell_gate_bias", (4,), "the cell gate bias is [4], [5] wanted"),
        ("output_gate_bias", (4,), "the output gate bias is [4], [5] wanted"),
        ("projection_weights", (5, 4), "the projection weights is [5, 4], [4, 5] wanted"),
        ("projection_bias", (5,), "the projection bias is [5], [4] wanted"),
        ("output_state", (2, 5), "the output state has 10 values, 8 wanted"),
        ("cell_state", (2, 4), "the cell state has 8 values, 10 wanted"),
    ],
)
def test_misfits_of_lstm(role: str, shape: Any, found: str) -> None:
    assert misfit_of(("lstm", "LSTM", {}, {"input": (2, 3), **LSTM, role: shape})) == (role, found)


@pytest.mark.parametrize(
    ("absent", "role", "found"),
    [
        (("input_gate_bias",), "input_gate_bias", "the input gate has input to input weights and no input gate bias"),
        (("recurrent_to_input_weights",), "recurrent_to_input_weights",
         "the input gate has input to input weights and no recurrent to input weights"),
        (("input_to_input_weights",), "input_to_input_weights",
         "the input gate has recurrent to input weights and no input to input weights"),
        (("cell_to_forget_weights",), "cell_to_forget_weights",
         "there are cell to output weights and no cell to forget weights"),
        (("cell_to_output_weights",), "cell_to_output_weights",
         "there are cell to forget weights and no cell to output weights"),
        (("cell_to_input_weights",), "cell_to_input_weights",
         "there are cell to forget weights and no cell to input weights"),
        (("cell_to_forget_weights", "cell_to_output_weights"), "cell_to_forget_weights",
         "there are cell to input weights and no cell to forget weights"),
        (("projection_weights",), "projection_bias", "there is a projection bias without projection weights"),
    ],
)  # fmt: skip
def test_operands_that_come_together(absent: tuple[str, ...], role: str, found: str) -> None:
    assert misfit_of(("lstm", "LSTM", {}, {"input": (2, 3), **without(*absent)})) == (role, found)


def test_without_an_input_gate_its_peephole_needs_the_others() -> None:
    gate = ("input_to_input_weights", "recurrent_to_input_weights", "input_gate_bias")
    peepholes = ("cell_to_forget_weights", "cell_to_output_weights")
    sound = {"input": (2, 3), **without(*gate, "cell_to_input_weights")}
    assert shapes_of(("lstm", "LSTM", {}, sound)) == ((2, 4),)
    lone = {"input": (2, 3), **without(*gate, *peepholes)}
    assert misfit_of(("lstm", "LSTM", {}, lone)) == (
        "cell_to_forget_weights",
        "there are cell to input weights and no cell to forget weights",
    )


BASIC = {
    "input": (2, 3), "input_to_input_weights": (2, 5), "input_to_forget_weights": (20, 8),
    "input_to_cell_weights": (20,), "input_to_output_weights": (2, 5),
}  # fmt: skip


def test_lstm_of_the_basic_kernel() -> None:
    asked = ("lstm", "LSTM", {"kernel_type": "BASIC"}, BASIC)
    assert shapes_of(asked, 4) == ((2, 5), (2, 5), (2, 8), (2, 20))
    assert shapes_of(asked, 1) == ((2, 5),)
    unknown = ("lstm", "LSTM", {"kernel_type": "BASIC"}, BASIC | {"input_to_input_weights": None})
    assert shapes_of(unknown, 4) == ((2, None), (2, None), (2, None), (2, None))
    unknown = ("lstm", "LSTM", {"kernel_type": "BASIC"}, BASIC | {"input": None})
    assert shapes_of(unknown, 4) == ((None, 5), (None, 5), (None, None), (None, 20))


@pytest.mark.parametrize(
    ("role", "shape", "found"),
    [
        ("input", (2,), "the input has 1 dimensions, 2 wanted"),
        ("input_to_input_weights", (3, 5), "the input to input weights is [3, 5], [2, 5] wanted"),
        ("input_to_forget_weights", (20, 7), "the input to forget weights is [20, 7], [20, 8] wanted"),
        ("input_to_forget_weights", (15, 8), "the input to forget weights is [15, 8], [20, 8] wanted"),
        ("input_to_cell_weights", (5,), "the input to cell weights is [5], [20] wanted"),
        ("input_to_output_weights", (2, 4), "the input to output weights is [2, 4], [2, 5] wanted"),
    ],
)
def test_misfits_of_the_basic_kernel(role: str, shape: Any, found: str) -> None:
    asked = ("lstm", "LSTM", {"kernel_type": "BASIC"}, BASIC | {role: shape})
    assert misfit_of(asked, 4) == (role, found)


BOTH = gates(5, 4, 3, "fw_") | gates(5, 6, 3, "bw_")


def test_lstm_in_both_directions() -> None:
    """The default of ``time_major`` is true here, but false in a single direction."""
    opcode = "BIDIRECTIONAL_SEQUENCE_LSTM"
    asked = ("bidirectional_lstm", opcode, {"time_major": True}, {"input": (7, 2, 3), **BOTH})
    assert shapes_of(asked, 2) == ((7, 2, 4), (7, 2, 6))
    asked = ("bidirectional_lstm", opcode, {}, {"input": (7, 2, 3), **BOTH})
    assert shapes_of(asked, 2) == ((7, 2, 4), (7, 2, 6))
    asked = ("bidirectional_lstm", opcode, {"time_major": False}, {"input": (2, 7, 3), **BOTH})
    assert shapes_of(asked, 2) == ((2, 7, 4), (2, 7, 6))
    asked = ("bidirectional_lstm", opcode, {"merge_outputs": True}, {"input": (7, 2, 3), **BOTH})
    assert shapes_of(asked, 1) == ((7, 2, 10),)


def test_both_directions_have_as_many_cells() -> None:
    operands = {"input": (7, 2, 3), **gates(5, 4, 3, "fw_"), **gates(6, 4, 3, "bw_")}
    assert misfit_of(("bidirectional_lstm", "BIDIRECTIONAL_SEQUENCE_LSTM", {}, operands), 2) == (
        "bw_input_to_output_weights",
        "there are 6 cells backwards, 5 forwards",
    )

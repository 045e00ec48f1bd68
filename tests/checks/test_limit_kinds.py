"""Impacts of limits that depend on other tensors and calls, as measured with ai-edge-litert 2.3.0."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from litecheck.model.build import qparams
from litecheck.model.types import Model
from litecheck.quantization import Quantization
from tests.checks.test_called_types import impacts, retyped, specimen
from tests.differential.silent_faults import faults
from tests.differential.structure.edit import holding, with_operator, with_tensor

ONCE = "CALL_ONCE, variables"


def initialized(quantization: Quantization) -> Model:
    """Return a variable that is initialized with these parameters, but read with scale 0.05 and zero point 3."""
    model = specimen(ONCE)
    first = model.subgraphs[1]
    value = first.tensors[first.operators[1].inputs[1]]
    return with_tensor(model, first, replace(value, quantization=quantization))


def test_assignment_in_the_same_subgraph() -> None:
    model = specimen(ONCE)
    main = model.subgraphs[0]
    value = main.tensors[main.operators[4].inputs[1]]
    changed = with_tensor(model, main, replace(value, quantization=qparams(0.75, 0)))
    path = "READ_VARIABLE/limits/variable_mismatches"
    assert impacts(changed)[path] == "rejected by the default interpreter only"


@pytest.mark.parametrize(
    ("quantization", "wanted"),
    [
        (qparams(0.75, 0), "wrong results"),
        (qparams(0.05, 200), "fails at run time"),
        (qparams(np.float32(0), 3), "fails at run time"),
    ],
)
def test_initialization(quantization: Quantization, wanted: str) -> None:
    assert impacts(initialized(quantization))["READ_VARIABLE/limits/variable_mismatches"] == wanted


@pytest.mark.parametrize(
    ("shape", "wanted"), [((1, 3), "wrong results"), ((0, 3), "crashes"), ((2, 3), None)]
)
def test_shorter_initialization(shape: tuple[int, int], wanted: str | None) -> None:
    model = specimen(ONCE)
    first = model.subgraphs[1]
    value = first.tensors[first.operators[1].inputs[1]]
    changed = with_tensor(model, first, holding(value, np.zeros(shape, np.int8)))
    assert impacts(changed).get("READ_VARIABLE/limits/shorter_assignments") == wanted


@pytest.mark.parametrize(
    ("subgraph", "operator", "dtype", "wanted"),
    [
        (0, 1, "int32", "rejected by the default interpreter only"),
        (0, 1, "float32", "fails to load"),
        (1, 0, "int32", "fails at run time"),
        (1, 0, "float32", "fails at run time"),
    ],
)
def test_type_of_a_handle(subgraph: int, operator: int, dtype: str, wanted: str) -> None:
    """The runtime prepares a subgraph that only initializes variables when the model runs."""
    changed = retyped(specimen(ONCE), subgraph, operator, "outputs", 0, dtype)
    assert impacts(changed)["VAR_HANDLE/output/dtype"] == wanted


def test_version_in_an_initialization() -> None:
    """The runtime reads versions when it loads the model, in every subgraph."""
    model = specimen(ONCE)
    first = model.subgraphs[1]
    changed = with_operator(model, first, replace(first.operators[0], version=99))
    assert impacts(changed)["VAR_HANDLE/limits/version"] == "fails to load"


def test_rejected_recursion() -> None:
    """The kernel counts the inputs before it prepares the called subgraph."""
    model = specimen("IF")
    main = model.subgraphs[0]
    call = main.operators[0]
    assert call.options
    options = replace(call.options, fields={**call.options.fields, "then_subgraph_index": 0})
    found = impacts(with_operator(model, main, replace(call, options=options)))
    assert found["IF/limits/recursion"] == found["IF/limits/arity_mismatches"] == "fails to load"


def test_recursion() -> None:
    """Control: a loop that is its own body passes the right number of tensors, and crashes."""
    model = next(f.bad for f in faults() if f.name == "WHILE of its own")
    assert impacts(model)["WHILE/limits/recursion"] == "crashes"


@pytest.mark.parametrize(
    ("name", "place", "wanted"),
    [
        ("UNIDIRECTIONAL_SEQUENCE_LSTM", 1, "fails to load"),
        ("UNIDIRECTIONAL_SEQUENCE_LSTM", 5, "fails to load"),
        ("UNIDIRECTIONAL_SEQUENCE_LSTM", 12, "crashes"),
        ("UNIDIRECTIONAL_SEQUENCE_LSTM CIFG", None, None),
    ],
)
def test_input_gate(name: str, place: int | None, wanted: str | None) -> None:
    found = impacts(without_input(specimen(name), place))
    assert found.get("UNIDIRECTIONAL_SEQUENCE_LSTM/limits/input_gate_operands") == wanted


@pytest.mark.parametrize("opcode", ["LSTM", "UNIDIRECTIONAL_SEQUENCE_LSTM"])
@pytest.mark.parametrize(
    ("place", "wanted"),
    [
        (None, None),
        (20, "fails to load"),
        (21, "wrong results"),
        (22, "fails to load"),
        (23, "fails to load"),
    ],
)
def test_layer_normalization(opcode: str, place: int | None, wanted: str | None) -> None:
    found = impacts(without_input(specimen(f"{opcode} layer norm"), place))
    assert found.get(f"{opcode}/limits/absent_layer_norm_operands") == wanted


def without_input(model: Model, place: int | None) -> Model:
    """Return the model of a single operator with an absent input."""
    main = model.subgraphs[0]
    only = main.operators[0]
    inputs = tuple(-1 if n == place else i for n, i in enumerate(only.inputs))
    return with_operator(model, main, replace(only, inputs=inputs))

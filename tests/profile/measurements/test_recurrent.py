"""Measurements of the integer LSTM, and of the type that the kernel reads a bias as."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.registry import measurement
from litecheck.quantization import Quantization


def measured(name: str, **roles: Quantization | None) -> Measured:
    """Measure an operator with tensors of these roles; None is an absent tensor."""
    builder = ModelBuilder("lstm")
    graph = builder.subgraph("main")
    graph.add("LSTM", [], [])
    model = builder.finish()
    bound = {
        role: () if q is None else (Tensor(0, role, "int8", (1,), quantization=q),)
        for role, q in roles.items()
    }
    main = model.subgraphs[0]
    return measurement(name)(Operands(main.operators[0], bound, main, model))


SCALED = {f"{gate}_gate_intermediate": qparams(0.5) for gate in ("input", "forget", "cell", "output")}
WEIGHTS = {f"input_to_{gate}_weights": qparams(0.5) for gate in ("input", "forget", "cell", "output")}


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, 0),
        ({"cell_gate_intermediate": None}, 1),
        ({"cell_gate_intermediate": Quantization(), "forget_gate_intermediate": qparams(0)}, 2),
        ({"cell_gate_intermediate": qparams([0.5, 0.5])}, 1),
        ({"output_gate_intermediate": qparams(np.nan)}, 1),
        ({"output_gate_intermediate": qparams(np.inf)}, 1),
        ({"output_gate_intermediate": qparams(1e-40)}, 1),
        ({"output_gate_intermediate": qparams(-0.5)}, 1),
        # without an input gate, the kernel reads the scale of its weights and does not use it
        ({"input_to_input_weights": None, "input_gate_intermediate": qparams(0)}, 0),
        ({"input_to_input_weights": None, "input_gate_intermediate": Quantization()}, 1),
        ({"input_gate_intermediate": qparams(0)}, 1),
    ],
)
def test_gates_without_a_scale(changes: dict[str, Quantization | None], wanted: int) -> None:
    assert measured("unscaled_gates", **{**SCALED, **WEIGHTS, **changes}) == wanted


def test_hidden_is_the_output_state() -> None:
    state = {"output_state": qparams(0.5, 3)}
    assert measured("hidden_mismatches", hidden=qparams(0.5, 3), **state) == 0
    assert measured("hidden_mismatches", hidden=qparams(0.5, 4), **state) == 1
    assert measured("hidden_mismatches", hidden=qparams(0.25, 3), **state) == 1
    assert measured("hidden_mismatches", hidden=Quantization(), **state) == 1
    projected = measured("hidden_mismatches", hidden=qparams(0.25), projection_weights=qparams(1), **state)
    assert (projected, measured("hidden_mismatches", hidden=None, **state)) == (None, None)


@pytest.mark.parametrize(
    ("dtype", "stated", "wanted"),
    [
        ("int64", None, "no"),
        ("int64", "int64", "no"),
        ("int32", "int32", "no"),
        ("int32", None, "int32 read as int64 by default"),
        ("int32", "int64", "int32 read as int64"),
        ("int64", "int32", "int64 read as int32"),
        ("int16", "int16", "int16 read as int16"),
        (None, "int32", None),
    ],
)
def test_the_type_that_a_bias_is_read_as(dtype: str | None, stated: str | None, wanted: str | None) -> None:
    builder = ModelBuilder("bias")
    graph = builder.subgraph("main")
    options = {"quantized_bias_type": stated} if stated else {}
    graph.add("FULLY_CONNECTED", [], [], **options)
    model = builder.finish()
    bias = () if dtype is None else (Tensor(0, "bias", dtype, (1,)),)
    main = model.subgraphs[0]
    operands = Operands(main.operators[0], {"bias": bias}, main, model)
    assert measurement("bias_type_mismatch")(operands) == wanted


@pytest.mark.parametrize(("dtype", "wanted"), [("int32", "no"), ("int64", "int64 read as int32 by default")])
def test_beside_weights_of_16_bits_a_bias_is_read_as_int32(dtype: str, wanted: str) -> None:
    builder = ModelBuilder("bias")
    builder.subgraph("main").add("FULLY_CONNECTED", [], [])
    model = builder.finish()
    main = model.subgraphs[0]
    roles = {"weight": (Tensor(0, "weight", "int16", (1, 1)),), "bias": (Tensor(1, "bias", dtype, (1,)),)}
    operands = Operands(main.operators[0], roles, main, model)
    assert measurement("bias_type_mismatch")(operands) == wanted

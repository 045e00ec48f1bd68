"""Measurements of hybrid and recurrent operators: values computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, Option, qparams
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.registry import measurement

Part = tuple[str, tuple[int, ...], str, list[float], int, bool]


def measured(name: str, opcode: str, parts: list[Part], outputs: int = 1, **options: Option) -> Measured:
    """Measure an operator; a part is role, shape, type, scales, quantized dimension, and True for a constant."""
    builder = ModelBuilder("one")
    graph = builder.subgraph("main")
    found = {}
    for role, shape, dtype, scales, axis, constant in parts:
        q = qparams(scales, 0, axis) if scales else None
        values = np.zeros(shape, "int8" if dtype.startswith("int") else dtype)
        found[role] = (
            graph.constant(role, values, q, dtype) if constant else graph.tensor(role, shape, dtype, q)
        )
    results = [graph.tensor(f"y{n}", (1,), "float32") for n in range(outputs)]
    graph.add(opcode, list(found.values()), results, **options)
    model = builder.finish()
    main = model.subgraphs[0]
    roles = {role: (main.tensors[index],) for role, index in found.items()}
    return measurement(name)(Operands(main.operators[0], roles, main, model))


def weight(
    scales: list[float], dtype: str = "int8", constant: bool = True, role: str = "weight", axis: int = 0
) -> Part:
    return (role, (2, 3), dtype, scales, axis, constant)


def image(channels: int) -> Part:
    return ("input", (1, 2, 2, channels), "float32", [], 0, False)


@pytest.mark.parametrize(
    ("name", "opcode", "parts", "options", "wanted"),
    [
        ("computed_weight_scales", "CONV_2D", [weight([0.5, 0.25])], {}, 0),
        ("computed_weight_scales", "CONV_2D", [weight([0.5, 0.25], constant=False)], {}, 2),
        ("computed_weight_scales", "CONV_2D", [weight([0.5, 0.5], constant=False)], {}, 1),
        ("computed_weight_sums", "FULLY_CONNECTED", [weight([0.5], constant=False)], {}, 0),
        ("computed_weight_sums", "FULLY_CONNECTED", [weight([0.5])], {"asymmetric_quantize_inputs": True}, 0),
        ("computed_weight_sums", "FULLY_CONNECTED", [weight([0.5], constant=False)],
         {"asymmetric_quantize_inputs": True}, 1),
        ("unsigned_weight_scales", "CONV_2D", [weight([0.5, 0.25])], {}, None),
        ("unsigned_weight_scales", "CONV_2D", [weight([0.5, 0.25], "uint8")], {}, 2),
        ("groups_of_one_scale", "CONV_2D", [image(6), weight([0.5])], {}, 2),
        ("groups_of_one_scale", "CONV_2D", [image(3), weight([0.5])], {}, 1),
        ("groups_of_one_scale", "CONV_2D", [image(6), weight([0.5, 0.25])], {}, None),
        ("weight_types", "RNN", [weight([0.5], role="weights"), weight([0.5], role="recurrent_weights")], {}, 1),
        ("weight_types", "SVDF", [weight([0.5], role="weights_feature"), weight([0.5], "uint8", role="weights_time")],
         {}, 2),
        ("column_axis_gap", "BATCH_MATMUL", [weight([0.5, 0.5, 1], role="rhs", axis=1)], {}, 0),
        ("column_axis_gap", "BATCH_MATMUL", [weight([0.5, 0.5, 1], role="rhs", axis=1)], {"adj_y": True}, 1),
        ("column_axis_gap", "BATCH_MATMUL", [weight([0.5, 1], role="rhs")], {"adj_y": True}, 0),
        ("column_axis_gap", "BATCH_MATMUL", [weight([0.5], role="rhs", axis=1)], {}, None),
        ("float_scales", "DEQUANTIZE", [weight([0.5, 1], "float16", role="input")], {}, 2),
        ("float_scales", "DEQUANTIZE", [weight([0.5, 1], role="input")], {}, None),
    ],
)  # fmt: skip
def test_measured(
    name: str, opcode: str, parts: list[Part], options: dict[str, Option], wanted: Measured
) -> None:
    assert measured(name, opcode, parts, **options) == wanted


GATE = ("input_to_input_weights", "recurrent_to_input_weights", "input_gate_bias")
PEEPHOLES = ("cell_to_input_weights", "cell_to_forget_weights", "cell_to_output_weights")
NORM = tuple(f"{gate}_layer_norm_coefficients" for gate in ("input", "forget", "cell", "output"))


def named(*roles: str) -> list[Part]:
    return [weight([0.5], role=role) for role in roles]


@pytest.mark.parametrize(
    ("name", "roles", "wanted"),
    [
        ("partial_input_gate", (), 0),
        ("partial_input_gate", GATE, 0),
        ("partial_input_gate", GATE[:2], 2),
        ("partial_input_gate", [*(f"fw_{role}" for role in GATE), "bw_input_gate_bias"], 1),
        ("partial_peepholes", PEEPHOLES[1:], 0),  # without an input gate, two peepholes are complete
        ("partial_peepholes", [GATE[0], *PEEPHOLES[1:]], 2),
        ("partial_peepholes", [GATE[0], *PEEPHOLES], 0),
        ("partial_peepholes", ["bw_cell_to_output_weights"], 1),
        ("missing_layer_norm", [GATE[0], *NORM], 0),
        ("missing_layer_norm", NORM[1:], 0),
        ("missing_layer_norm", [GATE[0], *NORM[1:3]], 2),
        ("missing_layer_norm", NORM[2:], 0),  # the coefficients of the forget gate decide
        ("lone_projection_bias", ["projection_bias"], 1),
        ("lone_projection_bias", ["projection_weights", "projection_bias"], 0),
        ("lone_projection_bias", ["fw_projection_bias", "bw_projection_bias"], 2),
    ],
)
def test_optional_parts(name: str, roles: list[str], wanted: int) -> None:
    assert measured(name, "LSTM", named(*roles)) == wanted

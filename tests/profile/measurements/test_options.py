"""Measurements of options and wiring: values computed by hand, and None without the option."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.model.build import ModelBuilder, Option, SubgraphBuilder, qparams
from litecheck.model.types import Model, Operator
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.registry import measurement
from tests.profile.zero_models import fused

#: A shape of float32, or a type and a shape.
Operand = tuple[Any, ...]


def built(opcode: str, roles: dict[str, Operand], outputs: int = 1, **options: Option) -> Operands:
    """Return an operator with these operands; a role called output is one of its outputs."""
    version = int(options.pop("version", 1))  # type: ignore[call-overload]
    builder = ModelBuilder("one")
    graph = builder.subgraph("main")
    made = {}
    for role, what in roles.items():
        dtype, shape = (what[0], what[1]) if what and isinstance(what[0], str) else ("float32", what)
        made[role] = graph.tensor(role, shape, dtype)
    results = [made["output"]] if "output" in made else []
    results += [graph.tensor(f"y{n}", (1,), "float32") for n in range(outputs - len(results))]
    graph.add(
        opcode, [i for role, i in made.items() if role != "output"], results, version=version, **options
    )
    model = builder.finish()
    main = model.subgraphs[0]
    return Operands(main.operators[0], {role: (main.tensors[i],) for role, i in made.items()}, main, model)


def with_operator(operands: Operands, operator: Operator) -> Operands:
    """Return the operands under another operator of the same tensors."""
    return Operands(operator, operands.roles, operands.subgraph, operands.model)


X = (1, 4, 6, 3)
DEPTHWISE = {"input": X, "weight": (1, 3, 3, 6)}


@pytest.mark.parametrize(
    ("name", "opcode", "roles", "options", "wanted"),
    [
        ("version", "RELU", {"input": X}, {"version": 7}, 7),
        ("options_table", "RELU", {"input": X}, {}, "none"),
        ("options_table", "MAX_POOL_2D", {"input": X}, {}, "Pool2DOptions"),
        ("padding", "CONV_2D", {"input": X}, {"padding": "VALID"}, "VALID"),
        ("padding", "CONV_2D", {"input": X}, {"padding": 7}, "7"),
        ("padding", "ADD", {"lhs": X}, {}, None),
        ("padding", "STABLEHLO_REDUCE_WINDOW", {"input": X}, {"padding": [1, 1]}, None),
        ("fused_activation", "ADD", {"lhs": X}, {}, "NONE"),
        ("fused_activation", "ADD", {"lhs": X}, {"fused_activation_function": "TANH"}, "TANH"),
        ("fused_activation", "ADD", {"lhs": X}, {"fused_activation_function": -3}, "-3"),
        ("block_size", "SPACE_TO_DEPTH", {"input": X}, {"block_size": -2}, -2),
        ("beta", "SOFTMAX", {"input": X}, {"beta": -1.0}, -1),
        ("reference_version", "GELU", {"input": X}, {"version": 3}, 3),
        ("unknown_types", "CAST", {"input": X}, {"in_data_type": 100, "out_data_type": 0}, 1),
        ("unknown_types", "RELU", {"input": X}, {}, None),
        ("beta", "SOFTMAX", {"input": X}, {"beta": float("nan")}, "not finite"),
        ("clips_below_zero", "LSTM", {"input": X}, {"cell_clip": -1.0, "proj_clip": float("nan")}, 2),
        ("clips_below_zero", "LSTM", {"input": X}, {"cell_clip": 0.0, "proj_clip": 3.0}, 0),
        ("quantized_beta", "SOFTMAX", {"input": ("int8", X)}, {"beta": 0.5}, Fraction(1, 2)),
        ("quantized_beta", "SOFTMAX", {"input": ("int8", X)}, {"beta": float("inf")}, "not finite"),
        ("quantized_beta", "SOFTMAX", {"input": X}, {"beta": -1.0}, None),
        ("quantized_alpha", "LEAKY_RELU", {"input": ("int8", X)}, {"alpha": float("nan")}, "not finite"),
        ("axis_option", "ONE_HOT", {"indices": (3,)}, {"axis": -1}, -1),
        ("mirror_mode", "MIRROR_PAD", {"input": X}, {"mode": "SYMMETRIC"}, "SYMMETRIC"),
        ("weights_format", "FULLY_CONNECTED", {"input": X}, {"weights_format": 1}, "SHUFFLED4x16INT8"),
        ("kernel_type", "LSTM", {"input": X}, {}, "FULL"),
        ("absent_lstm_operands", "LSTM", {"input": X}, {}, 11),
        ("absent_lstm_operands", "LSTM", {"input_gate_bias": X}, {}, 13),
        ("absent_lstm_operands", "LSTM", {"input": X}, {"kernel_type": "BASIC"}, None),
        ("svdf_rank", "SVDF", {"input": X}, {"rank": 2}, 2),
        ("lsh_type", "LSH_PROJECTION", {"input": X}, {}, "UNKNOWN"),
        ("reduce_function", "REDUCE_WINDOW", {"input": X}, {"reduce_function": "ADD"}, "ADD"),
        ("random_algorithm", "STABLEHLO_RNG_BIT_GENERATOR", {"state": X}, {}, "DEFAULT"),
        ("result_type", "ARG_MAX", {"input": X}, {"output_type": "int64"}, "INT64"),
        ("result_type", "UNIQUE", {"input": X}, {}, "INT32"),
        ("result_type_differs", "SHAPE", {"input": X, "output": ("int32", (4,))}, {"out_type": "int64"}, "yes"),
        ("result_type_differs", "SHAPE", {"input": X, "output": ("int64", (4,))}, {"out_type": "int64"}, "no"),
        ("narrow_range", "FAKE_QUANT", {"input": X}, {"narrow_range": True}, "yes"),
        ("radius", "LOCAL_RESPONSE_NORMALIZATION", {"input": X}, {"radius": 5}, 5),
        ("input_types", "ADD", {"lhs": X, "rhs": ("int8", X)}, {}, 2),
        ("input_types", "VAR_HANDLE", {}, {}, None),
        ("data_types", "RELU", {"input": X, "output": ("int8", X)}, {}, 2),
        ("smallest_interior_padding", "STABLEHLO_PAD", {"input": X}, {"interior_padding": [0, -2]}, -2),
        ("smallest_interior_padding", "STABLEHLO_PAD", {"input": X}, {}, None),
        ("boundaries_descending", "BUCKETIZE", {"input": X}, {"boundaries": np.array([1, 3, 2, 2], np.float32)}, 1),
        ("delegated_rank", "MEAN", {"input": X}, {}, 4),
        ("delegated_rank", "MEAN", {"input": ("int16", X)}, {}, None),
        ("delegated_float_rank", "SOFTMAX", {"input": ("int8", X)}, {}, None),
        ("broadcast_rank", "ADD", {"lhs": X, "rhs": (3,), "output": X}, {}, 4),
        ("broadcast_rank", "ADD", {"lhs": X, "rhs": X, "output": (3,)}, {}, None),
        ("listed_inputs", "ADD", {"lhs": X, "rhs": X}, {}, 2),
        ("miscounted_results", "LSTM", {"input": X}, {"kernel_type": "BASIC"}, 3),
        ("miscounted_results", "BIDIRECTIONAL_SEQUENCE_LSTM", {"input": X}, {}, 1),
        ("miscounted_results", "ADD", {"lhs": X}, {}, None),
        ("aliased_outputs", "ADD", {"lhs": X, "rhs": X}, {}, 0),
        ("exponent_step", "SOFTMAX", {"input": ("int16", (4,))}, {"beta": 2.0}, None),
        ("exponent_step", "RELU", {"input": ("int16", (4,))}, {}, None),
        ("fused_bound", "ADD", {"lhs": X}, {}, None),
        ("fused_bound", "ADD", {"lhs": X}, {"fused_activation_function": "RELU6"}, None),
        ("results_of_nothing", "SUM", {"input": (4, 0), "output": (4,)}, {}, 1),
        ("results_of_nothing", "SUM", {"input": (0, 3), "output": (0,)}, {}, 0),
        ("results_of_nothing", "SUM", {"input": (4, 3), "output": (4,)}, {}, 0),
        ("results_of_nothing", "ADD", {"lhs": (4, 0), "output": (4,)}, {}, None),
    ],
)  # fmt: skip
def test_values_worked_out_by_hand(
    name: str, opcode: str, roles: dict[str, Operand], options: dict[str, Option], wanted: Measured
) -> None:
    assert measurement(name)(built(opcode, roles, **options)) == wanted


def test_options_of_another_operator_and_none() -> None:
    sound = built("CONV_2D", {"input": X})
    for table in (Table("AddOptions"), None):
        other = with_operator(sound, replace(sound.operator, options=table))
        assert measurement("smallest_stride")(other) is None
        assert measurement("options_table")(other) == ("none" if table is None else "AddOptions")


def test_an_output_that_is_an_input() -> None:
    sound = built("ADD", {"lhs": X, "rhs": X})
    wired = replace(sound.operator, outputs=(*sound.operator.inputs, -1))
    assert measurement("aliased_outputs")(with_operator(sound, wired)) == 2


@pytest.mark.parametrize(
    ("scale", "function", "found"),
    [
        (0.0, "RELU", "not finite"), (np.nan, "RELU", "not finite"), (np.nan, "RELU6", "not finite"),
        (0.0, "NONE", None), (0.5, "RELU", None), (0.5, "RELU_N1_TO_1", 2), (-0.5, "RELU6", None),
        (np.inf, "RELU6", None),
    ],
)  # fmt: skip
def test_bounds_of_fused_activations(scale: float, function: str, found: Measured) -> None:
    model = fused("int8", scale, function)
    graph = model.subgraphs[0]
    tensors = {"output": (graph.tensors[graph.outputs[0]],)}
    assert measurement("fused_bound")(Operands(graph.operators[0], tensors, graph, model)) == found


def _whole(model: Model, name: str) -> Measured:
    return measurement(name)(Operands(model.subgraphs[0].operators[0], {}, model.subgraphs[0], model))


def _graph() -> tuple[ModelBuilder, SubgraphBuilder, int, int]:
    builder = ModelBuilder("wiring")
    graph = builder.subgraph("main")
    x, y = graph.tensor("x", (4,), "float32"), graph.tensor("y", (4,), "float32")
    graph.add("NEG", [x], [y])
    return builder, graph, x, y


def test_outputs_without_a_writer() -> None:
    """An input, a constant, a variable and an empty tensor need no writer."""
    builder, graph, x, y = _graph()
    held = graph.constant("c", np.ones(4, np.float32))
    state = graph.tensor("v", (4,), "float32", is_variable=True)
    empty, lost = graph.tensor("e", (0,), "float32"), graph.tensor("z", (4,), "float32")
    graph.inputs(x)
    graph.outputs(y, x, held, state, empty, lost, lost)
    assert _whole(builder.finish(), "unwritten_outputs") == 2


def test_the_exponent_of_softmax_takes_beta_and_scale() -> None:
    bound = built("SOFTMAX", {"input": ("int16", (4,))}, beta=2.0)
    given = replace(bound.roles["input"][0], quantization=qparams(0.5))
    operands = Operands(bound.operator, {"input": (given,)}, bound.subgraph, bound.model)
    assert measurement("exponent_step")(operands) == 1


def test_variables_that_are_written_or_hold_no_numbers() -> None:
    builder, graph, x, y = _graph()
    kept = graph.tensor("kept", (4,), "float32", is_variable=True)
    graph.tensor("idle", (4,), "float32", is_variable=True)
    graph.tensor("named", (), "resource", is_variable=True)
    graph.add("NEG", [y], [kept])
    graph.inputs(x)
    graph.outputs(kept)
    assert _whole(builder.finish(), "written_variables") == 1
    assert _whole(builder.finish(), "typeless_variables") == 1


def test_inputs_that_cannot_be_set() -> None:
    builder, graph, x, y = _graph()
    handle = graph.tensor("handle", (), "resource")
    graph.inputs(x, handle)
    graph.outputs(y)
    assert _whole(builder.finish(), "handle_inputs") == 1
    called = builder.subgraph("called")
    called.inputs(called.tensor("handle", (), "resource"))
    model = builder.finish()
    whole = Operands(model.subgraphs[0].operators[0], {}, model.subgraphs[1], model)
    assert measurement("handle_inputs")(whole) == 0


def test_constants_that_are_variables_or_inputs() -> None:
    builder, graph, x, y = _graph()
    held = graph.constant("c", np.ones(4, np.float32), is_variable=True)
    graph.constant("d", np.ones(4, np.float32))
    graph.inputs(x, held)
    graph.outputs(y)
    assert _whole(builder.finish(), "variable_constants") == 1
    assert _whole(builder.finish(), "constant_inputs") == 1

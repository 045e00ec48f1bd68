"""Measurements that decide the backend of an operator, and chains of operators that XNNPACK computes as a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.types import Model, Operator, Tensor
from litecheck.quantization import Blockwise, Quantization
from litecheck.reference.dispatch_conditions import MEASUREMENTS, PlacedOperator, in_table


def placed(options: dict[str, Any] | None = None, **tensors: Tensor) -> PlacedOperator:
    return PlacedOperator(Operator(0, "ANY", (), ()), tensors, frozenset(), options or {})


def of(*shape: int, dtype: str = "int8", scale: Any = None, data: Any = None) -> Tensor:
    parameters = Quantization() if scale is None else qparams(scale)
    stored = None if data is None else np.array(data, np.int32).view(np.uint8)
    return Tensor(0, "x", dtype, shape, quantization=parameters, data=stored)


def blockwise(size: int) -> Tensor:
    return Tensor(0, "x", "int4", (4, 2 * size), quantization=Quantization(details=Blockwise(1, -1, size)))


@pytest.mark.parametrize(
    ("name", "operator", "value"),
    [
        ("sum_bits", placed(input=of(4)), 32),
        ("sum_bits", placed(input=of(4, dtype="int16")), 64),
        ("sum_bits", placed(lhs=of(4, dtype="int16")), 64),
        ("sum_bits", placed(output=of(4, dtype="int16"), input=of(4)), 32),
        ("sum_bits", placed({"quantized_bias_type": "INT32"}, input=of(4, dtype="int16")), 32),
        ("sum_bits", placed({"quantized_bias_type": "INT64"}, input=of(4, dtype="int16")), 64),
        ("bias_bits", placed(input=of(4, dtype="int16"), bias=of(4, dtype="int64")), 64),
        ("bias_bits", placed(input=of(4, dtype="int16"), bias=of(4, dtype="int32")), 32),
        ("bias_bits", placed(input=of(4), bias=of(4, dtype="int32")), 0),
        ("bias_bits", placed(input=of(4, dtype="int16")), 0),
        ("groups", placed(input=of(1, 4, 4, 6), weight=of(8, 3, 3, 2)), 3),
        ("groups", placed(input=of(1, 4, 4, 6), weight=of(8, 3, 3, 0)), 0),
        ("groups", placed(weight=of(8, 3, 3, 2)), 0),
        ("groups", placed(input=of(1, 4, 4, 6)), 0),
        ("units", placed(weight=of(8, 5)), 8),
        ("units", placed(weight=of(5)), 0),
        ("depth", placed(weight=of(8, 5)), 5),
        ("depth", placed(), 0),
        ("odd_depth_of_int4", placed(weight=of(8, 5, dtype="int4")), 1),
        ("odd_depth_of_int4", placed(weight=of(8, 6, dtype="int4")), 0),
        ("odd_depth_of_int4", placed(weight=of(8, 5)), 0),
        ("depth_beyond_fours", placed(weight=of(8, 18, dtype="int2")), 2),
        ("depth_beyond_fours", placed(weight=of(8, 16, dtype="int2")), 0),
        ("units_without_scale", placed(weight=of(8, 16, scale=0.5)), 7),
        ("units_without_scale", placed(weight=of(8, 16)), 8),
        ("units_without_scale", placed(weight=of(8, 16, scale=[0.5] * 8)), 0),
        ("units_without_scale", placed(weight=of(1, 16, scale=0.5)), 0),
        ("blockwise", placed(weight=blockwise(32)), True),
        ("blockwise", placed(weight=of(8, 5)), False),
        ("block_remainder", placed(weight=blockwise(64)), 0),
        ("block_remainder", placed(weight=blockwise(48)), 16),
        ("block_remainder", placed(weight=of(8, 5)), 0),
        (
            "stride_beyond_filter",
            placed({"stride_h": 5, "filter_height": 2, "stride_w": 1, "filter_width": 2}),
            3,
        ),
        (
            "stride_beyond_filter",
            placed({"stride_h": 1, "filter_height": 2, "stride_w": 6, "filter_width": 2}),
            4,
        ),
        (
            "stride_beyond_filter",
            placed({"stride_h": 2, "filter_height": 2, "stride_w": 1, "filter_width": 2}),
            0,
        ),
        ("stride_beyond_filter", placed({"stride_h": 2}), 2),
        ("stride_beyond_filter", placed({"filter_width": 2}), 0),
        ("slope", placed({"alpha": 0.25}, input=of(4, scale=0.5), output=of(4, scale=0.125)), 1.0),
        ("slope", placed({"alpha": -0.5}, input=of(4, scale=0.5), output=of(4, scale=0.125)), -2.0),
        ("slope", placed(input=of(4, scale=0.5), output=of(4, scale=0.125)), 0.0),
        ("slope_magnitude", placed({"alpha": -0.5}, input=of(4, scale=0.5), output=of(4, scale=0.125)), 2.0),
    ],
)
def test_values(name: str, operator: PlacedOperator, value: float) -> None:
    assert MEASUREMENTS[name](operator) == value


@pytest.mark.parametrize(
    "tensors",
    [
        {"input": of(4, scale=[0.5, 0.25]), "output": of(4, scale=1.0)},
        {"input": of(4, scale=1.0)},
        {"input": of(4), "output": of(4, scale=1.0)},
    ],
)
def test_slope_without_a_single_scale_is_nan(tensors: dict[str, Tensor]) -> None:
    assert np.isnan(MEASUREMENTS["slope"](placed({"alpha": 0.5}, **tensors)))


def stamped(
    out: tuple[int, ...], size: tuple[int, int], taps: tuple[int, int], **options: Any
) -> PlacedOperator:
    tensors = {"output_shape": of(4, dtype="int32", data=[1, *out, 2][-4:])}
    return placed(options, input=of(1, *size, 3), weight=of(2, *taps, 3), **tensors)


@pytest.mark.parametrize(
    ("operator", "gaps"),
    [
        (stamped((6, 8), (3, 4), (2, 3), padding="SAME", stride_h=2, stride_w=2), 0),
        (stamped((5, 7), (3, 4), (2, 3), padding="SAME", stride_h=2, stride_w=2), 0),
        (stamped((6, 8), (3, 4), (1, 3), padding="SAME", stride_h=2, stride_w=2), 1),
        (stamped((6, 8), (3, 4), (1, 1), padding="SAME", stride_h=2, stride_w=2), 2),
        (stamped((7, 8), (3, 4), (2, 3), padding="SAME", stride_h=2, stride_w=2), 1),
        (stamped((3, 4), (3, 4), (1, 1), padding="SAME"), 0),
        (stamped((3, 4), (3, 4), (1, 1), padding="SAME", stride_h=0, stride_w=0), 0),
        (stamped((3, 4), (9, 9), (3, 4), padding="VALID"), 0),
        (stamped((3, 4), (9, 9), (4, 4), padding="VALID"), 1),
        (stamped((3, 4), (9, 9), (4, 5), padding="VALID"), 2),
        (placed(input=of(1, 9, 9, 3), weight=of(2, 9, 9, 3), output_shape=of(4, dtype="int32")), 0),
        (placed(input=of(1, 9, 9, 3), weight=of(2, 9, 9, 3)), 0),
        (
            placed(
                input=of(1, 9, 9, 3), weight=of(2, 9, 9, 3), output_shape=of(3, dtype="int32", data=[1, 2, 2])
            ),
            0,
        ),
    ],
)
def test_gaps_of_a_transposed_convolution(operator: PlacedOperator, gaps: int) -> None:
    assert MEASUREMENTS["stamp_gaps"](operator) == gaps


def chain(
    *steps: tuple[str, str], dtype: str = "int8", end: str = "MUL"
) -> tuple[SubgraphBuilder, ModelBuilder, int]:
    """Return a chain of operators, each reading the output of its predecessor; the last operator reads a single tensor
    twice.
    """
    builder = ModelBuilder()
    graph = builder.subgraph()
    value = graph.tensor("x", (4,), dtype, qparams(0.5))
    graph.inputs(value)
    for number, (opcode, kind) in enumerate(steps):
        output = graph.tensor(f"y{number}", (4,), dtype, qparams(0.5))
        one = graph.constant(f"c{number}", np.zeros(1, np.int8), qparams(0.5))
        many = graph.constant(f"d{number}", np.zeros(4, np.int8), qparams(0.5))
        read = {"": [value], "twice": [value, value], "one": [value, one], "many": [value, many]}[kind]
        graph.add(opcode, read, [output])
        value = output
    last = graph.tensor("z", (4,), dtype, qparams(0.5))
    graph.add(end, [value, value], [last])
    graph.outputs(last)
    return graph, builder, value


def found_in_table(model: Model, functions: str = "TANH NEG MUL ADD", clamping: str = "") -> bool:
    graph = model.subgraphs[0]
    return in_table(
        graph,
        graph.operators[-1],
        lambda operator: operator.opcode in functions.split(),
        lambda operator: operator.opcode in clamping.split(),
    )


TANH, NEG = ("TANH", ""), ("NEG", "")


@pytest.mark.parametrize(
    ("steps", "inside"),
    [
        ((), False),
        ((TANH,), True),
        ((NEG, TANH), True),
        ((("FLOOR", ""),), False),
        ((("FLOOR", ""), TANH), True),
        ((TANH, ("FLOOR", "")), False),
        ((("ADD", "one"),), True),
        ((("ADD", "many"),), False),
        ((("ADD", "twice"),), False),
        ((TANH, ("ADD", "twice")), True),
        ((TANH,) * 8, True),
        ((TANH,) * 9, True),
        ((TANH,) * 10, False),
        ((TANH,) * 11, True),
    ],
)
def test_operators_in_a_table(steps: tuple[tuple[str, str], ...], inside: bool) -> None:
    """A table has 10 steps: the operator after 10 steps begins the next table."""
    assert found_in_table(chain(*steps)[1].finish()) is inside


def test_a_table_has_8_bit_values() -> None:
    assert found_in_table(chain(TANH, dtype="uint8")[1].finish())
    assert not found_in_table(chain(TANH, dtype="int16")[1].finish())


def test_a_value_with_a_second_reader_ends_the_table() -> None:
    graph, builder, value = chain(TANH)
    other = graph.tensor("other", (4,), "int8", qparams(0.5))
    graph.add("NEG", [value], [other])
    graph.outputs(other)
    model = builder.finish()
    subgraph = model.subgraphs[0]
    assert not in_table(subgraph, subgraph.operators[-2], lambda _: True, lambda _: False)


def test_a_value_that_is_an_output_ends_the_table() -> None:
    graph, builder, value = chain(TANH)
    graph.outputs(value)
    assert not found_in_table(builder.finish())


def clamped(activation: str, functions: str, clamping: str) -> bool:
    """Return True if a product is in the table of the sum before it, which has a constant and a fused activation."""
    builder = ModelBuilder()
    graph = builder.subgraph()
    q = qparams(0.5)
    x, y, z = (graph.tensor(name, (4,), "int8", q) for name in "xyz")
    one = graph.constant("one", np.zeros(1, np.int8), q)
    graph.add("ADD", [x, one], [y], fused_activation_function=activation)
    graph.add("MUL", [y, y], [z])
    graph.inputs(x)
    graph.outputs(z)
    return found_in_table(builder.finish(), functions, clamping)


@pytest.mark.parametrize(
    ("activation", "functions", "clamping", "inside"),
    [
        ("RELU", "", "ADD", True),
        ("NONE", "", "ADD", False),
        ("RELU", "", "", False),
        ("NONE", "ADD", "", True),
        ("RELU", "ADD", "ADD", True),
    ],
)
def test_fused_activation_is_a_separate_step(
    activation: str, functions: str, clamping: str, inside: bool
) -> None:
    assert clamped(activation, functions, clamping) is inside


def unpacked(*dtypes: str, constant: bool = True, operator: str = "DEQUANTIZE") -> frozenset[str]:
    """Return the unpacked roles of an ADD that reads a tensor after a chain of operators."""
    builder = ModelBuilder()
    graph = builder.subgraph()
    first = graph.constant("a", np.zeros(4, dtypes[0])) if constant else graph.tensor("a", (4,), dtypes[0])
    value = first
    for number, dtype in enumerate(dtypes[1:]):
        output = graph.tensor(f"t{number}", (4,), dtype)
        graph.add(operator, [value], [output])
        value = output
    z = graph.tensor("z", (4,), dtypes[-1])
    graph.add("ADD", [value, first], [z])
    graph.inputs(*([] if constant else [first]))
    graph.outputs(z)
    subgraph = builder.finish().subgraphs[0]
    found = PlacedOperator.of(subgraph, subgraph.operators[-1], ("lhs", "rhs"), ("output",))
    assert list(found.tensors) == ["lhs", "rhs", "output"]
    assert found.shape("lhs") == (4,)
    assert found.shape("bias") == ()
    return found.unpacked


@pytest.mark.parametrize(
    ("dtypes", "constant", "operator", "roles"),
    [
        (("float16", "float32"), True, "DEQUANTIZE", {"lhs"}),
        (("float16", "int8", "float32"), True, "DEQUANTIZE", {"lhs"}),
        (("float16", "float32"), False, "DEQUANTIZE", set()),
        (("float16", "float32"), True, "CAST", set()),
        (("int16", "float32"), True, "DEQUANTIZE", set()),
        (("float16",), True, "DEQUANTIZE", set()),
    ],
)
def test_unpacked_constants(dtypes: tuple[str, ...], constant: bool, operator: str, roles: set[str]) -> None:
    assert unpacked(*dtypes, constant=constant, operator=operator) == roles

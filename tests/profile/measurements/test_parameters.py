"""Measurements of types and quantization parameters of several tensors, computed by hand, and their setters."""

from __future__ import annotations

from typing import Any

import pytest

from litecheck.model.build import ModelBuilder, Option, qparams
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.registry import measurement, setter_of
from litecheck.profile.operator_plan import Plan, TensorPlan
from tests.profile.measurements.witnessed import measured_after

#: A type, and its scale and zero point if it is quantized.
Given = tuple[Any, ...]


def measured(name: str, opcode: str, options: dict[str, Option], **roles: Given) -> Measured:
    builder = ModelBuilder("one")
    graph = builder.subgraph("main")
    made = {}
    for role, (dtype, *parameters) in roles.items():
        q = qparams(*parameters) if parameters else None
        made[role] = graph.tensor(role, (4,), dtype, q)
    inputs = [index for role, index in made.items() if role != "output"]
    graph.add(opcode, inputs, [made["output"]] if "output" in made else [], **options)
    model = builder.finish()
    main = model.subgraphs[0]
    bound = {role: (main.tensors[index],) for role, index in made.items()}
    return measurement(name)(Operands(main.operators[0], bound, main, model))


I8, I16, I32, F32 = ("int8", 0.5), ("int16", 0.5), ("int32",), ("float32",)


@pytest.mark.parametrize(
    ("name", "roles", "wanted"),
    [
        ("zero_point_sum", {"input": ("int8", 0.5, 3), "output": ("int8", 0.5, -5)}, -2),
        ("zero_point_sum", {"input": ("int8", 0.5, 3), "output": ("int8",)}, None),
        ("zero_point_sum", {"input": ("int8",), "output": ("int8", 0.5, 3)}, None),
        ("int16_zero_point", {"input": ("int16", 0.5, 3), "output": ("int16", 0.5, -5)}, -5),
        ("int16_zero_point", {"input": ("int16", 0.5, 6), "output": ("int16", 0.5, -5)}, 6),
        ("int16_zero_point", {"input": ("int16",), "output": ("int16",)}, 0),
        ("int16_zero_point", {"input": ("int16", 0.5, 3), "output": ("int8", 0.5, -5)}, None),
        ("different_scales", {"a": ("int8", 0.5), "b": ("int8", 0.25), "output": ("int8", 1)}, 2),
        ("different_scales", {"a": ("int8", 0.5), "b": ("int8", 0.5), "output": ("int8", 1)}, 1),
        ("different_scales", {"a": ("int8", 0.5), "b": ("int8",), "output": ("int8", 1)}, 1),
        ("different_scales", {"a": F32, "b": F32, "output": F32}, None),
        ("conversion", {"input": F32, "output": I8}, "float32_to_int8"),
        ("conversion", {"input": F32}, None),
        ("conversion", {"output": F32}, None),
        ("unquantized_integers", {"input": ("int8",), "a": I8, "b": I32, "output": F32}, 2),
        ("zero_points_outside_type", {"a": ("int8", 1, 127), "b": ("int8", 1, 128), "output": ("uint8", 1, -1)}, 2),
        ("zero_points_outside_type", {"a": ("int8", 1, -128), "b": ("int8", 1, -129), "output": ("uint8", 1, 255)}, 1),
        ("zero_points_outside_type", {"a": ("float32", 1, 2**40), "b": ("uint8", 1, 256), "output": I8}, 1),
    ],
)  # fmt: skip
def test_values(name: str, roles: dict[str, Given], wanted: Measured) -> None:
    assert measured(name, "ADD", {}, **roles) == wanted


@pytest.mark.parametrize(
    ("weight", "bias", "stated", "wanted"),
    [
        (I8, ("int64",), None, "no"),
        (I8, I32, None, "int32 read as int64 by default"),
        (I8, I32, "int32", "no"),
        (I8, ("int64",), "int32", "int64 read as int32"),
        (I8, I32, "int64", "int32 read as int64"),
        (I8, I32, "int8", "int32 read as int8"),
        (I8, ("int8",), "int8", "int8 read as int8"),
        (I16, I32, None, "no"),
        (I16, ("int64",), None, "int64 read as int32 by default"),
        (I8, None, None, None),
        (I8, None, "int32", None),
        (I8, None, "int16", "stated as int16"),
        (I8, I32, 99, "int32 read as type 99"),
    ],
)
def test_type_of_the_bias(
    weight: Given, bias: Given | None, stated: Option | None, wanted: str | None
) -> None:
    """Without the option, the kernels read int64, and int32 for int16 weights."""
    options = {} if stated is None else {"quantized_bias_type": stated}
    roles = {"input": I16, "weight": weight, **({} if bias is None else {"bias": bias}), "output": I16}
    assert measured("bias_type_mismatch", "FULLY_CONNECTED", options, **roles) == wanted


@pytest.mark.parametrize(
    ("name", "opcode", "values"),
    [
        ("zero_point_sum", "NEG", (-1, 0, 3)),
        ("int16_zero_point", "QUANTIZE", (-3, 0, 3)),
        ("different_scales", "ADD", (1, 2)),
        ("conversion", "QUANTIZE", ("uint8_to_int16", "int8_to_int8")),
        ("unquantized_integers", "QUANTIZE", (0, 1)),
        ("requantized_scales", "QUANTIZE", (1, 2, 3)),
        ("zero_points_outside_type", "QUANTIZE", (0, 1)),
        ("zero_points_outside_type", "ADD", (0, 1, 2)),
        (
            "bias_type_mismatch",
            "FULLY_CONNECTED",
            (
                "int32 read as int64 by default",
                "int32 read as int64",
                "int64 read as int32",
                "no",
            ),
        ),
    ],
)
def test_setter_sets_the_value(name: str, opcode: str, values: tuple[Any, ...]) -> None:
    assert [measured_after(name, opcode, value) for value in values] == list(values)


@pytest.mark.parametrize(
    ("name", "opcode", "value"),
    [
        ("different_scales", "ADD", 0),
        ("different_scales", "ADD", 3),
        ("unquantized_integers", "QUANTIZE", -1),
        ("unquantized_integers", "QUANTIZE", 2),
        ("bias_type_mismatch", "FULLY_CONNECTED", "int64 read as nothing"),
    ],
)
def test_setter_without_a_plan(name: str, opcode: str, value: Any) -> None:
    assert measured_after(name, opcode, value) == "no plan"


def test_a_setter_without_an_input() -> None:
    empty = Plan("NEG", ("input",), ("output",), {"input": (), "output": (TensorPlan("int8"),)})
    assert setter_of("zero_point_sum").apply(empty, 3) is None

"""Ranges and steps in real numbers: values computed by hand, and None if not applicable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.checks.bound_operator import BoundOperand
from litecheck.checks.context import TensorFacts
from litecheck.model.build import ModelBuilder, qparams
from litecheck.profile.measurements.measured_operator import Operands
from litecheck.profile.measurements.resolution import RESOLUTION

Tensor = tuple[str, Any, str, Any, int]


class Bound:
    """An operator in the form that notes read."""

    def __init__(self, operands: Operands) -> None:
        self.operands = operands
        self.roles = {
            role: [BoundOperand(role, None, TensorFacts(t)) for t in ts]
            for role, ts in operands.roles.items()
        }

    def measurable(self) -> Operands:
        return self.operands


def value(name: str, bound: str, opcode: str, *tensors: Tensor) -> float | None:
    """Measure an operator; a tensor is role, shape or constant, dtype, scale or scales (0 for none), zero point."""
    builder = ModelBuilder("one")
    graph = builder.subgraph("main")
    made = {}
    for role, content, dtype, scale, zero in tensors:
        stated = qparams(scale, zero) if np.any(scale) else None
        if isinstance(content, tuple):
            made[role] = graph.tensor(role, content, dtype, stated)
        else:
            made[role] = graph.constant(role, content, stated, dtype)
    *inputs, output = made.values()
    graph.add(opcode, inputs, [output])
    model = builder.finish()
    main = model.subgraphs[0]
    roles = {role: (main.tensors[index],) for role, index in made.items()}
    return RESOLUTION[name](Bound(Operands(main.operators[0], roles, main, model)), bound)


def out(scale: float, zero: int = 0, dtype: str = "int8") -> Tensor:
    return "output", (4,), dtype, scale, zero


def x(scale: float, zero: int = 0, role: str = "input", dtype: str = "int8") -> Tensor:
    return role, (4,), dtype, scale, zero


@pytest.mark.parametrize(
    ("name", "bound", "opcode", "tensors", "wanted"),
    [
        ("kept_range", "", "QUANTIZE", [x(0.5), out(0.125)], 0.25),
        ("kept_range", "", "QUANTIZE", [x(0.5), out(0.5)], 1),
        # -64..63.5 into 0..127.5
        ("kept_range", "", "QUANTIZE", [x(0.5), out(0.5, -128)], 127 / 255),
        # int8 -1..0.99 into uint8 100..200 has no common value
        ("kept_range", "", "QUANTIZE", [x(1 / 128), out(0.1, -2000, "uint8")], 0),
        ("kept_range", "", "QUANTIZE", [x(0, dtype="float32"), out(0.5)], None),
        # 0..255/256 in steps of 0.75
        ("output_levels", "input", "QUANTIZE", [x(1 / 256, -128), out(0.75)], 255 / 256 / 0.75),
        ("output_levels", "input", "QUANTIZE", [x(0.5), out(0.5)], 255),
        ("output_levels", "sum", "ADD", [x(0.5, role="lhs"), x(0.25, role="rhs"), out(32)], 2 * 96 / 32),
        ("output_levels", "product", "MUL", [x(0.5, role="lhs"), x(0.25, role="rhs"), out(512)], 8),
        ("output_levels", "product", "MUL", [x(0.5, role="lhs"), x(0, role="rhs"), out(512)], None),
        # 2 * 128 * 3 * 0.5 * 0.25 in steps of 1000
        (
            "output_levels", "weights", "FULLY_CONNECTED",
            [x(0.5), ("weight", np.full((1, 2), 3, np.int8), "int8", 0.25, 0), out(1000)],
            2 * 96 / 1000,
        ),
        # steps above 1/2024 of an output level are not summed up
        (
            "output_levels", "weights", "FULLY_CONNECTED",
            [x(0.5), ("weight", np.full((1, 2), 3, np.int8), "int8", 0.25, 0), out(100)],
            None,
        ),
        # the median of 0.5 * (0.1, 0.25, 8) / 0.1
        ("sum_step", "", "CONV_2D", [x(0.5), ("weight", (3, 1, 1, 1), "int8", [0.1, 0.25, 8], 0), out(0.1)], 1.25),
        ("sum_step", "", "CONV_2D", [x(0, dtype="float32"), ("weight", (3, 1, 1, 1), "int8", 0.1, 0), out(0.1)], None),
        ("weights_per_scale", "", "FULLY_CONNECTED",
         [x(0, dtype="float32"), ("weight", np.ones((2, 6), np.int8), "int4", [0.1, 0.2], 0), out(0, dtype="float32")], 6),
        ("weights_per_scale", "", "FULLY_CONNECTED",
         [x(0, dtype="float32"), ("weight", np.ones((2, 6), np.int8), "int8", 0.1, 0), out(0, dtype="float32")], None),
    ],
)  # fmt: skip
def test_values(name: str, bound: str, opcode: str, tensors: list[Tensor], wanted: float | None) -> None:
    found = value(name, bound, opcode, *tensors)
    assert found is None if wanted is None else found == pytest.approx(wanted)

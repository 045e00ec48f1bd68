"""Layers are prepared once for the same weights, output and variant, and again if any of them differs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from litecheck.model.build import options_table, qparams
from litecheck.reference.numerics.integer_matmul import Weights, weights
from litecheck.reference.numerics.requantize import Rescaling, layer
from litecheck.reference.runtime_tensors import Operand, OutputSpec

HOW = Rescaling("CONV_2D", "double")


def operands(constant: bool = True) -> tuple[Operand, Operand, Operand]:
    return (
        Operand(np.zeros((1, 2), np.int8), "int8", qparams(0.5, 3)),
        Operand(np.array([[1, 2], [3, -4]], np.int8), "int8", qparams(0.25), True),
        Operand(np.array([10, 20], np.int32), "int32", qparams(0.125), constant),
    )


def made(
    given: tuple[Operand, Operand, Operand | None],
    output: OutputSpec,
    how: Rescaling = HOW,
    fused: str = "NONE",
):
    def filters() -> Weights:
        return weights(given[1].data, 0, 128)

    options = options_table("CONV_2D", fused_activation_function=fused)
    return layer(given, output, options, 3, how, filters)


OUTPUT = OutputSpec("int8", (1, 2), qparams(0.5, 1))


def test_the_offset_holds_bias_and_zero_point() -> None:
    given = operands()
    assert made(given, OUTPUT).offset.tolist() == [10 - 3 * 3, 20 - 3 * -1]
    assert made((*given[:2], None), OUTPUT).offset.tolist() == [-9, 3]


def test_constant_operands_are_prepared_once() -> None:
    given = operands()
    assert made(given, OUTPUT) is made(given, OUTPUT)
    moving = operands(constant=False)
    assert made(moving, OUTPUT) is not made(moving, OUTPUT)


@pytest.mark.parametrize(
    "other",
    [
        {"output": replace(OUTPUT, quantization=qparams(0.25, 1))},
        {"output": replace(OUTPUT, quantization=qparams(0.5, 2))},
        {"how": HOW._replace(variant="single")},
        {"how": HOW._replace(opcode="FULLY_CONNECTED")},
        {"fused": "RELU"},
    ],
)
def test_shared_weights_are_prepared_for_each_use(other: dict) -> None:
    given = operands()
    assert made(given, OUTPUT) is not made(given, **{"output": OUTPUT, **other})
    moved = (replace(given[0], quantization=qparams(0.75, 3)), *given[1:])
    assert made(given, OUTPUT) is not made(moved, OUTPUT)
    assert made(given, OUTPUT) is not made((*given[:2], None), OUTPUT)

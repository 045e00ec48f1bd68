"""Float islands: connected operators that compute in float; conversions between types belong to none."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.checks.float_islands import float_parts
from litecheck.float_parts import FloatParts
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.quantization import Blockwise, Quantization

Chain = list[tuple[str, str]]


def chained(first: str, *operators: tuple[str, str]) -> Model:
    """Return unary operators in a row, each with its output type."""
    builder = ModelBuilder("chain")
    graph = builder.subgraph("main")

    def tensor(name: str, dtype: str) -> int:
        return graph.tensor(name, (4,), dtype, None if dtype == "float32" else qparams(0.1))

    start = last = tensor("x", first)
    for number, (opcode, dtype) in enumerate(operators):
        made = tensor(f"t{number}", dtype)
        graph.add(opcode, [last], [made])
        last = made
    graph.inputs(start)
    graph.outputs(last)
    return builder.finish()


IN, OUT = ("QUANTIZE", "int8"), ("DEQUANTIZE", "float32")
SQRT, RELU = ("SQRT", "float32"), ("RELU", "int8")


@pytest.mark.parametrize(
    ("model", "found"),
    [
        (chained("int8", RELU), FloatParts(mixed=True)),
        (chained("float32", IN, RELU, OUT), FloatParts(1, 1, mixed=True)),
        (chained("int8", OUT, SQRT, SQRT, IN, RELU), FloatParts(0, 0, (((0, 1), (0, 2)),), True)),
        (chained("int8", OUT, SQRT, IN, OUT, SQRT, IN), FloatParts(0, 0, (((0, 1),), ((0, 4),)), True)),
        (chained("float32", SQRT), FloatParts(1, 1, (((0, 0),),))),
    ],
)
def test_float_parts(model: Model, found: FloatParts) -> None:
    assert float_parts(model) == found


def test_islands_that_an_operator_joins_are_one() -> None:
    builder = ModelBuilder("joined")
    graph = builder.subgraph("main")
    x, y, a, b, out = (graph.tensor(name, (4,), "float32") for name in "xyabo")
    graph.add("SQRT", [x], [a])
    graph.add("SQRT", [y], [b])
    graph.add("ADD", [a, b], [out])
    graph.inputs(x, y)
    graph.outputs(out)
    assert float_parts(builder.finish()).islands == (((0, 0), (0, 1), (0, 2)),)


def test_blockwise_weights_are_quantized() -> None:
    builder = ModelBuilder("blockwise")
    graph = builder.subgraph("main")
    x, y = (graph.tensor(name, (1, 4), "float32") for name in "xy")
    scales = graph.constant("scales", np.ones((4, 1), np.float16))
    blocks = Quantization(details=Blockwise(scales, -1, 4))
    graph.add("FULLY_CONNECTED", [x, graph.constant("w", np.ones((4, 4), np.int8), blocks), -1], [y])
    graph.inputs(x)
    graph.outputs(y)
    assert float_parts(builder.finish()) == FloatParts(1, 1, (((0, 0),),), True)

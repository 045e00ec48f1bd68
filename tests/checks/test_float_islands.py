"""Float islands: connected operators that compute in float; conversions between types belong to none."""

from __future__ import annotations

import pytest

from litecheck.checks.float_islands import float_parts
from litecheck.float_parts import FloatParts
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model

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

"""Cases of a single operator on elements."""

from __future__ import annotations

from litecheck.cases import model_parts
from litecheck.cases.model_parts import Case
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model


def only_case(model: Model) -> Case:
    return next(model_parts.operators(model, model.subgraphs[0]))


def unary(opcode: str, n: int = 300, zero_point: int = -5, dtype: str = "int8") -> Case:
    builder = ModelBuilder()
    main = builder.subgraph()
    q = qparams(0.1, zero_point) if dtype != "float32" else None
    x, y = main.tensor("x", (1, n), dtype, q), main.tensor("y", (1, n), dtype, q)
    main.add(opcode, [x], [y])
    main.inputs(x)
    main.outputs(y)
    return only_case(builder.finish())


def binary(opcode: str, shape: tuple[int, ...] = (256, 256)) -> Case:
    builder = ModelBuilder()
    main = builder.subgraph()
    q = qparams(0.1, 3)
    a, b, y = (main.tensor(n, shape, "int8", q) for n in "aby")
    main.add(opcode, [a, b], [y])
    main.inputs(a, b)
    main.outputs(y)
    return only_case(builder.finish())

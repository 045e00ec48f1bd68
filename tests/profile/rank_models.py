"""Models whose tensors have another rank at run time than in the file, in front of operators that need a rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.types import Model

NO_DELEGATE, LOAD = "rejected without the default delegate", "fails to load"
#: Shapes of MEAN's input and of its outputs in the file and at run time.
IMAGE, STATED = (2, 4, 4, 3), (2, 1, 1, 3)


def rank_models() -> Iterator[tuple[str, Model, str, str]]:
    """Yield the name, a model of MEAN without the dimensions that the file states, the path and the impact."""
    for dtype in ("int8", "uint8", "int16", "float32"):
        delegated = LOAD if dtype == "int16" else NO_DELEGATE
        for opcode, size, impact in (
            ("CONV_2D", 1, delegated), ("CONV_2D", 3, LOAD), ("DEPTHWISE_CONV_2D", 1, LOAD), ("PAD", 0, delegated),
        ):  # fmt: skip
            model = averaged(opcode, dtype, size, stated=True)
            yield f"{opcode} {size} of a mean {dtype}", model, f"{opcode}/shapes", impact
        model = averaged("CONV_2D", dtype, 1, stated=False)
        yield f"CONV_2D of a stated matrix {dtype}", model, "CONV_2D/shapes", LOAD


def averaged(opcode: str, dtype: str, size: int, stated: bool) -> Model:
    """Return MEAN over the image before an operator. ``stated``: the file keeps the dimensions that MEAN removes."""
    builder = ModelBuilder(opcode)
    graph = builder.subgraph()
    q = None if dtype == "float32" else qparams(0.5)
    x, y = graph.tensor("x", IMAGE, dtype, q), graph.tensor("y", STATED, dtype, q)
    mean = graph.tensor("mean", STATED if stated else (2, 3), dtype, q)
    graph.add("MEAN", [x, graph.constant("axes", np.int32([1, 2]))], [mean], keep_dims=False)
    operands, options = _operands(graph, opcode, dtype, size)
    graph.add(opcode, [mean, *operands], [y], version=3 if options else 1, **options)
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


def _operands(graph: SubgraphBuilder, opcode: str, dtype: str, size: int) -> tuple[list[int], dict[str, Any]]:
    if opcode == "PAD":
        return [graph.constant("paddings", np.zeros((4, 2), np.int32))], {}
    narrow, q = "int8" if dtype == "int16" else dtype, None if dtype == "float32" else qparams(0.5)
    filters = 1 if opcode == "DEPTHWISE_CONV_2D" else 3
    weight = graph.constant("w", np.ones((filters, size, size, 3), narrow), q)
    kind = {"int16": "int64", "float32": "float32"}.get(dtype, "int32")
    bias = graph.constant("b", np.zeros(3, kind), None if q is None else qparams(0.25))
    options = {"padding": "SAME", "stride_w": 1, "stride_h": 1}
    return [weight, bias], {**options, "depth_multiplier": 1} if filters == 1 else options

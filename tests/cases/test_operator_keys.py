"""Types of a case: the type of its activations, the granularity of its constants."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases.operator_keys import activation_type, weight_granularity
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Subgraph


def dense(kind: str, scales: float | list[float]) -> Subgraph:
    builder = ModelBuilder("dense")
    main = builder.subgraph("main")
    x = main.tensor("x", (1, 4), kind, qparams(0.5) if kind != "float32" else None)
    w = main.constant("w", np.ones((2, 4), np.int8), qparams(scales))
    y = main.tensor("y", (1, 2), kind, qparams(0.25) if kind != "float32" else None)
    main.add("FULLY_CONNECTED", [x, w, -1], [y])
    return builder.finish().subgraphs[0]


@pytest.mark.parametrize(("kind", "scales", "found"), [
    ("int8", [0.1, 0.2], "per-axis"),
    ("int8", 0.1, "per-tensor"),
    ("float32", [0.1, 0.2], "per-axis"),
])  # fmt: skip
def test_activations_and_weights(kind: str, scales: float | list[float], found: str) -> None:
    main = dense(kind, scales)
    (operator,) = main.operators
    assert activation_type(main, operator) == kind
    assert weight_granularity(main, operator) == found


def test_constants_without_scales_have_no_granularity() -> None:
    builder = ModelBuilder("shape")
    main = builder.subgraph("main")
    x = main.tensor("x", (1, 4), "int8", qparams(0.5))
    shape = main.constant("shape", np.array([4], np.int32))
    main.add("RESHAPE", [x, shape], [main.tensor("y", (4,), "int8", qparams(0.5))])
    built = builder.finish().subgraphs[0]
    assert weight_granularity(built, built.operators[0]) == ""


def test_an_operator_on_constants_has_the_type_of_its_output() -> None:
    builder = ModelBuilder("fill")
    main = builder.subgraph("main")
    dims = main.constant("dims", np.array([4], np.int32))
    main.add("FILL", [dims], [main.tensor("y", (4,), "int16", qparams(0.5))])
    built = builder.finish().subgraphs[0]
    assert activation_type(built, built.operators[0]) == "int16"

"""Tensors with only zeros: constants, and outputs of operators on such constants."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.known_zeros import known_zeros
from litecheck.model.types import Model
from litecheck.profile.load import law_of
from tests.profile.zero_models import OPCODES, of_zeros


def output_is_zero(model: Model) -> bool:
    graph = model.subgraphs[0]
    return graph.outputs[0] in known_zeros(graph, law_of)


@pytest.mark.parametrize("opcode", OPCODES)
@pytest.mark.parametrize("stored", [0, 1])
def test_outputs_on_a_constant_state(opcode: str, stored: int) -> None:
    assert output_is_zero(of_zeros(opcode, "int8", 0.5, stored)) == (stored == 0)


@pytest.mark.parametrize(
    ("values", "scale", "zero_point", "zero"),
    [
        ([0, 0], 0.5, 0, True),
        ([3, 3], 0.5, 3, True),
        ([3, 0], 0.5, 3, False),
        ([0, 0], 0.5, 3, False),
        ([0, 0], [0.5, 0.25], [0, 0], True),
        ([1, 2], [0.5, 0.25], [1, 2], False),
    ],
)
def test_constants(values: list[int], scale: float, zero_point: int, zero: bool) -> None:
    builder = ModelBuilder()
    graph = builder.subgraph()
    graph.constant("c", np.array(values, np.int8), qparams(scale, zero_point))
    assert known_zeros(builder.finish().subgraphs[0], law_of) == ({0} if zero else set())


@pytest.mark.parametrize(("bias", "zero"), [(0, True), (1, False)])
def test_a_bias_is_added(bias: int, zero: bool) -> None:
    builder = ModelBuilder()
    graph = builder.subgraph()
    q = qparams(0.5)
    inputs = [
        graph.constant(name, np.full(shape, value, dtype), q)
        for name, shape, value, dtype in (
            ("x", (1, 4), 0, "int8"),
            ("w", (2, 4), 5, "int8"),
            ("b", 2, bias, "int32"),
        )
    ]
    y = graph.tensor("y", (1, 2), "int8", q)
    graph.add("FULLY_CONNECTED", inputs, [y])
    graph.outputs(y)
    assert output_is_zero(builder.finish()) == zero

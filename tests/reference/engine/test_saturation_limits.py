"""Ends at which values may be saturated, by operator, activation and quantization."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, Option, qparams
from litecheck.profile.operators import operator_names, traits_of
from litecheck.reference.engine.saturation_limits import saturable_ends

UNIT = (1 / 256, -128)


@pytest.mark.parametrize(
    ("opcode", "options", "source", "output", "expected"),
    [
        ("CONV_2D", {"fused_activation_function": "NONE"}, (1.0, 0), (0.5, -128), (True, True)),
        ("CONV_2D", {"fused_activation_function": "RELU"}, (1.0, 0), (0.5, -128), (False, True)),
        ("CONV_2D", {"fused_activation_function": "RELU"}, (1.0, 0), (0.5, 0), (False, True)),
        ("CONV_2D", {"fused_activation_function": "RELU6"}, (1.0, 0), (6 / 255, -128), (False, False)),
        ("CONV_2D", {"fused_activation_function": "RELU6"}, (1.0, 0), (5 / 255, -128), (False, True)),
        ("CONV_2D", {"fused_activation_function": "RELU_N1_TO_1"}, (1.0, 0), (1 / 256, 0), (True, True)),
        ("RELU", {}, (1.0, 0), (0.5, -128), (False, True)),
        ("LOGISTIC", {}, (1.0, 0), UNIT, (False, False)),
        ("LOG_SOFTMAX", {}, (1.0, 0), (16 / 256, 127), (True, False)),
        ("MAX_POOL_2D", {}, (0.5, -128), (0.5, -128), (False, False)),
        ("RESHAPE", {}, (0.5, -128), (0.25, -128), (False, True)),
        ("MEAN", {}, (0.5, -128), (0.5, 0), (False, True)),
        ("MEAN", {}, (0.5, 0), (0.5, -128), (True, False)),
        ("SUM", {}, (0.5, -128), (0.5, -128), (True, True)),
        ("CONCATENATION", {}, (0.5, -128), (0.5, -128), (False, False)),
    ],
)
def test_ends(
    opcode: str, options: dict[str, Option], source: tuple[float, int], output: tuple[float, int],
    expected: tuple[bool, bool],
) -> None:  # fmt: skip
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 2, 2, 2), "int8", qparams(*source))
    y = main.tensor("y", (1, 2, 2, 2), "int8", qparams(*output))
    main.add(opcode, [x], [y], **options)
    subgraph = builder.finish().subgraphs[0]
    assert saturable_ends(subgraph, subgraph.operators[0], subgraph.tensors[y]) == expected


def test_an_unquantized_output_may_be_saturated() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, 2), "int8") for name in "xy")
    main.add("RELU", [x], [y])
    subgraph = builder.finish().subgraphs[0]
    assert saturable_ends(subgraph, subgraph.operators[0], subgraph.tensors[y]) == (True, True)


FUNCTIONS = {
    "RELU": lambda x: np.maximum(x, 0), "RELU6": lambda x: np.clip(x, 0, 6), "RELU_N1_TO_1": lambda x: np.clip(x, -1, 1),
    "RELU_0_TO_1": lambda x: np.clip(x, 0, 1), "LOGISTIC": lambda x: 1 / (1 + np.exp(-x)), "TANH": np.tanh,
    "EXP": np.exp, "ABS": np.abs, "SQUARE": np.square, "SQRT": lambda x: np.sqrt(np.abs(x)),
    "SQUARED_DIFFERENCE": lambda x: np.square(x - x[::-1]), "SOFTMAX": lambda x: np.exp(x) / np.exp(x).sum(),
    "LOG_SOFTMAX": lambda x: x - np.log(np.exp(x).sum()), "L2_NORMALIZATION": lambda x: x / np.sqrt(np.square(x).sum()),
}  # fmt: skip


@pytest.mark.parametrize(
    "opcode", [name for name in operator_names() if traits_of(name).bounds != (-np.inf, np.inf)]
)
def test_bounds_are_those_of_the_function(opcode: str) -> None:
    """Outputs over wide inputs stay inside the bounds and reach each finite bound."""
    low, high = traits_of(opcode).bounds
    inputs = [np.linspace(-40, 40, 81), np.array([-40.0, 0.0]), np.array([0.0, 40.0])]
    made = np.concatenate([FUNCTIONS[opcode](x) for x in inputs])
    for found, bound in ((made.min(), low), (made.max(), high)):
        assert np.isinf(bound) or abs(found - bound) < 1e-6

"""Models of a single float operator with weights, for recipes: a matrix, a convolution and a table."""

from __future__ import annotations

from litecheck.conversion.recipe import OperatorScheme, OperatorSelector, QuantizationRecipe, RecipeRule
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from tests.conversion.small_models import reals


def matrix(units: int = 12, depth: int = 64, activation: int = 0) -> Model:
    """Return a FULLY_CONNECTED on three rows."""
    graph = (builder := ModelBuilder()).subgraph()
    x, y = graph.tensor("x", (3, depth), "float32"), graph.tensor("y", (3, units), "float32")
    weight, bias = graph.constant("w", reals(1, units, depth)), graph.constant("b", reals(2, units))
    graph.add("FULLY_CONNECTED", [x, weight, bias], [y], fused_activation_function=activation)
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


def convolution() -> Model:
    """Return a CONV_2D with 3 x 3 filters."""
    graph = (builder := ModelBuilder()).subgraph()
    x, y = graph.tensor("x", (1, 6, 6, 8), "float32"), graph.tensor("y", (1, 6, 6, 12), "float32")
    weight, bias = graph.constant("w", reals(3, 12, 3, 3, 8)), graph.constant("b", reals(4, 12))
    graph.add("CONV_2D", [x, weight, bias], [y], padding="SAME", stride_w=1, stride_h=1)
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


def table() -> Model:
    """Return an EMBEDDING_LOOKUP of five rows."""
    graph = (builder := ModelBuilder()).subgraph()
    x, y = graph.tensor("x", (5,), "int32"), graph.tensor("y", (5, 64), "float32")
    graph.add("EMBEDDING_LOOKUP", [x, graph.constant("w", reals(5, 40, 64))], [y])
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


def recipe(*schemes: OperatorScheme | tuple[OperatorScheme, str]) -> QuantizationRecipe:
    """Return a recipe of schemes, each for all operators or for a pattern."""
    pairs = [one if isinstance(one, tuple) else (one, "") for one in schemes]
    rules = (
        RecipeRule(scheme, OperatorSelector((pattern,) if pattern else ()), f"r.yaml:{n}")
        for n, (scheme, pattern) in enumerate(pairs, 1)
    )
    return QuantizationRecipe("r.yaml", tuple(rules))

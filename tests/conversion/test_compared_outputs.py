"""Outputs of two models in order, with the logits that both have."""

from __future__ import annotations

import pytest

from litecheck.conversion.compared_outputs import compare_outputs
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from tests.conversion.classifiers import classifier


def two_outputs() -> Model:
    """Return a model with two outputs."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y, z = (main.tensor(name, (1, 4), "float32") for name in "xyz")
    main.add("RELU", [x], [y])
    main.add("LOGISTIC", [y], [z])
    main.inputs(x)
    main.outputs(y, z)
    return builder.finish()


def test_outputs_are_in_order_and_probabilities_have_logits() -> None:
    model = two_outputs()
    plain, probability = compare_outputs(model, model)
    assert (plain.name, plain.logits) == ("y", None)
    assert (probability.name, probability.pair) == ("z", ((0, 2), (0, 2)))
    assert probability.logits == ((0, 1), (0, 1))


@pytest.mark.parametrize("last", ["", "SOFTMAX"])
def test_logits_are_compared_if_both_models_have_them(last: str) -> None:
    (found,) = compare_outputs(classifier("SOFTMAX"), classifier(last))
    assert (found.logits is None) == (not last)


def test_another_number_of_outputs_is_an_error() -> None:
    with pytest.raises(ConfigError, match="not as many outputs"):
        compare_outputs(two_outputs(), classifier())

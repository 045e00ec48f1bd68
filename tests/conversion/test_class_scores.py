"""Class scores: probabilities and sums of products for each class, but neither images nor signals."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.conversion.class_scores import (
    is_class_scores,
    is_hidden,
    is_probabilities,
    logits_of,
    output_logits,
)
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Subgraph


def net(*kinds: str, features: int = 8, classes: int = 4) -> Subgraph:
    """Return a chain of operators from features to classes; FULLY_CONNECTED changes the size."""
    builder = ModelBuilder()
    main = builder.subgraph()
    last = main.tensor("x", (1, features), "float32")
    main.inputs(last)
    size = features
    for number, kind in enumerate(kinds):
        more = []
        if kind == "FULLY_CONNECTED":
            more = [
                main.tensor(
                    f"w{number}", (classes, size), "float32", data=np.ones((classes, size), np.float32)
                )
            ]
            size = classes
        out = main.tensor(f"t{number}", (1, size), "float32")
        main.add(kind, [last, *more], [out])
        last = out
    main.outputs(last)
    return builder.finish().subgraphs[0]


@pytest.mark.parametrize(
    ("kinds", "classes", "wanted"),
    [
        (("FULLY_CONNECTED",), 4, True),
        (("FULLY_CONNECTED", "SOFTMAX"), 4, True),
        (("FULLY_CONNECTED", "LOGISTIC", "RESHAPE"), 4, True),
        (("FULLY_CONNECTED", "LOG_SOFTMAX", "QUANTIZE", "DEQUANTIZE"), 4, True),
        (("FULLY_CONNECTED", "TANH"), 4, False),
        (("FULLY_CONNECTED", "RELU"), 4, False),
        (("FULLY_CONNECTED", "SIN"), 4, False),
        (("FULLY_CONNECTED",), 8, False),
        (("RESHAPE",), 4, False),
    ],
)
def test_class_scores(kinds: tuple[str, ...], classes: int, wanted: bool) -> None:
    subgraph = net(*kinds, classes=classes)
    assert is_class_scores(subgraph, subgraph.outputs[0]) is wanted


@pytest.mark.parametrize(
    ("kinds", "wanted"),
    [
        (("FULLY_CONNECTED", "SOFTMAX"), True),
        (("FULLY_CONNECTED", "LOGISTIC"), False),
        (("FULLY_CONNECTED",), False),
    ],
)
def test_rows_of_probabilities_add_up_to_one(kinds: tuple[str, ...], wanted: bool) -> None:
    subgraph = net(*kinds)
    assert is_probabilities(subgraph, subgraph.outputs[0]) is wanted
    assert not is_probabilities(subgraph, subgraph.inputs[0])


@pytest.mark.parametrize(
    ("kinds", "logits"),
    [
        (("FULLY_CONNECTED", "SOFTMAX"), "t0"),
        (("FULLY_CONNECTED", "LOGISTIC", "RESHAPE", "QUANTIZE", "DEQUANTIZE"), "t0"),
        (("FULLY_CONNECTED", "DEQUANTIZE", "SOFTMAX"), "t1"),
        (("SOFTMAX", "FULLY_CONNECTED"), None),  # probabilities inside the model
        (("FULLY_CONNECTED", "LOG_SOFTMAX"), None),
        (("FULLY_CONNECTED", "TANH"), None),
        (("FULLY_CONNECTED", "RELU_0_TO_1"), None),
        ((), None),
    ],
)
def test_logits_are_the_input_of_a_last_softmax_or_logistic(
    kinds: tuple[str, ...], logits: str | None
) -> None:
    subgraph = net(*kinds)
    found = logits_of(subgraph, subgraph.outputs[0])
    assert (subgraph.tensors[found].name if found is not None else None) == logits
    assert output_logits(subgraph) == (() if found is None else (found,))


@pytest.mark.parametrize(
    ("logits", "output", "hidden"),
    [(14.0, 44.5, True), (14.0, 16.9, False), (29.9, 44.5, True), (30.0, 44.5, False)],
)
def test_a_loss_is_hidden_if_the_output_is_much_better(logits: float, output: float, hidden: bool) -> None:
    assert is_hidden(logits, output) is hidden

"""Weights of two models that do and do not belong together."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.matching import match
from litecheck.model.types import Model
from litecheck.tracing.parent_fit import parent_doubt

WEIGHTS = np.random.default_rng(0).integers(-127, 128, (3, 8, 8))
OTHERS = np.random.default_rng(1).integers(-127, 128, (3, 8, 8))


def net(weights: np.ndarray, dtype: str) -> Model:
    main = (builder := ModelBuilder()).subgraph()
    real = dtype == "float32"
    form = None if real else qparams(0.5)
    tensors = [main.tensor(f"t{n}", (1, 8), dtype, form) for n in range(4)]
    for n, weight in enumerate(weights):
        held = main.constant(f"w{n}", (weight * 0.5 if real else weight).astype(dtype), form)
        main.add("FULLY_CONNECTED", [tensors[n], held, -1], [tensors[n + 1]])
    main.inputs(tensors[0])
    main.outputs(tensors[3])
    return builder.finish()


@pytest.mark.parametrize(
    ("stored", "words"),
    [
        (OTHERS, "weights of 3 of 3 operators have nothing in common with those of the float model"),
        (np.stack([WEIGHTS[0], OTHERS[1], OTHERS[2]]), "weights of 2 of 3 operators have nothing in common"),
        (np.stack([WEIGHTS[0], WEIGHTS[1], OTHERS[2]]), ""),
        (WEIGHTS, ""),
        (WEIGHTS // 16, ""),
        (np.clip(WEIGHTS, -20, 20), ""),
        (WEIGHTS.transpose(0, 2, 1), ""),
    ],
    ids=["all", "most", "one", "none", "four bits", "clipped", "transposed"],
)
def test_parent_doubt(stored: np.ndarray, words: str) -> None:
    found = parent_doubt(match(net(WEIGHTS, "float32"), net(stored, "int8")))
    assert words in found
    assert bool(found) is bool(words)


def test_another_network() -> None:
    """No layer of the quantized model has weights of the float model's shapes."""
    words = "3 of 3 operators with weights of the float model have no partner in the quantized model"
    assert words in parent_doubt(match(net(WEIGHTS, "float32"), net(WEIGHTS[:, :6], "int8")))
    assert words in parent_doubt(match(net(WEIGHTS, "float32"), relu()))


def relu() -> Model:
    main = (builder := ModelBuilder()).subgraph()
    x, y = (main.tensor(name, (1, 8), "int8", qparams(0.5)) for name in "xy")
    main.add("RELU", [x], [y])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()

"""Equalized channels: their factors are found, a valid model has no culprit, and a planted fault keeps its name."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from litecheck import convert_model, trace
from litecheck.conversion.equalize import equalize
from litecheck.model.build import ModelBuilder
from litecheck.model.edit import SubgraphEditor, with_subgraphs
from litecheck.model.matching import match
from litecheck.model.stored_values import bytes_of, stored_integers
from litecheck.model.types import Model
from litecheck.tracing.equalized_channels import equalized_channels
from litecheck.tracing.trace_result import Trace
from tests.conversion.mobile_nets import images, mobile_net
from tests.differential.faults import drawn
from tests.differential.planted_faults import FAULTS, plant

DATA = images(0, 4)


@cache
def pair(equalized: bool, to: str = "int8", seed: int = 0) -> tuple[Model, Model]:
    """Return a float net with channels of different ranges, and its quantized form."""
    real = mobile_net(seed, "RELU", 1.0, 2)
    made = convert_model(real, data=(DATA,), device="litecheck", to=to, equalize=equalized, agreement=False)
    return real, made.conversion.model


def traced(real: Model, model: Model) -> Trace:
    return trace(real, model, data=(DATA,), fix=False, runtime="litecheck")


def test_the_factors_are_those_of_the_conversion() -> None:
    real, model = pair(True)
    found = {(one.tensor, one.axis): one.values for one in equalized_channels(match(real, model))}
    want = {(one.tensor, one.axis): one.values for one in equalize(real).changes}
    assert found.keys() == want.keys()
    assert len(want) == 10
    for place, values in want.items():
        np.testing.assert_allclose(found[place], values, rtol=0.01)


@pytest.mark.parametrize("equalized", [False, True])
def test_a_sound_model_has_no_culprit(equalized: bool) -> None:
    found = traced(*pair(equalized))
    assert found.culprits == ()
    assert any("equalized" in note for note in found.notes) == equalized


@pytest.mark.parametrize("equalized", [False, True])
def test_one_scale_per_layer_changes_small_channels_alone(equalized: bool) -> None:
    """Rounding changes small weights by large factors. They are no factors of channels."""
    real, model = pair(equalized, "uint8", 2)
    assert bool(equalized_channels(match(real, model))) == equalized
    assert traced(real, model).culprits == ()


@pytest.mark.parametrize("equalized", [False, True])
@pytest.mark.parametrize("kind", ["biases", "dead_channel", "too_narrow", "weight_scales"])
def test_a_planted_fault_is_named_first(kind: str, equalized: bool) -> None:
    real, model = pair(equalized)
    planted = plant(kind, model, np.random.default_rng(0))
    assert planted is not None
    first = traced(real, planted.model).culprits[0]
    assert first.operator in planted.operators
    assert first.cause in planted.causes


def test_wrong_scales_of_one_layer_are_no_equalization() -> None:
    real, model = pair(False)
    for seed in range(6):
        planted = plant("weight_scales", model, np.random.default_rng(seed))
        assert planted is not None
        assert equalized_channels(match(real, planted.model)) == ()


def dense(*weights: np.ndarray) -> Model:
    """Return a net of layers with RELU."""
    main = (builder := ModelBuilder()).subgraph()
    width = len(weights[0])
    tensors = [main.tensor(f"t{n}", (1, width), "float32") for n in range(len(weights) + 1)]
    for n, weight in enumerate(weights):
        held = main.constant(f"w{n}", weight.astype(np.float32))
        main.add(
            "FULLY_CONNECTED", [tensors[n], held, -1], [tensors[n + 1]], fused_activation_function="RELU"
        )
    main.inputs(tensors[0])
    main.outputs(tensors[-1])
    return builder.finish()


@pytest.mark.parametrize("undone", [True, False])
def test_a_factor_that_all_channels_share_is_undone_by_the_next_layer(undone: bool) -> None:
    rng = np.random.default_rng(0)
    weights = [rng.normal(0, 1, (8, 8)) for _ in range(3)]
    factors = rng.uniform(0.5, 2, (8, 1))
    changed = weights[0] * 1.4, weights[1] * factors / (1.4 if undone else 1), weights[2] / factors.T
    real, data = dense(*weights), drawn(dense(*weights), 0)
    model = convert_model(dense(*changed), data=(data,), device="litecheck", agreement=False).conversion.model
    found = {one.tensor: one.values for one in equalized_channels(match(real, model)) if one.axis == 0}
    first, second = (op.inputs[1] for op in real.subgraphs[0].operators[:2])
    assert (first in found) is undone
    assert second in found
    if undone:
        np.testing.assert_allclose(found[first], 1.4, rtol=0.01)
        assert trace(real, model, data=(data,), fix=False, runtime="litecheck").culprits == ()


@pytest.mark.parametrize("place", [0, 1, 2])
def test_wrong_weights_of_one_layer_are_no_equalization(place: int) -> None:
    """A third of the weights is permuted, so that factors of channels are random."""
    real = dense(*np.random.default_rng(0).normal(0, 1, (3, 40, 40)))
    model = convert_model(real, data=(drawn(real, 0),), device="litecheck", agreement=False).conversion.model
    layers = [op for op in model.subgraphs[0].operators if op.kind == "FULLY_CONNECTED"]
    planted = FAULTS["weights"](model, layers[place], np.random.default_rng(0))
    assert planted is not None
    assert equalized_channels(match(real, planted.model)) == ()


def test_an_input_channel_of_zeros_is_no_equalization() -> None:
    """Zeros are nearly the float weights that round to 0, and no factor of the channel."""
    weights = np.random.default_rng(0).normal(0, 1, (3, 8, 8))
    weights[1, 0, 3] = 1e-4
    real = dense(*weights)
    model = convert_model(real, data=(drawn(real, 0),), device="litecheck", agreement=False).conversion.model
    main = model.subgraphs[0]
    layer = [op for op in main.operators if op.kind == "FULLY_CONNECTED"][1]
    stored = stored_integers(main.tensors[layer.inputs[1]])
    assert stored is not None
    assert stored[0, 3] == 0
    changed = np.where(np.arange(8) == 3, 0, stored).astype(np.int8)
    editor = SubgraphEditor(main)
    editor.set_tensor(layer.inputs[1], data=bytes_of(changed.reshape(-1)))
    model = with_subgraphs(model, [editor.finish()[0]])
    assert equalized_channels(match(real, model)) == ()
    first = trace(real, model, data=(drawn(real, 0),), fix=False, runtime="litecheck").culprits[0]
    assert (first.operator, first.detail) == (layer.index, "1 of 8 input channels is 0: channel 3")


def test_a_layer_that_stays_float() -> None:
    real = dense(*np.random.default_rng(0).normal(0, 1, (3, 40, 40)))
    options = {"device": "litecheck", "agreement": False, "to": "dynamic", "keep": ("#0", "#1")}
    model = convert_model(real, data=(drawn(real, 0),), **options).conversion.model
    assert equalized_channels(match(real, model)) == ()

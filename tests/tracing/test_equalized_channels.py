"""Equalized channels: their factors are found, a sound model has no culprit, and a planted fault keeps its name."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from litecheck import convert_model, trace
from litecheck.conversion.equalize import equalize
from litecheck.model.matching import match
from litecheck.model.types import Model
from litecheck.tracing.equalized_channels import equalized_channels
from litecheck.tracing.trace_result import Trace
from tests.conversion.mobile_nets import images, mobile_net
from tests.differential.planted_faults import plant

DATA = images(0, 4)


@cache
def pair(equalized: bool, to: str = "int8", seed: int = 0) -> tuple[Model, Model]:
    """A float net with unlike channels, and its quantized form."""
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

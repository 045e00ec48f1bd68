"""Agreement: two models run side by side on the same samples, whoever runs them; loops turn by turn."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from litecheck.conversion.agreement import Agreement, agreement
from litecheck.conversion.calibration.calibration_data import open_data
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.samples import Chain, Sample
from litecheck.conversion.pipeline import convert_model
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from tests.conversion.calibration import networks
from tests.conversion.classifiers import classifier, narrow_and_wide
from tests.conversion.small_models import branch, loop

OURS, XNNPACK = "litecheck", "litert:xnnpack"
X = np.float32([[1, 2.25, -3, 100]])


def relu(dtype: str) -> Model:
    """Return a RELU of four values, in int8 with steps of 1/2."""
    builder = ModelBuilder("one operator")
    parameters = qparams(0.5, 0) if dtype == "int8" else None
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, 4), dtype, parameters) for name in "xy")
    main.add("RELU", [x], [y])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def of(*chains: Chain) -> CalibrationData:
    return CalibrationData(lambda: iter(chains), "made up", len(chains))


def measured(device: str, *inputs: np.ndarray) -> Agreement:
    if device != OURS:
        pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    data = of(*((Sample({"x": x}),) for x in inputs))
    return agreement(relu("float32"), relu("int8"), {(0, 0): (0, 0)}, data, device=device)


@pytest.mark.parametrize("device", [OURS, XNNPACK, "litert:reference"])
def test_inputs_are_quantized_and_outputs_compared(device: str) -> None:
    found = measured(device, X, X[:, ::-1])
    (fed,), (output,) = found.tensors, found.outputs
    assert (found.samples, found.source) == (2, "made up")
    assert (fed.name, fed.dtype, fed.step, fed.saturated_share, fed.clipped_share) == (
        "x",
        "int8",
        0.5,
        0.25,
        0.25,
    )
    # RELU gives 1, 2.25, 0 and 100; stored are 2, 5, 0 and 127.
    assert output.distortion.signal == 2 * (1 + 2.25**2 + 100**2)
    assert output.distortion.noise == 2 * (0.25**2 + 36.5**2)
    assert (output.output, output.largest_steps, output.signature) == ("y", 73, None)
    assert output.top is None  # no class scores


@pytest.mark.parametrize("device", [OURS, XNNPACK])
def test_the_largest_class_score_is_compared(device: str) -> None:
    if device != OURS:
        pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    model = networks.layered()
    found = agreement(model, model, {}, open_data(None, model, random=2), device=device).outputs[0].top
    assert found is not None
    assert (found.agreeing, found.rows) == (2, 2)


def test_a_model_agrees_with_itself() -> None:
    model = networks.layered()
    pairs = {(0, index): (0, index) for index in (3, 4, 6)}
    found = agreement(model, model, pairs, open_data(None, model, random=2), device=OURS)
    assert [one.snr for one in (*found.tensors, *found.outputs)] == [math.inf] * 4
    assert [one.name for one in found.tensors] == ["conv", "squared", "moved"]
    plain = json.loads(json.dumps(found.to_plain()))
    assert (plain["outputs"][0]["snr"], plain["outputs"][0]["output"]) == (None, "scores")


def off(model: Model, name: str, values: np.ndarray) -> Model:
    """Return the model with changed values of a constant."""
    data = np.frombuffer(values.tobytes(), np.uint8)
    subgraphs = [
        replace(s, tensors=tuple(replace(t, data=data) if t.name == name else t for t in s.tensors))
        for s in model.subgraphs
    ]
    return replace(model, subgraphs=tuple(subgraphs))


def test_a_loop_is_compared_in_every_turn() -> None:
    model = networks.looping()
    other = off(model, "offset", np.float32([0.75]))
    data = of((Sample({"n": np.int32([3]), "x": np.zeros((1, 3), np.float32)}),))
    found = agreement(model, other, {(2, 1): (2, 1)}, data)
    (entering,) = found.tensors
    # x is 0, 0.5 and -0.5 in the first model, 0, 0.75 and -0.75 in the second.
    assert (entering.distortion.elements, entering.distortion.noise) == (9, 3 * 2 * 0.25**2)
    assert found.runtime == "litecheck's kernels"


def test_state_is_handed_on_in_both_models() -> None:
    model = networks.streaming()
    other = off(model, "first", np.full((1, 2), 3, np.float32))
    step = Sample({"x": np.float32([[1, 2]])})
    for device in (OURS, XNNPACK):
        if device != OURS:
            pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
        found = agreement(model, other, {}, of((step, step), (step,)), device=device)
        assert (found.samples, found.outputs[0].distortion.elements) == (2, 6)
        assert found.outputs[0].distortion.noise == 6 * 2**2
        assert found.outputs[0].distortion.signal == (4 + 9) + (9 + 25) + (4 + 9)


def test_every_entry_that_was_taken_has_outputs() -> None:
    model = networks.of_two_signatures()
    both = open_data(None, model, random=2)
    for device in (OURS, XNNPACK):
        if device != OURS:
            pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
        found = agreement(model, model, {}, both, device=device)
        assert [(one.signature, one.output) for one in found.outputs] == [(None, "y"), ("join", "result")]
    only = of(*(c for c in both if c[0].signature is None))
    assert len(agreement(model, model, {}, only, device=OURS).outputs) == 1


def test_models_of_other_ends_are_refused() -> None:
    model = relu("float32")
    main = model.subgraphs[0]
    two = replace(model, subgraphs=(replace(main, outputs=(1, 1)),))
    with pytest.raises(ConfigError, match="not as many outputs"):
        agreement(model, two, {}, of((Sample({"x": X}),)), device=OURS)
    with pytest.raises(ConfigError, match="there is no sample"):
        agreement(model, model, {}, of(), device=OURS)


@pytest.mark.parametrize("device", [OURS, XNNPACK])
@pytest.mark.parametrize(("last", "hides"), [("SOFTMAX", True), ("LOGISTIC", True), ("", False)])
def test_a_probability_hides_the_loss_of_its_logits(last: str, hides: bool, device: str) -> None:
    """Samples beyond the calibrated range saturate the logits, and the largest stays the largest."""
    if device != OURS:
        pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    narrow, wide = narrow_and_wide()
    settings = {"data": narrow, "evaluate": wide, "device": device}
    record = convert_model(classifier(last), **settings)
    assert record.agreement is not None
    assert record.evaluation is not None
    (before,), (after,) = record.agreement.outputs, record.evaluation.outputs
    assert before.worse_logits is None
    logits = after.logits or after
    assert logits.snr < 20
    assert (after.worse_logits is not None) == hides
    assert after.lowest_snr == logits.snr
    plain = record.evaluation.to_plain()["outputs"][0]["logits"]
    assert (None if plain is None else (plain["name"], plain["logits"])) == (
        ("logits", None) if hides else None
    )


@pytest.mark.parametrize("make", [loop, branch])
def test_litert_runs_models_with_called_subgraphs_if_only_outputs_are_compared(
    make: Callable[[], Model],
) -> None:
    """LiteRT has the tensors of a body after the last turn only, so litecheck's kernels run the body's pairs."""
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    model = make()
    data = np.random.default_rng(1).standard_normal((6, 1, 8)).astype(np.float32)
    conversion = convert_model(model, data=data, device=OURS, agreement=False).conversion
    samples = of(*((Sample({"x": x}),) for x in data))
    (main, other), body = conversion.tensors[0, 0], next(key for key in conversion.tensors if key[0] == 2)
    fast = agreement(model, conversion.model, {(0, 0): (main, other)}, samples)
    slow = agreement(model, conversion.model, {body: conversion.tensors[body]}, samples)
    assert (fast.runtime.split()[0], slow.runtime) == ("ai-edge-litert", "litecheck's kernels")
    assert fast.outputs[0].snr == pytest.approx(slow.outputs[0].snr, abs=1)
    with pytest.raises(ConfigError, match="after their last call only"):
        agreement(model, conversion.model, {body: conversion.tensors[body]}, samples, device=XNNPACK)

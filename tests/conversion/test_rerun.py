"""Repeated conversions: corrected biases if they reduce the error, and operators ranked by their isolated
quantization."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from litecheck import convert_model
from litecheck.conversion.agreement import agreement
from litecheck.conversion.bias_correction import search_bias_correction
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.samples import Sample
from litecheck.conversion.convert_float import Request, convert, replay
from litecheck.conversion.fixes import lowest_snr
from litecheck.conversion.plan_file import plan_json, read_plan
from litecheck.conversion.record import ConversionRecord
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder
from litecheck.model.edit import with_subgraphs
from litecheck.model.save import model_bytes
from litecheck.model.stored_values import bytes_of, stored_integers
from litecheck.model.types import Model
from litecheck.rendering.formats import render
from tests.conversion.mobile_nets import images, mobile_net

OURS, XNNPACK = "litecheck", "litert:xnnpack"


def shifting() -> Model:
    """Return a layer with weights that round to 0 beside a large weight; on inputs of 1, its outputs have an offset."""
    main = (builder := ModelBuilder()).subgraph()
    x, y, z = (main.tensor(n, (1, k), "float32") for n, k in (("x", 64), ("y", 4), ("z", 4)))
    weights = np.full((4, 64), 0.1, np.float32)
    weights[:, 0] = 1 + 100 * np.arange(4)
    operands = [main.constant("w", weights), main.constant("b", np.zeros(4, np.float32))]
    main.add("FULLY_CONNECTED", [x, *operands], [y])
    more = [main.constant("v", np.eye(4, dtype=np.float32)), main.constant("c", np.zeros(4, np.float32))]
    main.add("FULLY_CONNECTED", [y, *more], [z])
    main.inputs(x)
    main.outputs(z)
    return builder.finish()


def ones(count: int = 4) -> CalibrationData:
    def chains() -> object:
        for number in range(count):
            x = np.ones((1, 64), np.float32)
            x[0, 0] = (number % 2) * 0.5
            yield (Sample({"x": x}),)

    return CalibrationData(chains, "ones", count)  # type: ignore[arg-type]


def made(model: Model, data: CalibrationData, **options: object) -> ConversionRecord:
    return convert_model(model, data=(data,), device=OURS, **options)


def snr(record: ConversionRecord) -> float:
    assert record.agreement is not None
    return min(one.snr for one in record.agreement.outputs)


@pytest.mark.parametrize("device", [OURS, XNNPACK])
def test_errors_are_measured_by_channel(device: str) -> None:
    if device != OURS:
        pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    model = shifting()
    done = convert(model, Request(), {(0, 0): (0, 1), (0, 1): (0, 160), (0, 2): (0, 160)})
    (one, other) = (
        agreement(model, done.model, done.tensors, ones(n), channelled=[(0, 1)], device=device)
        for n in (1, 2)
    )
    assert one.channels.keys() == {(0, 1), (0, 2)}
    # Channel 3 stores 0.1 as 0 in steps of 301/127: 6.3 are missing.
    assert one.channels[0, 1].mean_error.shape == (4,)
    assert one.channels[0, 1].mean_error[3] == pytest.approx(-6.3, abs=0.4)
    assert other.channels[0, 1].mean_error[3] == pytest.approx(-6.3, abs=1.5)
    assert "channels" not in one.to_plain()


def test_corrected_biases_bring_the_mean_back() -> None:
    plain, record = made(shifting(), ones()), made(shifting(), ones(), correct_bias=True)
    found = record.correction
    assert found is not None
    assert record.verdict == "conforms"
    assert (found.biases, found.before) == (1, pytest.approx(snr(plain)))
    assert found.after == pytest.approx(snr(record))
    assert found.after > found.before + 10
    assert "biases corrected" in render(record)
    plan = read_plan(plan_json(record.conversion.plan), "plan.json")
    assert model_bytes(replay(shifting(), plan, Request()).model) == model_bytes(record.conversion.model)


def test_harmful_corrections_are_not_applied() -> None:
    model = shifting()
    done = convert(model, Request(), {(0, 0): (0, 1), (0, 1): (0, 160), (0, 2): (0, 160)})
    found = agreement(model, done.model, done.tensors, ones(), channelled=[(0, 1)], device=OURS)
    best, _, message = search_bias_correction(done, lambda changes: done, lambda one: found)
    assert best is done
    assert (message.biases, message.before) == (0, message.after)


def test_sensitivity_finds_the_operator_at_fault() -> None:
    """The weights of a layer with a single scale round to 0, so that its isolated quantization has the lowest SNR."""
    model = shifting()
    record = made(model, ones(), sensitivity=-1)
    assert record.sensitivity is not None
    worst, least = record.sensitivity
    assert (worst.operator, least.operator) == (0, 1)
    assert worst.snr < 25 < least.snr
    alone = made(model, ones(), keep=("#1",))
    assert alone.agreement is not None
    assert worst.snr == pytest.approx(lowest_snr(alone.agreement))
    listed = json.loads(render(record, "json"))["sensitivity"]
    assert [(one["operator"], one["opcode"], one["name"]) for one in listed] == [
        (0, "FULLY_CONNECTED", "y"),
        (1, "FULLY_CONNECTED", "z"),
    ]
    assert "2 operators, each quantized alone" in " ".join(render(record).split())


@pytest.mark.parametrize("operator", [1, 5, 9])
def test_the_operator_with_an_outlier_channel_is_first_at_any_position(operator: int) -> None:
    """The accumulated error is largest after the last operator, so a ranking by this error would name the last."""
    model = with_outlier_channel(mobile_net(0, blocks=3, spread=0), operator)
    record = made(model, images(0, 2), sensitivity=-1, agreement=False)
    assert record.agreement is None
    every = record.sensitivity
    assert every is not None
    assert {one.operator for one in every[:2]} == {operator, operator + 1}
    assert [one.snr for one in every] == sorted(one.snr for one in every)
    first = made(model, images(0, 2), sensitivity=1, agreement=False).sensitivity
    assert first == every[:1]


def with_outlier_channel(model: Model, operator: int) -> Model:
    """Return the model with channel 5 between an operator and the next 300 times as large, and the same outputs."""
    (subgraph,) = model.subgraphs
    first, second = (subgraph.operators[n] for n in (operator, operator + 1))
    weights, bias, behind = first.inputs[1], first.inputs[2], second.inputs[1]
    tensors = list(subgraph.tensors)
    for index, axis, factor in ((weights, 0, 300), (bias, 0, 300), (behind, 3, 1 / 300)):
        values = np.moveaxis(stored_integers(tensors[index]).copy(), axis, 0)
        values[5] *= factor
        data = bytes_of(np.ascontiguousarray(np.moveaxis(values, 0, axis)))
        tensors[index] = replace(tensors[index], data=data, buffer=0)
    return with_subgraphs(model, [replace(subgraph, tensors=tuple(tensors))])


@pytest.mark.parametrize("option", [{"correct_bias": True}, {"sensitivity": 3}])
def test_both_need_data_and_integers(option: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=r"missing option --data: .* runs models on samples"):
        convert_model(shifting(), **option)
    with pytest.raises(ConfigError, match="is for integer activations"):
        convert_model(shifting(), to="dynamic", **option)

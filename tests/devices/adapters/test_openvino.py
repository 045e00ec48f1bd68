"""The OpenVINO device. Its tests need the extra ``openvino``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
pytest.importorskip("openvino", reason="needs the extra 'openvino'")

from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Device, Failure, Job, Limits
from litecheck.devices.registry import open_device
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.load import load_model
from litecheck.model.save import model_bytes


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("openvino", Limits(120))
    yield opened
    opened.close()


def addition() -> Job:
    builder = ModelBuilder()
    graph = builder.subgraph()
    x, y, z = (graph.tensor(name, (1, 64), "int8", qparams(0.5)) for name in "xyz")
    graph.add("ADD", [x, y], [z], version=2)
    graph.inputs(x, y)
    graph.outputs(z)
    model = builder.finish()
    random = np.random.default_rng(0)
    runs = tuple(tuple(random.integers(-60, 60, (1, 64)).astype(np.int8) for _ in "xy") for _ in range(2))
    return Job("0000-ADD", model, model_bytes(model), runs)


def test_an_addition_runs_on_the_plugin(device: Device) -> None:
    wanted = addition()
    answer = device.run(wanted)
    assert isinstance(answer, Answer), answer
    assert answer.delegated == (True,)
    for (x, y), (z,) in zip(wanted.runs, answer.runs, strict=True):
        np.testing.assert_array_equal(z, x + y)


def test_operators_that_the_plugin_rejects_are_not_delegated(device: Device) -> None:
    file = Path(__file__).resolve().parents[3] / "fixtures" / "custom_op.tflite"
    run = (np.zeros((1, 6), np.int8),)
    failure = device.run(Job("0000-X", load_model(file), file.read_bytes(), (run,)))
    assert failure == Failure(Outcome.NOT_DELEGATED, "the plugin takes 1 of 2 operators")


def test_a_compilation_error_of_the_plugin_is_a_rejection_with_its_message(device: Device) -> None:
    file = Path(__file__).resolve().parents[3] / "fixtures" / "conv_int8.tflite"
    run = (np.zeros((1, 8, 8, 3), np.int8),)
    failure = device.run(Job("0000-X", load_model(file), file.read_bytes(), (run,)))
    assert isinstance(failure, Failure)
    assert failure.outcome is Outcome.REFUSED
    assert "Exception in compilation" in failure.message

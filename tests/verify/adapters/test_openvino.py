"""Needs the extra ``openvino``; without it nothing here runs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
pytest.importorskip("openvino", reason="needs the extra 'openvino'")

from litecheck.model.build import ModelBuilder, quantized
from litecheck.model.save import model_bytes
from litecheck.verify.device import Answer, Device, Failure, Job, Limits
from litecheck.verify.opening import open_device
from litecheck.verify.outcome import Outcome


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("openvino", Limits(120))
    yield opened
    opened.close()


def job(opcode: str, dtype: str = "int8") -> Job:
    builder = ModelBuilder()
    graph = builder.subgraph()
    x, y, z = (graph.tensor(name, (1, 64), dtype, quantized(0.5)) for name in "xyz")
    graph.add(opcode, [x, y], [z], version=2)
    graph.inputs(x, y)
    graph.outputs(z)
    model = builder.finish()
    random = np.random.default_rng(0)
    runs = tuple(tuple(random.integers(-60, 60, (1, 64)).astype(np.int8) for _ in "xy") for _ in range(2))
    return Job("0000-ADD", model, model_bytes(model), runs)


def test_an_addition_runs_on_the_plugin(device: Device) -> None:
    wanted = job("ADD")
    answer = device.run(wanted)
    assert isinstance(answer, Answer), answer
    assert answer.delegated == (True,)
    for (x, y), (z,) in zip(wanted.runs, answer.runs, strict=True):
        np.testing.assert_array_equal(z, x + y)


def test_what_the_plugin_leaves_is_not_delegated(device: Device) -> None:
    answer = device.run(job("BITCAST"))
    assert isinstance(answer, Failure)
    assert answer.outcome is Outcome.NOT_DELEGATED

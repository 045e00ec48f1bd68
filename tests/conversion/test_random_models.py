"""A small fixed slice of ``python -m tests.differential.conversion``, and of the same with ``--verify``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from litecheck.devices.port import Answer, Device, Failure, Job
from litecheck.devices.registry import open_device
from tests.differential.conversion import Outcome, check_conversion, converted, models, verified
from tests.differential.oracle import Oracle

pytestmark = pytest.mark.slow

GRAPHS = 4
#: Models with separately verified operators: an operator of each family of kernels, state, loops, a short graph.
VERIFIED = {
    "int8": ("CONV_2D", "SVDF", "SOFTMAX", "SUM", "net-streaming", "net-branches", "graph-4"),
    "int16x8": ("CONV_2D", "SOFTMAX", "net-lstm_fused"),
}


@pytest.mark.parametrize("to", ["int8", "int16x8"])
def test_converted_models_conform_load_and_are_exact(to: str) -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    faults, quantized = {}, 0
    with Oracle() as oracle:
        for name, model, runs in models(GRAPHS, ""):
            outcome = check_conversion(oracle, name, model, runs, to)
            quantized += outcome.becomes["int8"] + outcome.becomes["int16"]
            if outcome.faults:
                faults[name] = outcome.faults
    assert faults == {}
    assert quantized > 120


@pytest.fixture(scope="module")
def litert() -> Iterator[Device]:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    device = open_device("litert:reference")
    yield device
    device.close()


@pytest.mark.parametrize("to", ["int8", "int16x8"])
def test_verify_finds_every_converted_operator_exact(litert: Device, to: str) -> None:
    faults, cases = {}, 0
    for name, model, runs in models(5, ""):
        if name in VERIFIED[to]:
            outcome = Outcome(name, to)
            verified(outcome, converted(model, runs, to).model, runs, litert)
            cases += outcome.cases["exact"]
            if outcome.faults:
                faults[name] = outcome.faults
    assert faults == {}
    assert cases > {"int8": 30, "int16x8": 4}[to]


class OneBitOff:
    """LiteRT with a changed last bit of each output's first integer."""

    def __init__(self, device: Device) -> None:
        self.device, self.name, self.described, self.memory = (
            device, device.name, device.described, device.memory,
        )  # fmt: skip

    def run(self, job: Job) -> Answer | Failure:
        answer = self.device.run(job)
        if isinstance(answer, Failure):
            return answer
        return Answer(tuple(tuple(map(_flipped, run)) for run in answer.runs))

    def close(self) -> None:
        self.device.close()


def _flipped(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind != "i" or not array.size:
        return array
    made = array.copy()
    made.flat[0] ^= 1
    return made


def test_a_changed_bit_is_found(litert: Device) -> None:
    ((name, model, runs),) = [one for one in models(0, "FULLY_CONNECTED") if one[0] == "FULLY_CONNECTED"]
    outcome = Outcome(name, "int8")
    verified(outcome, converted(model, runs, "int8").model, runs, OneBitOff(litert))
    assert any("FULLY_CONNECTED" in fault and "mismatch" in fault for fault in outcome.faults)

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tflite_micro", reason="needs the extra 'tflm'")

from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Device, Failure, Job
from litecheck.devices.registry import open_device
from litecheck.model.load import load_model
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.interpreter import run

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
Asking = Callable[..., "Answer | Failure"]


@pytest.fixture
def ask() -> Iterator[Asking]:
    devices: list[Device] = []

    def asking(file: str, *runs: tuple[np.ndarray, ...], text: str = "tflm") -> Answer | Failure:
        devices.append(open_device(text))
        assert devices[-1].described.startswith(f"{text} (tflite-micro ")
        return devices[-1].run(Job("0", load_model(FIXTURES / file), (FIXTURES / file).read_bytes(), runs))

    yield asking
    for device in devices:
        device.close()


@pytest.mark.parametrize(("file", "shape"), [("conv_int8.tflite", (1, 8, 8, 3)), ("fc_int8.tflite", (1, 6))])
def test_a_network_equals_its_arithmetic(ask: Asking, file: str, shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(0)
    runs = tuple((random.integers(-128, 128, shape).astype(np.int8),) for _ in range(3))
    answer = ask(file, *runs)
    assert isinstance(answer, Answer), answer
    assert (answer.delegated, answer.ended, answer.message) == (None, "", "")
    for inputs, (given,) in zip(runs, answer.runs, strict=True):
        (expected,) = run(
            load_model(FIXTURES / file), inputs, arithmetic=load_arithmetic("tflm")
        ).outputs.values()
        np.testing.assert_array_equal(given, expected)


@pytest.mark.parametrize("arena", [2000, 3000])
def test_an_arena_that_is_too_small_is_no_refusal(ask: Asking, arena: int) -> None:
    """With 3000 bytes, the memory planner of TFLM has too few buffers."""
    failure = ask("conv_int8.tflite", (np.zeros((1, 8, 8, 3), np.int8),), text=f"tflm,arena={arena}")
    assert isinstance(failure, Failure)
    assert failure.outcome is Outcome.OUT_OF_MEMORY


def test_an_unknown_operator_is_refused_with_the_reason(ask: Asking) -> None:
    failure = ask("custom_op.tflite", (np.zeros((1, 4), np.int8),))
    assert isinstance(failure, Failure)
    assert failure.outcome is Outcome.REFUSED
    assert "Failed to get registration from op code CUSTOM" in failure.message

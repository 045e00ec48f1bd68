from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Device, Failure, Job, Limits
from litecheck.devices.registry import open_device
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.load import load_model
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.processes.posix import can_limit_memory
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.interpreter import run

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
#: Each of LiteRT's kernels, and the arithmetic that describes it.
KERNELS = {"reference": "litert-reference", "optimized": "litert-optimized", "xnnpack": "litert-xnnpack"}
Opening = Callable[..., Device]


@pytest.fixture
def opened() -> Iterator[Opening]:
    devices: list[Device] = []

    def opening(text: str, limits: Limits | None = None) -> Device:
        devices.append(open_device(text, limits))
        return devices[-1]

    yield opening
    for device in devices:
        device.close()


def ask(
    device: Device, model: Model, *runs: tuple[np.ndarray, ...], content: bytes = b""
) -> Answer | Failure:
    return device.run(Job("0000-X", model, content or model_bytes(model), runs))


def single_operator(
    opcode: str, dtypes: tuple[str, str], values: tuple[int, ...] = (6,), **options: Any
) -> Model:
    builder = ModelBuilder()
    graph = builder.subgraph()
    x, y = (graph.tensor(n, values, t, qparams(0.5)) for n, t in zip("xy", dtypes, strict=True))
    graph.add(opcode, [x], [y], **options)
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("threads", ["", ",threads=2"])
def test_a_network_equals_its_arithmetic(opened: Opening, kernels: str, threads: str) -> None:
    file = FIXTURES / "conv_int8.tflite"
    model = load_model(file)
    random = np.random.default_rng(0)
    runs = tuple((random.integers(-128, 128, (1, 8, 8, 3)).astype(np.int8),) for _ in range(3))
    device = opened(f"litert:{kernels}{threads}")
    assert device.described.startswith(f"litert:{kernels}{threads} (ai-edge-litert 2.")
    answer = ask(device, model, *runs, content=file.read_bytes())
    assert isinstance(answer, Answer), answer
    assert (answer.delegated, answer.ended, answer.message) == (None, "", "")
    how = load_arithmetic(KERNELS[kernels])
    for inputs, (given,) in zip(runs, answer.runs, strict=True):
        (expected,) = run(model, inputs, arithmetic=how).outputs.values()
        np.testing.assert_array_equal(given, expected)


def test_inputs_give_the_model_their_shape(opened: Opening) -> None:
    model = single_operator("RELU", ("int8", "int8"))
    runs = [(np.arange(-n, n, dtype=np.int8).reshape(2, n),) for n in (3, 1, 5)]
    answer = ask(opened("litert:reference"), model, *runs)
    assert isinstance(answer, Answer)
    for (x,), (y,) in zip(runs, answer.runs, strict=True):
        np.testing.assert_array_equal(y, np.maximum(x, 0))


def test_values_of_four_bits_come_one_a_byte(opened: Opening) -> None:
    model = single_operator("QUANTIZE", ("float32", "int4"), version=2)
    answer = ask(opened("litert:reference"), model, (np.array([0.5, -1, 1.5, -2, 9, -9], np.float32),))
    assert isinstance(answer, Answer)
    assert (answer.runs[0][0].dtype, answer.runs[0][0].tolist()) == (np.int8, [1, -2, 3, -4, 7, -8])


def test_variables_begin_anew_in_every_run(opened: Opening) -> None:
    builder = ModelBuilder()
    graph = builder.subgraph()
    x = graph.tensor("x", (1, 2), "float32")
    weights = [graph.constant(n, np.ones((2, 2), np.float32)) for n in ("feature", "time")]
    state = graph.tensor("state", (1, 4), "float32", is_variable=True)
    y = graph.tensor("y", (1, 2), "float32")
    graph.add("SVDF", [x, *weights, -1, state], [y], rank=1)
    graph.inputs(x)
    graph.outputs(y)
    ones = np.ones((1, 2), np.float32)
    answer = ask(opened("litert:reference"), builder.finish(), (ones,), (ones,))
    assert isinstance(answer, Answer), answer
    assert answer.runs[0][0].tolist() == answer.runs[1][0].tolist() == [[2.0, 2.0]]


def test_messages_of_the_runtime_are_passed_on(opened: Opening) -> None:
    device = opened("litert:reference")
    failure = ask(device, load_model(FIXTURES / "custom_op.tflite"), (np.zeros((1, 4), np.int8),))
    assert isinstance(failure, Failure)
    assert failure.outcome is Outcome.REFUSED
    assert "custom op" in failure.message
    unsound = device.run(Job("0000-X", single_operator("RELU", ("int8", "int8")), b"no model at all", ()))
    assert isinstance(unsound, Failure)
    assert unsound.outcome is Outcome.REFUSED


@pytest.mark.skipif(not can_limit_memory(), reason="needs a system that limits the memory of a process")
def test_tensors_larger_than_the_memory_are_not_a_refusal(opened: Opening) -> None:
    builder = ModelBuilder()
    graph = builder.subgraph()
    x = graph.tensor("x", (1024, 1024), "int8", qparams(1.0))
    y = graph.tensor("y", (1024 << 9, 1024), "int8", qparams(1.0))
    graph.add("TILE", [x, graph.constant("times", np.array([1 << 9, 1], np.int32))], [y])
    graph.inputs(x)
    graph.outputs(y)
    device = opened("litert:reference", Limits(30, 1 << 28))
    failure = ask(device, builder.finish(), (np.zeros((1024, 1024), np.int8),))
    assert isinstance(failure, Failure)
    assert failure.outcome is Outcome.OUT_OF_MEMORY
    assert "the tensors need 537," in failure.message


def test_resources_begin_anew_in_every_run(opened: Opening) -> None:
    builder = ModelBuilder()
    main, q = builder.subgraph(), qparams(0.5, 0)
    handle = main.tensor("handle", (), "resource")
    x, before, after = (main.tensor(name, (2,), "int8", q) for name in ("x", "before", "after"))
    main.add("CALL_ONCE", [], [], init_subgraph_index=1)
    main.add("VAR_HANDLE", [], [handle], container="", shared_name="v")
    main.add("READ_VARIABLE", [handle], [before])
    main.add("ADD", [x, before], [after])
    main.add("ASSIGN_VARIABLE", [handle, after], [])
    main.inputs(x)
    main.outputs(after)
    first = builder.subgraph("first")
    own = first.tensor("handle", (), "resource")
    first.add("VAR_HANDLE", [], [own], container="", shared_name="v")
    first.add("ASSIGN_VARIABLE", [own, first.constant("start", np.array([1, 2], np.int8), q)], [])
    model = builder.finish()
    runs = tuple((np.array([n, n], np.int8),) for n in (3, 4, 3))
    answer = opened("litert:reference").run(Job("resources", model, model_bytes(model), runs))
    assert isinstance(answer, Answer)
    assert [run[0].tolist() for run in answer.runs] == [[4, 5], [5, 6], [4, 5]]

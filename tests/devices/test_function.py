"""A Python function as a device: returned values, exceptions, and arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import litecheck
from litecheck.arrays import Array
from litecheck.devices.function import FunctionDevice, check_any_model
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import DeviceError
from litecheck.errors import ConfigError
from litecheck.verification.result import Verdict
from tests.test_library import FIXTURES

MODEL = litecheck.load_model(FIXTURES / "fc_int8.tflite")
GRAPH = MODEL.subgraphs[0]
OUTPUT = GRAPH.tensors[GRAPH.outputs[0]]


def right(*inputs: Array) -> Array:
    (output,) = litecheck.run(MODEL, inputs).outputs.values()
    return output


def verdict(function: Callable[..., Any]) -> Verdict:
    (found,) = litecheck.verify(MODEL, function).verdicts
    return found


@pytest.mark.parametrize(
    "shaped",
    [
        lambda array: array,
        lambda array: [array],
        lambda array: (array,),
        lambda array: {OUTPUT.name: array},
        lambda array: {"any name, there is one output": array},
        lambda array: memoryview(array),
    ],
)
def test_outputs_come_alone_in_order_or_by_name(shaped: Callable[[Array], object]) -> None:
    assert verdict(lambda *inputs: shaped(right(*inputs))).outcome is Outcome.EXACT


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (None, f"'{OUTPUT.name}' is NoneType, it should be an array"),
        ((), "0 outputs returned, the model has 1"),
        ((1, 2), "2 outputs returned, the model has 1"),
        ({"a": 1, "b": 2}, f"no output '{OUTPUT.name}' in the mapping that was returned, which has 'a', 'b'"),
        ({}, f"no output '{OUTPUT.name}' in the mapping that was returned, which has nothing"),
        ("text", f"'{OUTPUT.name}' is str, it should be an array"),
        ([[1, 2], [3]], "2 outputs returned, the model has 1"),
        (np.zeros(OUTPUT.shape), f"'{OUTPUT.name}' is float64 of shape"),
        (np.zeros((1, 2, 3), np.int8), f"'{OUTPUT.name}' is int8 of shape [1, 2, 3], it should be int8"),
    ],
)
def test_outputs_of_wrong_type_or_shape_are_named(made: object, message: str) -> None:
    found = verdict(lambda *inputs: made)
    assert found.outcome is Outcome.WRONG_SHAPE
    assert message in found.message


class _Unknown:
    def __array__(self, *args: object, **named: object) -> Array:
        raise RuntimeError("on another device")


def test_a_value_that_is_no_array_is_an_error() -> None:
    assert verdict(lambda *inputs: _Unknown()).message.endswith("is _Unknown, it should be an array")


def _raising(error: BaseException) -> Callable[..., Any]:
    def function(*inputs: Array) -> Any:
        raise error

    return function


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (ValueError("no"), Outcome.REFUSED),
        (SystemExit(3), Outcome.REFUSED),
        (MemoryError("full"), Outcome.OUT_OF_MEMORY),
        (NotImplementedError("ADD"), Outcome.NOT_SUPPORTED),
        (litecheck.NotSupported("ADD"), Outcome.NOT_SUPPORTED),
        (litecheck.NotDelegated("ADD"), Outcome.NOT_DELEGATED),
    ],
)
def test_exceptions_are_outcomes_with_their_place(error: BaseException, outcome: Outcome) -> None:
    found = verdict(_raising(error))
    assert found.outcome is outcome
    assert str(error) in found.message
    assert "raised in function, test_function.py:" in found.message


def test_an_interrupt_is_no_outcome() -> None:
    with pytest.raises(KeyboardInterrupt):
        verdict(_raising(KeyboardInterrupt()))


def test_a_function_with_wrong_parameters_is_an_error() -> None:
    assert "(raised by the call itself)" in verdict(lambda: None).message


def test_a_function_may_write_to_its_inputs_and_reuse_its_outputs() -> None:
    kept = np.zeros(OUTPUT.shape, np.int8)

    def function(*inputs: Array) -> Array:
        kept[...] = right(*inputs)
        for array in inputs:
            array[...] = 0
        return kept

    assert verdict(function).outcome is Outcome.EXACT


def test_a_wrong_value_is_a_mismatch() -> None:
    found = verdict(lambda *inputs: right(*inputs) ^ 1)
    assert (found.outcome, found.case) == (Outcome.MISMATCH, "whole")


@pytest.mark.slow
def test_a_function_of_a_model_is_called_for_every_operator() -> None:
    model = litecheck.load_model(FIXTURES / "conv_int8.tflite")

    def function(model: bytes, *inputs: Array) -> Any:
        return litecheck.run(litecheck.load_model(model), inputs).outputs

    done = litecheck.verify(model, function, select=("RESHAPE", "SOFTMAX"), kinds=("random",))
    assert done.mode == "operators"
    assert [(v.opcode, v.outcome) for v in done.verdicts] == [
        ("RESHAPE", Outcome.EXACT),
        ("SOFTMAX", Outcome.EXACT),
    ]
    check_any_model(FunctionDevice(function), "a suite")


@pytest.mark.parametrize("asked", [{"segment": 2}, {"drift": True}, {"between": ("a", "b")}])
def test_parts_need_the_model(asked: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="a function whose first parameter is called 'model'"):
        litecheck.verify(MODEL, right, **asked)


def test_a_diagnosis_needs_a_function_of_a_model() -> None:
    with pytest.raises(DeviceError, match="computes one model, and a diagnosis asks about many"):
        litecheck.diagnose(right)


def test_a_builtin_is_a_function() -> None:
    device = litecheck.open_device(max, build="2")
    assert (device.name, device.described) == ("python:max", "python:max (a function of builtins) (2)")
    assert isinstance(device, FunctionDevice)
    assert device.whole


def test_a_closed_device_computes_no_more() -> None:
    device = FunctionDevice(right)
    device.close()
    with pytest.raises(DeviceError, match="closed"):
        litecheck.verify(MODEL, device)

"""Backends that take an operator: rules/arithmetic/dispatch.yaml uses the kernels' roles, and every condition decides."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.errors import ProfileError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.quantization import Quantization
from litecheck.reference import backends as module
from litecheck.reference.backends import (
    ALL_BACKENDS,
    OPTIMIZED,
    ROLES,
    XNNPACK,
    BackendSet,
    backends_of,
    load_dispatch,
)
from litecheck.reference.dispatch_conditions import MEASUREMENTS
from litecheck.reference.engine.dispatch import find_kernel, signature, slots_of
from litecheck.reference.registry import all_kernels, kernels

SHAPE, KERNEL = (1, 4, 4, 2), (3, 2, 2, 2)


def conv(
    *,
    weights: str = "constant",
    bias: str = "constant",
    dtype: str = "int8",
    kind: str = "",
    axis: int = 0,
    depth: int = 2,
    scaled: bool = True,
) -> Model:
    """Return a CONV_2D that XNNPACK takes, except for the given changes."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (*SHAPE[:3], depth), dtype, qparams(0.5, 0, axis))
    w = np.ones(KERNEL, np.uint8 if dtype == "uint8" else np.int8)
    stated = qparams(0.25, 0)
    if weights == "computed":
        operands = [x, main.tensor("w", KERNEL, kind or w.dtype.name, stated)]
    elif weights == "unpacked":
        packed = main.constant("packed", w, stated)
        operands = [x, main.tensor("w", KERNEL, "int8", stated)]
        main.add("DENSIFY", [packed], [operands[1]])
    else:
        operands = [x, main.constant("w", w, stated, kind or None)]
    of_bias = qparams(0.125) if scaled else Quantization()
    zeros = np.zeros(3, np.int32)
    operands.append(
        main.constant("b", zeros, of_bias) if bias == "constant" else main.tensor("b", (3,), "int32", of_bias)
    )
    y = main.tensor("y", (1, 3, 3, 3), dtype, qparams(1.0))
    main.add("CONV_2D", operands, [y], padding="VALID", stride_h=1, stride_w=1)
    main.inputs(
        x, *(i for i in operands[1:] if (i, weights) == (operands[1], "computed") or bias != "constant")
    )
    main.outputs(y)
    return builder.finish()


def of(model: Model) -> BackendSet:
    graph = model.subgraphs[0]
    operator = graph.operators[-1]
    roles = signature(find_kernel(graph, operator).function)
    return backends_of(graph, operator, roles.inputs, roles.outputs)


@pytest.mark.parametrize(
    ("model", "backends"),
    [
        (conv(), ALL_BACKENDS),
        (conv(dtype="uint8"), ALL_BACKENDS),
        (conv(weights="unpacked"), ALL_BACKENDS),
        (conv(weights="computed"), {OPTIMIZED}),
        (conv(bias="computed"), {OPTIMIZED}),
        (conv(scaled=False), {OPTIMIZED}),
        (conv(axis=1), {OPTIMIZED}),
        (conv(kind="int4"), {OPTIMIZED}),
        (conv(depth=4), {XNNPACK}),
        (conv(dtype="int16"), {OPTIMIZED}),
        (conv(dtype="int16", depth=4), set()),
    ],
)
def test_backends_of_a_convolution(model: Model, backends: BackendSet) -> None:
    assert of(model) == backends


def matrix(depth: int, scales: int, dtype: str = "int8", activation: str = "NONE") -> Model:
    """Return a FULLY_CONNECTED of four units with int2 weights."""
    builder = ModelBuilder()
    main = builder.subgraph()
    real = dtype == "float32"
    x = main.tensor("x", (2, depth), dtype, None if real else qparams(0.5))
    w = main.constant("w", np.ones((4, depth), np.int8), qparams([0.25] * scales), "int2")
    y = main.tensor("y", (2, 4), dtype, None if real else qparams(1.0))
    main.add("FULLY_CONNECTED", [x, w], [y], version=12, fused_activation_function=activation)
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


@pytest.mark.parametrize(
    ("model", "backends"),
    [
        (matrix(16, 4), ALL_BACKENDS),
        (matrix(18, 4), {OPTIMIZED}),
        (matrix(16, 1), {OPTIMIZED}),
        (matrix(16, 4, "float32"), ALL_BACKENDS),
        (matrix(18, 4, "float32"), {OPTIMIZED}),
        (matrix(16, 1, "float32"), {OPTIMIZED}),
        (matrix(16, 4, "float32", "RELU6"), ALL_BACKENDS),
        (matrix(16, 4, "float32", "TANH"), {OPTIMIZED}),
        (matrix(16, 4, "int16"), {OPTIMIZED}),
    ],
)
def test_backends_of_a_layer_of_int2_weights(model: Model, backends: BackendSet) -> None:
    assert of(model) == backends


def test_conditions_use_existing_roles() -> None:
    for name, backend in load_dispatch().backends.items():
        for opcode, alternatives in backend.operators.items():
            roles = {
                role
                for kernel in kernels()[opcode]
                for role in (*signature(kernel.function).inputs, *signature(kernel.function).outputs)
            }
            for condition in (c for conditions in alternatives for c in conditions):
                if condition.verb in ROLES:
                    assert condition.subject in roles, (name, opcode)
                if condition.verb == "same_type":
                    assert set(condition.allowed) <= roles
                if condition.verb == "ratio":
                    assert set(condition.subject.replace("*", " ").replace("/", " ").split()) <= roles


def test_every_measurement_is_used() -> None:
    measured = {
        condition.subject
        for known in (
            *(backend.operators for backend in load_dispatch().backends.values()),
            load_dispatch().conditions,
        )
        for alternatives in known.values()
        for conditions in alternatives
        for condition in conditions
        if condition.verb == "limits"
    }
    assert measured == set(MEASUREMENTS)


def test_kernels_of_listed_operators_use_the_backends() -> None:
    for opcode in {opcode for backend in load_dispatch().backends.values() for opcode in backend.operators}:
        takes_backends = any("backends" in signature(kernel.function).extras for kernel in kernels()[opcode])
        stated = {
            c for kernel in kernels()[opcode] for step in kernel.steps.values() for c in step.conditions
        }
        assert takes_backends or "declined" in stated, opcode


def test_every_condition_belongs_to_a_step_and_steps_have_existing_conditions() -> None:
    steps = [step for kernel in all_kernels() for step in kernel.steps.values()]
    assert {c for step in steps for c in step.conditions} == {*load_dispatch().conditions}
    assert all(step.own.keys() <= {*step.conditions} for step in steps)


@pytest.mark.parametrize(
    ("model", "path"),
    [
        (conv(), "requantize"),
        (conv(dtype="uint8"), "requantize/uint8"),
        (conv(bias="computed"), "requantize/declined"),
        (conv(depth=4), "requantize/grouped"),
        (conv(depth=4, dtype="uint8", bias="computed"), "requantize/declined+uint8+grouped"),
        (conv(dtype="int16", depth=4), "requantize/int32_bias"),
    ],
)
def test_the_cell_of_a_convolution(model: Model, path: str) -> None:
    assert [cell.path for cell in slots_of(model.subgraphs[0], model.subgraphs[0].operators[-1])] == [path]


@pytest.mark.parametrize(
    ("value", "words", "inside"),
    [(3, "3", True), (3, "1..3", True), (3, "1..<3", False), (3, "4..", False), (0.25, "1/4..", True)],
)
def test_ranges(value: float, words: str, inside: bool) -> None:
    assert module._within(value, (words,)) is inside


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "backends: {a: {operators: {ADD: [{tpyes: {lhs: int8}}]}}}",
            "unknown key 'tpyes'; did you mean 'types'?",
        ),
        (
            "backends: {a: {operators: {ADD: [{limits: {depht: 0}}]}}}",
            "unknown measurement 'depht'; did you mean",
        ),
    ],
)
def test_an_error_in_the_file_is_reported(tmp_path, monkeypatch, text: str, message: str) -> None:
    (tmp_path / "arithmetic").mkdir()
    (tmp_path / "arithmetic" / "dispatch.yaml").write_text(text)
    monkeypatch.setattr(module, "rules_dir", lambda: tmp_path)
    load_dispatch.cache_clear()
    try:
        with pytest.raises(ProfileError, match=message.replace("?", r"\?")):
            load_dispatch()
    finally:
        load_dispatch.cache_clear()

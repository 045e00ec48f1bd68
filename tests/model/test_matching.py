"""Matching of operators and tensors by structure, in any order and with any names, and reasons for missing partners."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, SubgraphBuilder
from litecheck.model.edit import SubgraphEditor, with_subgraphs
from litecheck.model.load import load_model
from litecheck.model.matching import SubgraphMatch, match
from litecheck.model.tensor_matching import operand_order
from litecheck.model.types import Model
from tests.differential.planted_changes import shuffled

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
CONVERT = FIXTURES / "convert"


@pytest.mark.parametrize(
    ("name", "form", "unmatched"),
    [
        ("separable", "int8", 0),
        ("residual", "int8", 0),
        ("attention", "int8", 4),
        ("mixed_concat", "int8", 2),
        ("lstm_unrolled", "int8", 0),
        ("transpose_conv", "int8", 0),
        ("dead_channels", "int16x8", 0),
    ],
)
def test_float_and_quantized(name: str, form: str, unmatched: int) -> None:
    real, quantized = load_model(CONVERT / f"{name}.tflite"), load_model(CONVERT / f"{name}_{form}.tflite")
    found = match(real, shuffled(quantized, np.random.default_rng(0)))
    part = found.subgraphs[0]
    assert len(part.operators) == len(real.subgraphs[0].operators)
    assert {one.reason for one in found.unmatched} <= {
        "converts between types",
        "changes the scale or zero point",
    }
    assert len(found.unmatched) == unmatched
    for one, other in part.operators:
        outputs = part.first.operators[one].outputs, part.second.operators[other].outputs
        assert [part.tensors[i] for i in outputs[1]] == list(outputs[0])


@pytest.mark.parametrize("name", ["attention", "lstm_unrolled", "detection"])
def test_another_order_gives_the_same_partners(name: str) -> None:
    model = load_model(CONVERT / f"{name}.tflite")
    other = shuffled(model, np.random.default_rng(1))
    part = match(model, other).subgraphs[0]
    assert [one for one, _ in part.operators] != list(range(len(part.operators)))
    for one, two in part.operators:
        mine, theirs = part.first.operators[one].inputs, part.second.operators[two].inputs
        assert [part.tensors.get(i, -1) for i in theirs] == list(mine)


def layers(count: int, activation: str = "NONE", separate: bool = False, seed: int = 0) -> Model:
    """Return a sequence of equal layers, with a fused or a separate activation."""
    builder, rng = ModelBuilder(), np.random.default_rng(seed)
    main = builder.subgraph()
    x = main.tensor("x", (1, 8), "float32")
    main.inputs(x)
    for n in range(count):
        weights = main.constant(f"w{n}", rng.normal(size=(8, 8)).astype(np.float32))
        y = main.tensor(f"y{n}", (1, 8), "float32")
        main.add(
            "FULLY_CONNECTED", [x, weights], [y], fused_activation_function="NONE" if separate else activation
        )
        x = _relu(main, y, n) if separate else y
    main.outputs(x)
    return builder.finish()


def _relu(main: SubgraphBuilder, y: int, n: int) -> int:
    z = main.tensor(f"z{n}", (1, 8), "float32")
    main.add("RELU", [y], [z])
    return z


def _partners(part: SubgraphMatch) -> dict[int, int]:
    return dict(part.operators)


def test_weights_distinguish_equal_layers() -> None:
    """Without layer 1 of 4, the following layers keep their partners."""
    model = layers(4)
    main = model.subgraphs[0]
    left = [op for op in main.operators if op.index != 1]
    moved = replace(left[1], inputs=(left[0].outputs[0], *left[1].inputs[1:]))
    operators = tuple(replace(op, index=n) for n, op in enumerate((left[0], moved, left[2])))
    part = match(model, with_subgraphs(model, [replace(main, operators=operators)])).subgraphs[0]
    assert _partners(part) == {0: 0, 2: 1, 3: 2}
    assert [(one.side, one.operator) for one in part.unmatched] == [(0, 1)]


def test_other_weights_are_the_same_layers() -> None:
    part = match(layers(4), layers(4, seed=1)).subgraphs[0]
    assert _partners(part) == {0: 0, 1: 1, 2: 2, 3: 3}


def test_a_fused_activation_is_absorbed() -> None:
    part = match(layers(2, "RELU", separate=True), layers(2, "RELU")).subgraphs[0]
    assert _partners(part) == {0: 0, 2: 1}
    assert part.absorbed == {0: (1,), 2: (3,)}
    names = [part.first.tensors[part.tensors[op.outputs[0]]].name for op in part.second.operators]
    assert names == ["z0", "z1"]
    assert [one.reason for one in part.unmatched] == [
        "fused into FULLY_CONNECTED #0",
        "fused into FULLY_CONNECTED #2",
    ]


def test_another_activation_is_not_absorbed() -> None:
    part = match(layers(1, "RELU", separate=True), layers(1, "RELU6")).subgraphs[0]
    assert part.absorbed == {}


def test_swapped_operands() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, a, b, c = (main.tensor(name, (1, 4), "float32") for name in "xabc")
    main.add("ABS", [x], [a])
    main.add("NEG", [x], [b])
    main.add("SUB", [a, b], [c])
    main.inputs(x)
    main.outputs(c)
    model = builder.finish()
    editor = SubgraphEditor(model.subgraphs[0])
    editor.change(2, inputs=(b, a))
    other = with_subgraphs(model, [editor.finish()[0]])
    part = match(model, other).subgraphs[0]
    assert _partners(part) == {0: 0, 1: 1, 2: 2}
    assert operand_order(part.tensors, part.first.operators[2], part.second.operators[2]) == (1, 0)


def test_a_replaced_operator_has_a_partner() -> None:
    model = layers(2, "RELU", separate=True)
    editor = SubgraphEditor(model.subgraphs[0])
    editor.change(1, opcode="RELU6")
    editor.change(2, opcode="BATCH_MATMUL", options=None)
    part = match(model, with_subgraphs(model, [editor.finish()[0]])).subgraphs[0]
    assert _partners(part) == {0: 0, 1: 1, 2: 2, 3: 3}
    assert part.unmatched == ()


def test_an_operator_without_its_bias_keeps_its_partner() -> None:
    model = load_model(CONVERT / "residual.tflite")
    editor = SubgraphEditor(model.subgraphs[0])
    editor.change(1, inputs=model.subgraphs[0].operators[1].inputs[:2])
    part = match(model, with_subgraphs(model, [editor.finish()[0]])).subgraphs[0]
    assert (1, 1) in part.operators
    assert part.unmatched == ()


def test_float16_constants_are_those_behind_dequantize() -> None:
    from litecheck.conversion.convert_float import Request, convert

    real = load_model(CONVERT / "separable.tflite")
    half = convert(real, Request("float16")).model
    part = match(half, load_model(CONVERT / "separable_int8.tflite")).subgraphs[0]
    kernel = part.second.operators[0].inputs[1]
    assert part.first.tensors[part.tensors[kernel]].dtype == "float16"
    assert {one.opcode for one in part.unmatched} == {"DEQUANTIZE"}


def test_a_dequantized_output_matches_the_output_of_simulated_quantization() -> None:
    """The float file dequantizes the input of SOFTMAX, the int8 file the output of SOFTMAX."""
    from litecheck.conversion.pipeline import convert_model

    trained = load_model(CONVERT / "trained.tflite")
    quantized = convert_model(trained, outputs="float32", random=2, agreement=False).conversion.model
    part = match(trained, quantized).subgraphs[0]
    last = part.second.operators[-1]
    assert last.kind == "DEQUANTIZE"
    assert last.index not in {other for _, other in part.operators}
    assert part.tensors[last.outputs[0]] == part.first.outputs[0]

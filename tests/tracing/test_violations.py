"""Violations in a trace: reasons for a failure to load in LiteRT, and violations of operators."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from litecheck.model.edit import SubgraphEditor, with_subgraphs
from litecheck.model.load import load_model
from litecheck.tracing.violations import violations

CONVERT = Path(__file__).resolve().parents[2] / "fixtures" / "convert"


def test_a_missing_bias_is_named() -> None:
    model = load_model(CONVERT / "residual_int8.tflite")
    assert violations(model).load == ()
    editor = SubgraphEditor(model.subgraphs[0])
    editor.change(1, inputs=model.subgraphs[0].operators[1].inputs[:2])
    assert violations(with_subgraphs(model, [editor.finish()[0]])).load == (
        "CONV_2D #1: bias: it is left out",
    )


def test_scales_of_another_dimension_are_named_with_their_tensor() -> None:
    model = load_model(CONVERT / "separable_int8.tflite")
    main = model.subgraphs[0]
    depthwise = next(op for op in main.operators if op.opcode == "DEPTHWISE_CONV_2D")
    weight = main.tensors[depthwise.inputs[1]]
    editor = SubgraphEditor(main)
    editor.set_tensor(weight.index, quantization=replace(weight.quantization, axis=0))
    (found,) = violations(with_subgraphs(model, [editor.finish()[0]])).load
    size = weight.quantization.scale.size
    place = f"tensor {weight.index} '{weight.name}'"
    assert found == f"{place}: it has {size} scales along dimension 0, whose length is 1"


def test_a_model_that_only_the_default_interpreter_rejects() -> None:
    model = load_model(CONVERT / "separable_int8.tflite")
    main = model.subgraphs[0]
    depthwise = next(op for op in main.operators if op.opcode == "DEPTHWISE_CONV_2D")
    assert depthwise.options is not None
    multiplied = replace(depthwise.options, fields={**depthwise.options.fields, "depth_multiplier": 2})
    editor = SubgraphEditor(main)
    editor.change(depthwise.index, options=multiplied)
    (found,) = violations(with_subgraphs(model, [editor.finish()[0]])).load
    assert found.startswith(f"DEPTHWISE_CONV_2D #{depthwise.index}: depth multiplier gap is ")
    assert found.endswith(", rejected by the default interpreter only")

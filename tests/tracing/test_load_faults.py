"""Reasons why LiteRT does not load a model."""

from __future__ import annotations

from pathlib import Path

from litecheck.model.edit import SubgraphEditor, with_subgraphs
from litecheck.model.load import load_model
from litecheck.tracing.load_faults import load_faults

CONVERT = Path(__file__).resolve().parents[2] / "fixtures" / "convert"


def test_a_missing_bias_is_named() -> None:
    model = load_model(CONVERT / "residual_int8.tflite")
    assert load_faults(model) == ()
    editor = SubgraphEditor(model.subgraphs[0])
    editor.change(1, inputs=model.subgraphs[0].operators[1].inputs[:2])
    assert load_faults(with_subgraphs(model, [editor.finish()[0]])) == ("CONV_2D #1: bias: it is absent",)

"""The survey of a model: scales, zero points and stored values, as the file has them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import litecheck
from litecheck.checks.tensor_stats import summarize_quantization
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.edit import with_subgraphs
from litecheck.quantization import Quantization
from tests.test_library import FIXTURES

MODEL = litecheck.load_model(FIXTURES / "conv_int8.tflite")


def test_the_summary_has_outputs_and_constants_of_operators() -> None:
    graph = MODEL.subgraphs[0]
    found = summarize_quantization(MODEL)
    first = [one for one in found if one.operator == 0]
    conv = graph.operators[0]
    assert [one.tensor for one in first] == [*conv.outputs, *conv.inputs[1:]]
    assert [one.constant for one in first] == [False, True, True]
    weight, quantization = first[1], graph.tensors[conv.inputs[1]].quantization
    values = litecheck.model_bytes(MODEL) and graph.tensors[conv.inputs[1]].data
    assert values is not None
    stored = values.view(np.int8)
    assert weight.channels == quantization.scale.size == 8
    assert weight.scales == (float(quantization.scale.min()), float(quantization.scale.max()))
    assert weight.stored == (int(stored.min()), int(stored.max()))
    assert first[0].stored is None
    assert len({(one.subgraph, one.tensor) for one in found}) == len(found)


def test_scales_that_are_no_numbers_are_left_to_findings() -> None:
    graph = MODEL.subgraphs[0]
    for scale in (0.0, -1.0, float("nan"), float("inf")):
        broken = Quantization(np.array([scale], np.float32), np.array([0]))
        tensors = tuple(replace(tensor, quantization=broken) for tensor in graph.tensors)
        assert summarize_quantization(with_subgraphs(MODEL, [replace(graph, tensors=tensors)])) == ()


def test_a_report_has_the_survey_only_if_requested() -> None:
    assert litecheck.validate(MODEL).survey == ()
    assert litecheck.validate(MODEL, survey=True).survey == summarize_quantization(MODEL)
    (report,) = litecheck.validate_file(FIXTURES / "conv_int8.tflite", survey=True)
    assert report.survey == summarize_quantization(MODEL)
    assert litecheck.filter_report(report, ignore=["ADD"]).survey == report.survey


def test_the_first_tensor_may_be_a_constant() -> None:
    """Tensor 0 counts like any tensor; an absent operand is not a tensor."""
    builder = ModelBuilder()
    main = builder.subgraph()
    weight = main.constant("w", np.array([[1, -2]], np.int8), qparams(0.5))
    x, y = (
        main.tensor(name, shape, "int8", qparams(0.25, 3)) for name, shape in (("x", (1, 2)), ("y", (1, 1)))
    )
    main.add("FULLY_CONNECTED", [x, weight, -1], [y])
    main.inputs(x)
    main.outputs(y)
    found = {one.tensor: one.stored for one in summarize_quantization(builder.finish())}
    assert found == {y: None, weight: (-2, 1)}

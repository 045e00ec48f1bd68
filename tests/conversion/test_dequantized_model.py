"""Quantized models as float models: removed conversions, rescaled tensors, rejected models."""

from __future__ import annotations

import numpy as np
import pytest

from fixtures.models import custom_op
from litecheck.conversion.convert_float import Request
from litecheck.conversion.dequantized_model import dequantize_model
from litecheck.conversion.retype_8bit import retype
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model

RULES = Request()


def rescaling(scale: float, zero_point: int, kind: str = "uint8") -> Model:
    """Return a QUANTIZE from uint8 (0.5, 128) into another form, and a RELU of each form."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 4), "uint8", qparams(0.5, 128))
    y = main.tensor("y", (1, 4), kind, qparams(scale, zero_point))
    a = main.tensor("a", (1, 4), "uint8", qparams(0.5, 128))
    b = main.tensor("b", (1, 4), kind, qparams(scale, zero_point))
    main.add("QUANTIZE", [x], [y])
    main.add("RELU", [x], [a])
    main.add("RELU", [y], [b])
    main.inputs(x)
    main.outputs(a, b)
    return builder.finish()


def test_a_border_between_uint8_and_int8_is_no_operator() -> None:
    known = dequantize_model(rescaling(0.5, 0, "int8"))
    assert [op.opcode for op in known.model.subgraphs[0].operators] == ["RELU", "RELU"]
    assert not known.params.read
    made = retype(rescaling(0.5, 0, "int8"), RULES)
    assert [op.opcode for op in made.model.subgraphs[0].operators] == ["RELU", "RELU"]


def test_a_rescaled_tensor_is_rescaled_again() -> None:
    made = retype(rescaling(0.25, 100), RULES)
    graph = made.model.subgraphs[0]
    assert sorted(op.opcode for op in graph.operators) == ["QUANTIZE", "RELU", "RELU"]
    rescale = next(op for op in graph.operators if op.opcode == "QUANTIZE")
    source, target = graph.tensors[rescale.inputs[0]], graph.tensors[rescale.outputs[0]]
    assert (source.dtype, source.quantization.scale.tolist(), source.quantization.zero_point.tolist()) == (
        "int8", [0.5], [0],
    )  # fmt: skip
    assert (target.dtype, target.quantization.scale.tolist(), target.quantization.zero_point.tolist()) == (
        "int8", [0.25], [-28],
    )  # fmt: skip
    ends = [graph.tensors[index].quantization.scale.tolist() for index in graph.outputs]
    assert ends == [[0.5], [0.25]]


def test_a_float_input_takes_the_form_that_it_is_quantized_to() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 4), "float32")
    q = main.tensor("q", (1, 4), "int8", qparams(0.5, 3))
    y = main.tensor("y", (1, 4), "int8", qparams(np.float32(0.5), 3))
    main.add("QUANTIZE", [x], [q])
    main.add("RELU", [q], [y])
    main.inputs(x)
    main.outputs(y)
    graph = retype(builder.finish(), RULES).model.subgraphs[0]
    assert [op.opcode for op in graph.operators] == ["QUANTIZE", "RELU"]
    read = graph.tensors[graph.operators[1].inputs[0]].quantization
    assert (read.scale.tolist(), read.zero_point.tolist()) == ([0.5], [3])


def test_a_custom_operator_on_integers_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"CUSTOM AcmeSort #1 computes on int8, and nothing says"):
        retype(custom_op(), RULES)

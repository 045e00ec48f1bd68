"""Cases of a model: operators, segments and the whole."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from litecheck.cases import model_parts
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Signature
from tests.verification.networks import branching, convolutional


def test_every_operator_is_a_case_with_a_name_fit_for_a_file() -> None:
    model = convolutional()
    cases = list(model_parts.operators(model, model.subgraphs[0]))
    assert [c.operators[0].index for c in cases] == list(range(len(model.subgraphs[0].operators)))
    assert cases[0].name == "0000-CONV_2D"
    assert len({c.name for c in cases}) == len(cases)
    assert all(re.fullmatch(r"[\w-]+", c.name) for c in cases)


def test_segments_cover_every_operator_once() -> None:
    model = convolutional()
    cases = list(model_parts.segments(model, model.subgraphs[0], 3))
    assert [op.index for c in cases for op in c.operators] == list(range(7))
    assert [c.name for c in cases] == ["0000-0002", "0003-0005", "0006-SOFTMAX"]


def test_a_subrange_has_the_operators_between_and_further_inputs() -> None:
    model = convolutional()
    main = model.subgraphs[0]
    names = {t.index: t.name for t in main.tensors}
    case = model_parts.subrange(model, main, "depthwise", "pooled")
    assert case.opcodes == ("ADD", "AVERAGE_POOL_2D")
    assert sorted(names[i] for i in case.submodel.inputs) == ["depthwise", "stem"]
    assert [names[i] for i in case.submodel.outputs] == ["pooled"]


@pytest.mark.parametrize(
    ("ends", "message"),
    [(("pooled", "stem"), "no operator lies between"), (("stam", "sum"), "did you mean 'stem'")],
)
def test_errors_of_a_subrange(ends: tuple[str, str], message: str) -> None:
    model = convolutional()
    with pytest.raises(ConfigError, match=message):
        model_parts.subrange(model, model.subgraphs[0], *ends)


def test_the_whole_has_the_models_own_ends() -> None:
    model = convolutional()
    main = model.subgraphs[0]
    case = model_parts.whole_model(model, main)
    assert (case.submodel.inputs, case.submodel.outputs) == (main.inputs, main.outputs)


def test_operators_on_handles_are_no_cases_of_their_own() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    handle = main.tensor("handle", (), "resource")
    value = main.tensor("value", (2,), "float32")
    main.add("VAR_HANDLE", [], [handle], container="", shared_name="v")
    main.add("READ_VARIABLE", [handle], [value])
    main.outputs(value)
    model = builder.finish()
    told = [model_parts.single_operator(c) for c in model_parts.operators(model, model.subgraphs[0])]
    assert "makes resource 'handle'" in told[0]
    assert "works on resource 'handle'" in told[1]
    assert not model_parts.single_operator(model_parts.whole_model(model, model.subgraphs[0]))


def test_entries_are_the_first_subgraph_and_the_signatures() -> None:
    model = branching()
    assert [s.index for s in model_parts.entries(model)] == [0]
    with pytest.raises(ConfigError, match="no signature 'serve'"):
        model_parts.entries(model, "serve")
    several = replace(model, signatures=tuple(Signature(f"k{n}", n, (), ()) for n in (0, 1)))
    assert [s.index for s in model_parts.entries(several)] == [0, 1]
    assert [s.index for s in model_parts.entries(several, "k1")] == [1]


def test_inputs_of_a_part_have_inferred_shapes() -> None:
    """TensorFlow stores the shape () for the output of a DEQUANTIZE of per-tensor weights."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 3), "float32")
    stored = main.constant("stored", np.ones((2, 3), np.int8), qparams(0.5))
    weights = main.tensor("weights", (), "float32")
    y = main.tensor("y", (1, 2), "float32")
    main.add("DEQUANTIZE", [stored], [weights])
    main.add("FULLY_CONNECTED", [x, weights, -1], [y])
    main.inputs(x)
    main.outputs(y)
    model = builder.finish()
    dequantize, dense = model_parts.operators(model, model.subgraphs[0])
    assert {t.name: t.shape for t in dense.submodel.model.subgraphs[0].tensors} == {
        "x": (1, 3),
        "weights": (2, 3),
        "y": (1, 2),
    }
    assert dequantize.submodel.model.subgraphs[0].tensors[1].shape == ()  # TFLM fails there


def test_inputs_with_dynamic_shapes_have_the_shape_in_the_file() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, a, b = (main.tensor(name, (1, 1), "float32", shape_signature=(-1, -1)) for name in "xab")
    main.add("RELU", [x], [a])
    main.add("RELU", [a], [b])
    main.inputs(x)
    main.outputs(b)
    model = builder.finish()
    _, second = model_parts.operators(model, model.subgraphs[0])
    assert second.submodel.model.subgraphs[0].tensors[0].shape == (1, 1)

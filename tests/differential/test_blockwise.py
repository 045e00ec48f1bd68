"""Blockwise scales in a separate tensor, for kernels that do not read them: LiteRT's outcome is the stated impact."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.checks.validate import validate
from litecheck.finding import IGNORED
from litecheck.model.save import model_bytes
from litecheck.model.types import Buffer, Model, Tensor
from litecheck.quantization import Blockwise, Quantization
from tests.differential import rules_cases, rules_cases_hybrid
from tests.differential.operator_types.runtimes import LITERT, Request, Runtimes
from tests.differential.rules_cases import Case

pytestmark = [pytest.mark.runtime, pytest.mark.slow]

INT8 = {c.name: c for c in rules_cases.cases("int8")}
HYBRID = {c.name: c for c in rules_cases_hybrid.cases()}
#: (case, input, role, impact).
CASES = [
    (INT8["CONV_2D"], 0, "input", "fails to load"),
    (INT8["CONV_2D"], 1, "weight", "fails to load"),
    (INT8["CONV_2D"], 2, "bias", IGNORED),
    (INT8["DEPTHWISE_CONV_2D"], 1, "weight", "fails to load"),
    (INT8["FULLY_CONNECTED"], 1, "weight", "fails to load"),
    (INT8["ADD"], 0, "lhs", "crashes"),
    (INT8["MUL"], 1, "rhs", "wrong results"),
    (INT8["DIV"], 1, "rhs", "wrong results"),
    (INT8["LOG"], 0, "input", "fails to load"),
    (INT8["EMBEDDING_LOOKUP"], 1, "table", "fails at run time"),
    (HYBRID["DEPTHWISE_CONV_2D"], 1, "weight", "crashes"),
    (HYBRID["TRANSPOSE_CONV"], 1, "weight", "crashes"),
    (HYBRID["BATCH_MATMUL per-tensor"], 1, "rhs", "wrong results"),
    (HYBRID["DEQUANTIZE int4 per-tensor"], 0, "input", "wrong results"),
]


def with_blocks(model: Model, at: int) -> Model:
    """Return the model with one scale for each row of an input, in a tensor of float16."""
    graph = model.subgraphs[0]
    tensor, n = graph.tensors[graph.operators[0].inputs[at]], len(graph.tensors)
    scales = np.full((*tensor.shape[:-1], 1), tensor.quantization.scale[0], np.float16)
    held = scales.reshape(-1).view(np.uint8)
    table = Tensor(n, "scales", "float16", scales.shape, len(model.buffers), held)
    blocks = replace(tensor, quantization=Quantization(details=Blockwise(n, -1, tensor.shape[-1])))
    tensors = (*(blocks if t.index == tensor.index else t for t in graph.tensors), table)
    return replace(
        model, buffers=(*model.buffers, Buffer(held)), subgraphs=(replace(graph, tensors=tensors),)
    )


@pytest.mark.parametrize(("case", "at", "role", "effect"), CASES, ids=lambda v: getattr(v, "name", v))
def test_blockwise_scales_have_the_stated_impact(case: Case, at: int, role: str, effect: str) -> None:
    model = with_blocks(case.model, at)
    with Runtimes() as runtimes:
        ran, plain = runtimes.run([Request(model_bytes(m), case.inputs, LITERT) for m in (model, case.model)])
    outcomes = set()
    for r in LITERT:
        same = ran[r].stage == "runs" and np.array_equal(ran[r].outputs[0], plain[r].outputs[0])
        stages = {"rejected": "fails to load", "fails": "fails at run time", "runs": "wrong results"}
        outcomes.add(IGNORED if same else stages.get(ran[r].stage, ran[r].stage))
    assert outcomes == {effect}
    found = [f for f in validate(model).findings if f.path == f"{case.opcode}/{role}/granularity"]
    assert [f.effect for f in found if f.level == "violation"] == [effect]


@pytest.mark.parametrize(
    ("name", "effect"),
    [
        ("FULLY_CONNECTED blocks", "rejected by the default interpreter only"),
        ("EMBEDDING_LOOKUP int4 blocks", IGNORED),
    ],
)
@pytest.mark.parametrize("axis", [0, 1])
def test_the_quantized_dimension_of_blocks(name: str, effect: str, axis: int) -> None:
    """XNNPACK rejects blockwise weights with a quantized dimension other than 0; EMBEDDING_LOOKUP ignores it."""
    case = HYBRID[name]
    graph = case.model.subgraphs[0]
    weight = graph.tensors[graph.operators[0].inputs[1]]
    turned = replace(weight, quantization=replace(weight.quantization, axis=axis))
    tensors = tuple(turned if t.index == weight.index else t for t in graph.tensors)
    model = replace(case.model, subgraphs=(replace(graph, tensors=tensors),))
    with Runtimes() as runtimes:
        (ran,) = runtimes.run([Request(model_bytes(model), case.inputs, LITERT)])
    rejected = axis == 1 and effect != IGNORED
    assert [ran[r].stage for r in LITERT] == ["runs", "runs", "rejected" if rejected else "runs"]
    found = [f for f in validate(model).findings if f.path.endswith("/axis")]
    assert [f.effect for f in found] == [effect] * axis

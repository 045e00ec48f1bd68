"""Outputs far beyond the type's range: LiteRT saturates up to a limit and wraps beyond it, and litecheck warns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.checks.validate import validate
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from tests.differential.oracle import RESOLVERS, Oracle, Refused
from tests.differential.rules import distance, real_model
from tests.differential.rules_cases import Case, cases

CASES = {(dtype, case.name): case for dtype in ("int8", "int16") for case in cases(dtype)}
INT8 = ("RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "ABS", "LEAKY_RELU", "PRELU", "QUANTIZE", "MEAN",
        "BATCH_MATMUL")  # fmt: skip
INT16 = ("CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED", "LEAKY_RELU", "QUANTIZE")
PLACES = [*(("int8", name) for name in INT8), *(("int16", name) for name in INT16)]
#: Steps of tolerance beside the real output: 16-bit multipliers, and float32 copies of large sums.
TOLERANCE = {"int8": 2, "int16": 100}


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle(60) as oracle:
        yield oracle


def finer(case: Case, exponent: int) -> Model:
    """Return the case with the output steps divided by a power of two."""
    graph = case.model.subgraphs[0]
    outputs = set(graph.operators[0].outputs)
    tensors = tuple(
        replace(t, quantization=qparams(t.quantization.scale * np.float32(2.0**-exponent), t.quantization.zero_point))
        if t.index in outputs else t
        for t in graph.tensors
    )  # fmt: skip
    return replace(case.model, subgraphs=(replace(graph, tensors=tensors),))


def worst(oracle: Oracle, case: Case, model: Model) -> float:
    """Return the largest error of any resolver at the ends of the inputs, in steps."""
    rng = np.random.default_rng(0)
    graph, found = model.subgraphs[0], 0.0
    for draw in ("low", "high", "mixed"):
        inputs = []
        for x in case.inputs:
            ends = np.array([np.iinfo(x.dtype).min, np.iinfo(x.dtype).max], x.dtype)
            inputs.append({"low": np.full_like(x, ends[0]), "high": np.full_like(x, ends[1])}.get(
                draw, rng.choice(ends, x.shape)))  # fmt: skip
        right = _right(oracle, case, model, inputs)
        for resolver in RESOLVERS:
            got = oracle.run(model_bytes(model), inputs, resolver)
            if not isinstance(got, Refused):
                found = max(found, distance(got[0], right, graph.tensors[graph.outputs[0]]))
    return found


def _right(oracle: Oracle, case: Case, model: Model, inputs: list[np.ndarray]) -> np.ndarray:
    tensors = [model.subgraphs[0].tensors[i] for i in model.subgraphs[0].inputs]
    reals = [
        ((x.astype(np.float64) - t.quantization.zero_point[0]) * float(t.quantization.scale[0])).astype(
            np.float32
        )
        for x, t in zip(inputs, tensors, strict=True)
    ]
    if case.opcode == "QUANTIZE":
        return reals[0]
    twin = real_model(case.model, model)
    assert twin is not None
    got = oracle.run(model_bytes(twin), reals, "optimized")
    assert not isinstance(got, Refused)
    return np.asarray(got[0])


def warned(model: Model) -> bool:
    found = [
        f for f in validate(model).findings if "reach" in f.path or f.path.endswith("largest_rescaled_sum")
    ]
    assert {f.level for f in found} <= {"warning"}
    return bool(found)


@pytest.mark.parametrize(("dtype", "name"), PLACES)
def test_wrapping_outputs_have_a_warning(oracle: Oracle, dtype: str, name: str) -> None:
    case = CASES[dtype, name]
    first = next(e for e in range(40) if warned(finer(case, e)))
    assert first > 8
    assert worst(oracle, case, finer(case, first - 1)) <= TOLERANCE[dtype], "right up to the limit"
    assert worst(oracle, case, finer(case, first + 2)) > 100, "wrong beyond it"


def fully_connected(bias: int) -> Model:
    builder = ModelBuilder("sum")
    graph = builder.subgraph("main")
    x = graph.tensor("x", (1, 100), "int8", qparams(2.0**-10, -128))
    weight = graph.constant("w", np.full((4, 100), 127, np.int8), qparams([2.0**-10] * 4))
    b = graph.constant("b", np.full(4, bias, np.int32), qparams([2.0**-20] * 4))
    y = graph.tensor("y", (1, 4), "int8", qparams(2.0**5))
    graph.add("FULLY_CONNECTED", [x, weight, b], [y])
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


def test_an_accumulator_is_exact_to_the_last_unit(oracle: Oracle) -> None:
    """The largest sum that fits 32 bits saturates correctly; with one more, the sign changes."""
    room = 2**31 - 1 - 100 * 127 * 255
    x = np.full((1, 100), 127, np.int8)
    for bias, sign, found in ((room, 1, []), (room + 1, -1, ["FULLY_CONNECTED/limits/largest_accumulator"])):
        model = fully_connected(bias)
        assert [f.path for f in validate(model).findings if f.level == "warning"] == found
        for resolver in RESOLVERS:
            got = oracle.run(model_bytes(model), [x], resolver)
            assert not isinstance(got, Refused)
            assert (got[0] * sign > 30).all(), (bias, resolver, got)


def test_without_a_bias_int16_sums_have_32_bits(oracle: Oracle) -> None:
    builder = ModelBuilder("sum")
    graph = builder.subgraph("main")
    x = graph.tensor("x", (1, 600), "int16", qparams(2.0**-15))
    weight = graph.constant("w", np.full((4, 600), 127, np.int8), qparams([2.0**-7] * 4))
    y = graph.tensor("y", (1, 4), "int16", qparams(0.5))
    graph.add("FULLY_CONNECTED", [x, weight], [y])
    graph.inputs(x)
    graph.outputs(y)
    model = builder.finish()
    paths = ["FULLY_CONNECTED/limits/unbiased_accumulator"]
    assert [f.path for f in validate(model).findings if f.level == "warning"] == paths
    got = {r: oracle.run(model_bytes(model), [np.full((1, 600), 32767, np.int16)], r) for r in RESOLVERS}
    assert {r: bool((np.asarray(g)[0] > 1000).all()) for r, g in got.items()} == {
        "reference": True, "optimized": False, "xnnpack": False,
    }  # fmt: skip


@pytest.mark.parametrize(("opcode", "scale"), [("LOGISTIC", 2.0**-45.3), ("TANH", 2.0**-45.3)])
def test_inputs_too_fine_for_a_fraction_of_32_bits(oracle: Oracle, opcode: str, scale: float) -> None:
    def model(step: float) -> Model:
        builder = ModelBuilder(opcode)
        graph = builder.subgraph("main")
        ends = [graph.tensor(n, (1, 64), "int16", qparams(s)) for n, s in (("x", step), ("y", 2.0**-15))]
        graph.add(opcode, ends[:1], ends[1:])
        graph.inputs(ends[0])
        graph.outputs(ends[1])
        return builder.finish()

    x = np.full((1, 64), 32767, np.int16)
    middle = 16384 if opcode == "LOGISTIC" else 0
    for step, right in ((scale * 4, True), (scale, False)):
        found = [f.path for f in validate(model(step)).findings]
        assert found == ([] if right else [f"{opcode}/limits/input.scale"])
        got = oracle.run(model_bytes(model(step)), [x], "reference")
        assert not isinstance(got, Refused)
        assert bool(abs(got[0].astype(int) - middle).max() <= 2) is right


@pytest.mark.parametrize("opcode", ["LESS", "EQUAL"])
def test_comparisons_in_steps_of_1_256(oracle: Oracle, opcode: str) -> None:
    def model(step: float) -> Model:
        builder = ModelBuilder(opcode)
        graph = builder.subgraph("main")
        given = [graph.tensor(n, (1, 64), "int8", qparams(step, 0)) for n in "ab"]
        y = graph.tensor("y", (1, 64), "bool")
        graph.add(opcode, given, [y])
        graph.inputs(*given)
        graph.outputs(y)
        return builder.finish()

    a = np.arange(64, dtype=np.int8).reshape(1, 64)
    inputs = [a, a + np.int8(1)]
    for step, right in ((1 / 256, True), (1 / 300, False)):
        found = [f.path for f in validate(model(step)).findings]
        assert found == ([] if right else [f"{opcode}/limits/finest_scale"])
        for resolver in RESOLVERS:
            got = oracle.run(model_bytes(model(step)), inputs, resolver)
            assert not isinstance(got, Refused)
            assert bool((got[0] == (opcode == "LESS")).all()) is right, resolver

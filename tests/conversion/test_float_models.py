"""Float models for tests of conversion: LiteRT loads and runs all, and they are equal in each call."""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pytest

from litecheck import load_profile
from litecheck.model.load import load_model
from litecheck.model.save import model_bytes
from tests.conversion.one_operator import BORDERS, PROFILE, float_cases
from tests.conversion.quantized_nets import FOLDER, FORMULAS, RAISED, RANGES
from tests.conversion.random_graphs import FEWEST, MOST, random_graph, random_inputs
from tests.conversion.samples import NETS, samples
from tests.differential.oracle import Oracle, Refused

GRAPHS = 300
#: Nets on which TensorFlow's calibrator crashes.
UNQUANTIZED = {"lstm_while"}
#: Operators without a float model: raw integers, formats of weights, control that no kernel computes, pseudo-rules.
ELSEWHERE = {
    *BORDERS, "BITWISE_XOR", "RIGHT_SHIFT", "STABLEHLO_SHIFT_LEFT", "STABLEHLO_AND", "WHERE", "DENSIFY",
    "STABLEHLO_SCATTER", "STABLEHLO_REDUCE_WINDOW", "TENSOR", "SUBGRAPH",
}  # fmt: skip


@pytest.fixture(scope="module")
def litert():
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    with Oracle() as oracle:
        yield oracle


def test_every_operator_that_computes_has_a_float_model() -> None:
    there = {op.opcode for case in float_cases() for op in case.model.subgraphs[0].operators}
    assert set(load_profile(PROFILE).operators) - there == ELSEWHERE


@pytest.mark.parametrize("case", float_cases(), ids=lambda case: case.name)
def test_litert_runs_a_float_operator(litert: Oracle, case) -> None:
    given = [x.dtype for x in case.runs[0]]
    graph = case.model.subgraphs[0]
    assert [graph.tensors[t].dtype for t in graph.inputs] == [d.name for d in given]
    outputs = litert.run_many(model_bytes(case.model), case.runs, "optimized")
    assert not isinstance(outputs, Refused), outputs
    for run in outputs:
        assert [x.shape for x in run] == [graph.tensors[t].shape for t in graph.outputs]
        assert all(np.isfinite(x).all() for x in run)


def test_float_operators_are_the_same_each_time() -> None:
    first, second = (
        [(model_bytes(c.model), [x.tobytes() for x in c.runs[-1]]) for c in float_cases()] for _ in "ab"
    )
    assert first == second


@pytest.mark.slow
def test_litert_runs_every_random_graph(litert: Oracle) -> None:
    failed = {}
    for seed in range(GRAPHS):
        model = random_graph(seed)
        graph = model.subgraphs[0]
        assert FEWEST <= len(graph.operators) <= MOST + 2
        got = litert.run(model_bytes(model), random_inputs(model, seed)[0], "optimized")
        shapes = [graph.tensors[t].shape for t in graph.outputs]
        if isinstance(got, Refused):
            failed[seed] = got.message
        elif [x.shape for x in got] != shapes or not all(np.isfinite(x).all() for x in got):
            failed[seed] = "shapes or values"
    assert failed == {}


@pytest.mark.parametrize("name", sorted(NETS))
def test_litert_runs_a_float_net_on_its_samples(litert: Oracle, name: str) -> None:
    model = load_model(FOLDER / f"{name}.tflite")
    graph, (signature,) = model.subgraphs[0], model.signatures
    aliases = {tensor: alias for alias, tensor in signature.inputs}
    runs = [[sample[aliases[t]] for t in graph.inputs] for sample in samples(name)]
    stated = [(graph.tensors[t].dtype, graph.tensors[t].shape) for t in graph.inputs]
    assert stated == [(x.dtype.name, x.shape) for x in runs[0]]
    outputs = litert.run_many((FOLDER / f"{name}.tflite").read_bytes(), runs, "optimized")
    assert not isinstance(outputs, Refused), outputs
    assert all(np.isfinite(x).all() for run in outputs for x in run)
    assert len({run[0].tobytes() for run in outputs}) > 1


def test_every_net_is_there_and_quantized_where_tensorflow_can() -> None:
    there = {path.name for path in FOLDER.glob("*.tflite")}
    nets = {*NETS, RANGES, RAISED, "trained"}
    forms = {f"{name}_int8" for name in nets - UNQUANTIZED}
    forms |= {f"{name}_{form}" for name in FORMULAS for form in ("old_int8", "int16x8")}
    assert there == {f"{name}.tflite" for name in nets | forms}
    assert sum((FOLDER / name).stat().st_size for name in there) < 400_000


def test_samples_are_the_same_everywhere() -> None:
    first = samples("separable")[0]["image"]
    assert first.shape == (1, 16, 16, 3)
    assert (
        crc32(np.concatenate([s["image"] for s in samples("separable")]).astype("<f4").tobytes()) == 913202239
    )


def test_a_random_graph_is_the_same_each_time() -> None:
    assert model_bytes(random_graph(4)) == model_bytes(random_graph(4))
    assert model_bytes(random_graph(4)) != model_bytes(random_graph(5))

"""The float models that conversion is tested on: LiteRT loads and runs every one, and they are the same each time."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck import load_profile
from litecheck.model.save import model_bytes
from tests.convert.one_operator import BORDERS, PROFILE, float_cases
from tests.convert.random_graphs import FEWEST, MOST, random_graph, random_inputs
from tests.differential.oracle import Oracle, Refused

GRAPHS = 300
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


@pytest.mark.parametrize("case", list(float_cases()), ids=lambda case: case.name)
def test_litert_runs_a_float_operator(litert: Oracle, case) -> None:
    given = [x.dtype for x in case.runs[0]]
    graph = case.model.subgraphs[0]
    assert [graph.tensors[t].dtype for t in graph.inputs] == [d.name for d in given]
    outputs = litert.run_many(model_bytes(case.model), case.runs, "optimized")
    assert not isinstance(outputs, Refused), outputs
    for run in outputs:
        assert [x.shape for x in run] == [graph.tensors[t].shape for t in graph.outputs]
        assert all(np.isfinite(x).all() for x in run)


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


def test_a_random_graph_is_the_same_each_time() -> None:
    assert model_bytes(random_graph(4)) == model_bytes(random_graph(4))
    assert model_bytes(random_graph(4)) != model_bytes(random_graph(5))

"""A few random float LSTMs and SVDFs on the three resolvers: outputs, states, and negative controls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.reference.engine.interpreter import run
from litecheck.reference.kernels import recurrent as module
from litecheck.reference.runtime_tensors import RunError
from tests.differential.oracle import RESOLVERS
from tests.differential.recurrent_float import FAMILY
from tests.differential.sweep import sweep, trials


@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize("kind", FAMILY.kinds)
def test_equal_to_litert_except_for_the_order_of_sums(oracle, kind, resolver):
    found = sweep(FAMILY, kind, resolver, oracle, 12)
    assert found.small == []
    assert found.score.compared > 500
    assert found.noticed["other input"]


SLIPS = {
    "a clip": ("_clip", lambda x, options, name: x),
    "a gate's activation": ("_logistic", lambda x: np.clip(x * np.float32(0.25) + np.float32(0.5), 0, 1)),
    "the guard of the variance": ("_GUARD", np.float32(1e-3)),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_noticed(oracle, monkeypatch, slip):
    """A kernel without a clip, or with a wrong activation, differs from LiteRT (negative controls)."""
    monkeypatch.setattr(module, *SLIPS[slip])
    assert sweep(FAMILY, "LSTM float32", "reference", oracle, 12, shown=0).score.different > 0


def test_integer_weights_with_float_activations_have_no_kernel():
    (case,) = trials(FAMILY, "LSTM float32", 1)
    graph = case.model.subgraphs[0]
    narrow = {i for i in graph.operators[0].inputs[1:9] if i >= 0}
    tensors = tuple(replace(t, dtype="int8") if t.index in narrow else t for t in graph.tensors)
    model = replace(case.model, subgraphs=(replace(graph, tensors=tensors),))
    with pytest.raises(RunError, match="no kernel"):
        run(model, case.inputs)

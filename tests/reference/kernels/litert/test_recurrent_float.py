"""A few random float LSTMs and SVDFs on the three resolvers: outputs, states, and negative controls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.reference.engine.interpreter import run
from litecheck.reference.kernels import recurrent as module
from litecheck.reference.runtime_tensors import RunError
from tests.differential.one_operator import answers, compare, outputs
from tests.differential.oracle import RESOLVERS
from tests.differential.recurrent_float import FAMILY, far, too_far
from tests.differential.sweep import start, sweep, trials


@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize("kind", FAMILY.kinds)
def test_equal_to_litert_except_for_the_order_of_sums(oracle, kind, resolver):
    found = sweep(FAMILY, kind, resolver, oracle, 12)
    assert found.small == []
    assert found.score.compared > 500
    assert found.noticed["other input"]


KIND = "UNIDIRECTIONAL_SEQUENCE_LSTM float32"


def test_an_ill_conditioned_element_is_explained_and_a_slip_in_the_same_network_is_not(oracle, monkeypatch):
    """A cell of 35.7 differs by 0.005 from LiteRT's, and changes in the last bits of the weights alter it by 0.018."""
    trial = FAMILY.kinds[KIND](start(KIND, 604417, 102))
    theirs, mask = answers(trial, oracle, "reference"), far(KIND, "reference", trial)
    ours = outputs(trial, "litert-reference")
    assert compare("", ours, theirs, too_far).different == 1
    assert compare("", ours, theirs, mask).different == 0
    monkeypatch.setattr(module, "_logistic", lambda x: 1 / (1 + np.exp(-x * np.float32(1.0005))))
    wrong = outputs(trial, "litert-reference")
    assert compare("", wrong, theirs, far(KIND, "reference", trial)).different > 100


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

"""A few random configurations of every mover and resizer on the three resolvers, and a negative control."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.model.save import model_bytes
from litecheck.reference.engine.interpreter import run
from tests.differential.movement import CASES, FAMILY
from tests.differential.oracle import RESOLVERS
from tests.differential.sweep import sweep


@pytest.mark.parametrize("opcode", FAMILY.kinds)
def test_equal_to_litert(oracle, opcode):
    for resolver in RESOLVERS:
        found = sweep(FAMILY, opcode, resolver, oracle, 8)
        assert found.score.compared, found.score.refused
        assert found.small == []


def test_a_wrong_interpolation_is_noticed(oracle):
    """Q11 weights and half-up rounding differ from the reference kernel (negative control)."""
    different = 0
    for seed in range(30):
        model, inputs = CASES["RESIZE_BILINEAR"](np.random.default_rng((seed, 15)))
        if inputs[0].dtype == np.int8:
            theirs = oracle.run(model_bytes(model), inputs, "reference")
            (ours,) = run(model, tuple(inputs), arithmetic="litert-xnnpack").outputs.values()
            different += int((ours != theirs[0]).sum())
    assert different

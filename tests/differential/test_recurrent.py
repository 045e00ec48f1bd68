"""A few random LSTMs and SVDFs on the three resolvers, outputs and states, and that a slip is noticed."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.reference import lstm as module
from tests.differential.oracle import RESOLVERS, Oracle
from tests.differential.recurrent import CASES, FAMILY
from tests.differential.sweep import sweep


@pytest.fixture(scope="module")
def oracle():
    with Oracle() as oracle:
        yield oracle


@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize("opcode", CASES)
def test_equal_to_litert(oracle, opcode, resolver):
    found = sweep(FAMILY, opcode, resolver, oracle, 12)
    assert found.small == []
    assert found.score.compared > 1000
    assert found.noticed["other input"]


def test_another_rounding_of_svdf_is_noticed(oracle):
    single = replace(FAMILY, faults={"SVDF": {"requantize": "single"}})
    assert sweep(single, "SVDF", "reference", oracle, 20, shown=0).score.different > 0


def test_a_gate_in_another_format_is_noticed(oracle, monkeypatch):
    monkeypatch.setattr(module, "Q12", module.Q12 * 2)
    assert sweep(FAMILY, "LSTM", "reference", oracle, 10, shown=0).score.different > 0

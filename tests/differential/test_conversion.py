"""A small fixed slice of ``python -m tests.differential.conversion``."""

from __future__ import annotations

import pytest

from tests.differential.conversion import models, tried
from tests.differential.oracle import Oracle

GRAPHS = 12
#: Float operators that no kernel of ours computes.
ELSEWHERE = {"FAKE_QUANT"}


@pytest.mark.parametrize("to", ["int8", "int16x8"])
def test_what_is_converted_conforms_loads_and_is_exact(to: str) -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    faults, quantized = {}, 0
    with Oracle() as oracle:
        for name, model, runs in models(GRAPHS, ""):
            if name in ELSEWHERE:
                continue
            outcome = tried(oracle, name, model, runs, to)
            quantized += outcome.becomes["int8"] + outcome.becomes["int16"]
            if outcome.faults:
                faults[name] = outcome.faults
    assert faults == {}
    assert quantized > 150

"""A small fixed slice of ``python -m tests.differential.shifted``."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.differential.conversion import models
from tests.differential.oracle import Oracle
from tests.differential.shifted import faults, powers

pytestmark = pytest.mark.slow

#: Rules of each kind: products of scales, fixed scales, copies, int8-only kernels, zero points, state, loops.
TRIED = (
    "FULLY_CONNECTED", "DEPTHWISE_CONV_2D", "ADD", "SOFTMAX", "AVERAGE_POOL_2D", "NEG", "MATRIX_DIAG", "LSTM", "WHILE",
    "net-separable",
)  # fmt: skip


def test_uint8_gives_the_outputs_of_int8() -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    counts: Counter[str] = Counter()
    with Oracle() as oracle:
        found = {
            name: list(faults(oracle, model, runs, counts))
            for tried in TRIED
            for name, model, runs in models(0, tried)
            if name == tried
        }
    assert {name: told for name, told in found.items() if told} == {}
    assert len(found) == len(TRIED)
    stays = {what.split(": ")[1] for what in counts if what.startswith("stays int8")}
    assert stays == {"NEG", "MATRIX_DIAG", "LSTM"}
    compared = counts["models compared, bit for bit"], counts["models compared, to one step"]
    assert (counts["models shifted"], *compared) == (10, 9, 1)


@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (0.0, 127.0), (-128.0, 0.0), (0.0, 0.0)])
def test_steps_are_powers_of_two(low: float, high: float) -> None:
    ends = powers(low, high)
    assert ends[0] <= low <= high <= ends[1]
    step = np.float32((np.float32(ends[1]) - np.float32(ends[0])) / np.float32(255))
    assert np.frexp(step)[0] == 0.5

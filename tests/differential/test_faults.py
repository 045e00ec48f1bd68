"""A small fixed slice of ``python -m tests.differential.faults``."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from tests.differential.faults import by_names, campaign, control, pairs, two_faults
from tests.differential.name_comparison import COLUMNS, NameComparison
from tests.differential.planted_faults import plant

pytestmark = pytest.mark.slow
EVERY = [pair for pair in pairs() if "MLPerf" not in pair.name]


def test_faults_are_named_first_with_their_cause() -> None:
    lines: list[str] = []
    table = campaign(EVERY, 24, 7, lines.append)
    planted = sum(counts["planted"] for counts in table.values())
    assert planted == 24
    assert sum(counts["trace"] for counts in table.values()) >= 0.95 * planted, lines
    assert sum(counts["cause"] for counts in table.values()) >= 0.9 * planted, lines
    assert sum(counts["accumulated SNR"] for counts in table.values()) < sum(
        c["trace"] for c in table.values()
    )


def test_pairs_without_faults_name_only_the_losses_of_their_converters() -> None:
    assert control(EVERY, lambda text: None) == []
    known = next(pair for pair in EVERY if pair.losses)
    assert known.name == "lstm_fused by TensorFlow"
    assert control([replace(known, losses=frozenset())], lambda text: None) == [known.name]


def test_two_faults_are_among_the_first_three() -> None:
    lines: list[str] = []
    done, named = two_faults(EVERY[:3], 6, 3, lines.append)
    assert done == 6
    assert named >= 5, lines


def test_ai_edge_quantizer_names_a_fault_in_the_first_weights() -> None:
    pytest.importorskip("ai_edge_quantizer")
    pair = EVERY[0]
    planted = plant("weights", pair.quantized, np.random.default_rng(1))
    assert planted is not None
    assert planted.operators == {0}
    compared = NameComparison(sys.executable)
    named = by_names(compared, pair, planted.model)
    compared.close()
    assert named == dict.fromkeys(COLUMNS, 0)

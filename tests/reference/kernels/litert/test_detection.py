"""A slice of ``python -m tests.differential detection``: detections equal LiteRT's bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.reference.kernels import detection as kernel
from tests.differential.detection import FAMILY, drawn
from tests.differential.one_operator import answers, outputs
from tests.differential.oracle import RESOLVERS
from tests.differential.sweep import sweep


@pytest.mark.parametrize("kind", FAMILY.kinds)
def test_equal_to_litert(oracle, kind):
    for resolver in RESOLVERS:
        found = sweep(FAMILY, kind, resolver, oracle, 6)
        assert found.score.compared > 100
        assert found.small == []


def test_equal_scores_in_the_order_of_their_index_are_noticed(oracle, monkeypatch):
    """Classes of equal score in the order of their index differ from LiteRT (negative control)."""
    monkeypatch.setattr(
        kernel, "largest_first", lambda row, count: np.argsort(-row, kind="stable")[:count].tolist()
    )
    assert sweep(FAMILY, "detection uint8 fast", "reference", oracle, 20, shown=0).score.different


def test_only_counted_detections_are_written(oracle):
    """LiteRT leaves the memory after the detections unwritten; the counted detections are equal."""
    left = 0
    for seed in range(60):
        case = drawn(np.random.default_rng(seed), "uint8", regular=False)
        settings = kernel.DetectionOptions.of(case.model.subgraphs[0].operators[0])
        (ours,), (theirs,) = outputs(case, "litert-reference"), answers(case, oracle, "reference")
        rows = int(ours[3][0]) * settings.classes_each
        written = np.arange(rows) % settings.classes_each < settings.classes
        for a, b in zip(ours[:3], theirs[:3], strict=True):
            assert np.array_equal(a[0, :rows][written], b[0, :rows][written])
        assert ours[3] == theirs[3]
        left += settings.most * settings.classes_each - rows
        assert not any(a[0, rows:].any() for a in ours[:3])
    assert left > 30

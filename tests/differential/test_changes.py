"""A small fixed slice of ``python -m tests.differential.changes``."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.differences.model_difference import diff
from tests.differential.changes import check_change, check_pair, models
from tests.differential.planted_changes import PLANTERS, shuffled

pytestmark = pytest.mark.slow
BASES = [model for model in models() if "fixtures" in model.file]


@pytest.mark.parametrize("kind", sorted(PLANTERS))
def test_a_change_is_the_only_cause(kind: str) -> None:
    found = [result for seed, base in enumerate(BASES) if (result := check_change(base, [kind], seed))]
    assert [wrong for _, wrong in found if wrong] == []


def test_two_changes_at_once() -> None:
    kinds = ["weights", "output_scale", "option", "replaced", "one_weight_scale"]
    found = [
        result for seed in range(40) for base in BASES[:2]
        if (result := check_pair(base, list(np.random.default_rng(seed).permutation(kinds)), seed))
    ]  # fmt: skip
    assert len(found) > 20
    assert sum(bool(wrong) for _, wrong in found) <= 0.03 * len(found)


def test_reordered_models_are_the_same() -> None:
    assert [diff(m, shuffled(m, np.random.default_rng(n))).changes for n, m in enumerate(BASES)] == [
        ()
    ] * len(BASES)

"""Findings of a single model are equal if all operators are checked or only operators near a change."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from litecheck.differences import findings
from litecheck.differences.model_difference import diff
from litecheck.model.load import load_model
from tests.differential.planted_changes import PLANTERS

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.mark.parametrize("kind", sorted(PLANTERS))
def test_operators_away_from_a_change_keep_their_findings(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = []
    for name in ("conv_int8", "convert/residual_int8", "broken_weight_zero_point"):
        base = load_model(FIXTURES / f"{name}.tflite")
        planted = (PLANTERS[kind](base, np.random.default_rng(seed)) for seed in range(3))
        pairs += [(base, one.model) for one in planted if one is not None]
    near = [diff(*pair) for pair in pairs]
    monkeypatch.setattr(findings, "_near", lambda match, changes: None)
    assert near == [diff(*pair) for pair in pairs]


@pytest.mark.parametrize(
    ("kind", "local"),
    [("one_weight_scale", True), ("zero_point", True), ("removed", False), ("replaced", False)],
)
def test_checked_operators(kind: str, local: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed scale concerns its operator and its neighbors; a changed number or kind of operators concerns all."""
    asked: list[int | None] = []
    validate = findings.validate

    def spy(model, only=None):  # type: ignore[no-untyped-def]
        asked.append(None if only is None else len(only))
        return validate(model, only=only)

    base = load_model(FIXTURES / "convert" / "residual_int8.tflite")
    planted = PLANTERS[kind](base, np.random.default_rng(0))
    assert planted is not None
    monkeypatch.setattr(findings, "validate", spy)
    diff(base, planted.model)
    assert [count is not None for count in asked] == [local, local]
    assert all(0 < count < 5 for count in asked if count is not None)

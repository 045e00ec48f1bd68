"""Differences: each planted change is the only cause, and its consequences are listed below it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import litecheck
from litecheck.differences.change import ModelDifference
from litecheck.differences.model_difference import diff
from litecheck.model.edit import SubgraphEditor, with_subgraphs
from litecheck.model.load import load_model
from litecheck.model.types import Model
from tests.differential.planted_changes import PLANTERS, shuffled

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
KINDS = sorted(set(PLANTERS) - {"rewired", "open_batch", "removed", "constant_type", "more_outputs"})


def causes(found: ModelDifference) -> set[tuple[str, int, str]]:
    return {(c.kind, c.operator, c.role) for c in found.causes if not c.kind.startswith("finding")}


@pytest.fixture(scope="module")
def models() -> list[Model]:
    return [
        load_model(FIXTURES / f"{name}.tflite")
        for name in ("conv_int8", "convert/residual_int8", "convert/detection_int8")
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_a_planted_change_is_the_only_cause(kind: str, models: list[Model]) -> None:
    planted = 0
    for seed, model in enumerate(models):
        draw = np.random.default_rng(seed)
        change = PLANTERS[kind](model, draw)
        if change is not None:
            planted += 1
            found = litecheck.diff(model, shuffled(change.model, draw))
            assert causes(found) == {change.expected}, found.changes
            assert found.exit_code == 1
    assert planted


def test_another_order_is_the_same(models: list[Model]) -> None:
    for model in models:
        found = litecheck.diff(model, shuffled(model, np.random.default_rng(3)))
        assert found.changes == ()
        assert found.exit_code == 0


def test_a_bias_scale_follows_the_scale_of_the_weight(models: list[Model]) -> None:
    change = PLANTERS["weight_scales"](models[1], np.random.default_rng(0))
    assert change is not None
    found = litecheck.diff(models[1], change.model)
    (cause,) = found.causes
    follow = [
        (c.kind, c.role, found.changes[c.cause].role)
        for c in found.changes
        if c.cause >= 0 and c.kind == "scale"
    ]
    assert (cause.kind, cause.role) == ("scale", "weight")
    assert follow == [("scale", "bias", "weight")]


def test_a_float_model_and_its_int8_form() -> None:
    names = FIXTURES / "convert" / "residual.tflite", FIXTURES / "convert" / "residual_int8.tflite"
    found = litecheck.diff(*names)
    assert {c.kind for c in found.causes} == {"dtype", "metadata"}
    assert {c.kind for c in found.changes} >= {"dtype", "granularity", "constant", "operator-version"}
    assert found.matched == 10


def test_select_and_ignore(models: list[Model]) -> None:
    model = models[0]
    editor = SubgraphEditor(model.subgraphs[0])
    editor.change(0, version=9)
    other = with_subgraphs(model, [editor.finish()[0]])
    assert litecheck.diff(model, other, select=["operator-*"]).exit_code == 1
    rest = litecheck.diff(model, other, ignore=["operator-version", "finding-*"])
    assert (rest.changes, rest.exit_code, rest.unselected >= 1) == ((), 0, True)
    with pytest.raises(litecheck.ConfigError, match="did you mean"):
        litecheck.diff(model, other, select=["scales"])


def test_a_run_names_the_operators_with_other_outputs(models: list[Model]) -> None:
    model = models[1]
    change = PLANTERS["weights"](model, np.random.default_rng(0))
    assert change is not None
    found = litecheck.diff(model, change.model, seed=0)
    differing = [c.operator for c in found.changes if c.kind == "output-values"]
    assert differing[0] == change.expected[1]
    assert not any(c.kind == "output-values" for c in litecheck.diff(model, model, seed=0).changes)


def test_a_run_needs_the_same_inputs() -> None:
    names = FIXTURES / "convert" / "residual.tflite", FIXTURES / "convert" / "residual_int8.tflite"
    with pytest.raises(litecheck.RunError, match="same inputs"):
        litecheck.diff(*names, seed=0)


def test_a_lost_subgraph_and_metadata() -> None:
    model = load_model(FIXTURES / "two_signatures.tflite")
    fewer = replace(model, subgraphs=model.subgraphs[:1], signatures=model.signatures[:1], metadata=())
    kinds = [c.kind for c in litecheck.diff(model, fewer).causes]
    assert kinds[:2] == ["subgraph", "signature"]
    assert set(kinds[2:]) <= {"metadata"}


def test_a_wrong_argument() -> None:
    with pytest.raises(TypeError, match="a Model or a path"):
        litecheck.diff(b"bytes", "b.tflite")  # type: ignore[arg-type]


def test_an_absent_model_is_named_dev_null() -> None:
    """git uses this name for the missing side of an added or deleted file."""
    model = load_model(FIXTURES / "conv_int8.tflite")
    added, deleted = diff(os.devnull, model, seed=0), diff(model, os.devnull)
    assert (added.first, added.exit_code) == (os.devnull, 1)
    assert [(c.kind, c.before, c.after) for c in added.changes if c.kind == "subgraph"] == [
        ("subgraph", "absent", "present")
    ]
    assert [(c.kind, c.before, c.after) for c in deleted.changes if c.kind == "subgraph"] == [
        ("subgraph", "present", "absent")
    ]

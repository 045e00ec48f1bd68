"""Tolerances: what profiles declare, and what holds where they declare nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.data import rules_dir
from litecheck.profile.load import load_profile
from litecheck.verify.judge import tolerances
from tests.profile.test_conformance import written


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "bool", "int4"])
def test_integers_must_be_exact_unless_something_is_declared(dtype: str) -> None:
    assert tolerances(None).of("CONV_2D", dtype) == (0.0, "")


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("profile", [None, "litert-runtime", "litert-int8"])
def test_real_sums_may_be_added_up_in_another_order(profile: str | None, dtype: str) -> None:
    tolerance, because = tolerances(load_profile(profile) if profile else None).of("FULLY_CONNECTED", dtype)
    assert tolerance == 4e-6
    assert "order" in because


def test_the_template_declares_one_operator() -> None:
    template = tolerances(load_profile(rules_dir() / "template.yaml"))
    assert template.of("RESIZE_BILINEAR", "int8")[0] == 1.0
    assert template.of("CONV_2D", "int8")[0] == 0.0
    assert template.of("CONV_2D", "float32")[0] == 4e-6


def test_an_operators_own_entry_comes_before_that_of_all(tmp_path: Path) -> None:
    found = tolerances(load_profile(written(tmp_path, "ADD: {tolerance: 0, because: it can}")))
    assert found.of("ADD", "int8") == (0.0, "it can")
    assert found.of("SUB", "int8") == (1.0, "a slow bus")
    assert found.of("RESIZE_BILINEAR", "int8") == (2.0, "the scaler has eight bits")
    # An entry that says nothing of reals leaves them to the one of all operators.
    assert found.of("ADD", "float32") == (1e-3, "a slow bus")


def test_a_child_lowers_and_what_it_leaves_out_stays(tmp_path: Path) -> None:
    found = tolerances(load_profile(written(tmp_path, '"*": {reals: 1e-4, because: a faster bus}')))
    assert found.of("ADD", "float32") == (1e-4, "a faster bus")
    assert found.of("ADD", "int8")[0] == 1.0
    assert found.of("RESIZE_BILINEAR", "int8")[0] == 2.0


def test_what_a_parent_leaves_open_a_child_may_state(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(
        "profile: own\nextends: litert-int8\nconformance: {TANH: {tolerance: 1, because: a small table}}\n"
    )
    assert tolerances(load_profile(path)).of("TANH", "int8") == (1.0, "a small table")

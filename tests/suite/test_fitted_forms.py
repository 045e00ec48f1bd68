"""Fitted forms: shapes for an operator with a first form that violates limits of a profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.cases.geometry.design import design_of, designed_operators
from litecheck.profile.load import load_profile
from litecheck.profile.types import Profile
from litecheck.suite.accept_cases import accept_cases
from litecheck.suite.case import SuiteCase
from litecheck.suite.case_templates import templates_of
from litecheck.suite.fitted_forms import _SIZED, _SIZES, fits, fitted_rows, forms_for
from litecheck.suite.geometry_cases import geometric
from litecheck.suite.missing_case import MissingCase
from litecheck.suite.option_combinations import choices

#: A chip with multiplier rows of 8 channels, and windows of odd sizes.
PROFILE = """
profile: rows-of-8
activations: int8
kinds:
  activation: {dtype: int8, granularity: per-tensor, zero_point: -128..127}
  weight: {dtype: int8, zero_point: 0}
  bias: {dtype: int32, zero_point: 0}
ops:
  CONV_2D:
    inputs: [input, weight, bias]
    optional: [bias]
    outputs: [output]
    tensors:
      input: activation
      weight: {kind: weight, granularity: per-axis, axis: 0}
      bias: {kind: bias, granularity: {same_as: weight}, scale: {product_of: [input, weight], ulps: 1}}
      output: activation
    limits:
      kernel_w: [1, 3, 5]
      kernel_h: [1, 3, 5]
      input.batch: 1
      input.channels: {multiple_of: 8}
      output.channels: {multiple_of: 8}
"""


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    return written(tmp_path, PROFILE)


def written(folder: Path, text: str) -> Profile:
    file = folder / "chip.yaml"
    file.write_text(text, "utf-8")
    return load_profile(str(file))


def test_the_fitted_form_has_the_channels_of_the_chip(profile: Profile) -> None:
    rule = profile.operators["CONV_2D"]
    fitted, *others = forms_for(profile, rule, "int8")
    assert (fitted.name, fitted.level) == ("fitted", "smoke")
    assert {role: [part.shape for part in parts] for role, parts in fitted.operands.items()} == {
        "input": [(1, 6, 7, 8)],
        "weight": [(8, 3, 3, 8)],
        "bias": [(8,)],
    }
    assert tuple(others) == templates_of("CONV_2D").forms


def test_a_profile_that_takes_the_first_form_has_no_fitted_form() -> None:
    profile = load_profile("litert-int8")
    for opcode in ("CONV_2D", "ADD", "SOFTMAX"):
        assert forms_for(profile, profile.operators[opcode], "int8") == templates_of(opcode).forms


def test_a_smoke_suite_has_the_fitted_form_and_names_the_limits_of_the_first(profile: Profile) -> None:
    case, gap = accept_cases(profile, "CONV_2D", "smoke", 0)
    assert isinstance(case, SuiteCase)
    assert case.name == "CONV_2D/int8/fitted-plain"
    assert case.model.subgraphs[0].tensors[0].shape == (1, 6, 7, 8)
    assert gap == MissingCase(
        "CONV_2D",
        "int8",
        "same",
        "breaks CONV_2D/limits/input.batch, CONV_2D/limits/input.channels, CONV_2D/limits/output.channels",
    )


def test_geometry_is_covered_within_the_limits(profile: Profile) -> None:
    rule = profile.operators["CONV_2D"]
    rows = [*fitted_rows(profile, rule, next(choices(profile, rule, "int8")), 2).values()]
    assert {row["channels"] for row in rows} >= {"8", "24", "64", "136", "264", "1032"}
    assert all(int(row["channels"]) * int(row["groups"]) % 8 == 0 for row in rows)
    assert {row["height"] for row in rows} >= {"6", "1", "14", "33", "260"}
    assert {row["kernel"] for row in rows} == {"3 3", "1 1", "5 1"}
    assert {row["batch"] for row in rows} == {"1"}
    assert [dict(case.factors) for case in geometric(profile, "CONV_2D", "standard", 0)] == list(
        map(dict, rows)
    )


def test_a_size_without_listed_values_is_doubled(tmp_path: Path) -> None:
    profile = written(
        tmp_path, PROFILE.replace("    limits:", "    limits:\n      input.height: [24, 48]", 1)
    )
    rule = profile.operators["CONV_2D"]
    rows = [*fitted_rows(profile, rule, next(choices(profile, rule, "int8")), 1).values()]
    assert {row["height"] for row in rows} == {"24", "48"}


def test_limits_that_no_shape_keeps_give_no_form(tmp_path: Path) -> None:
    profile = written(tmp_path, PROFILE.replace("kernel_w: [1, 3, 5]", "kernel_w: 99"))
    rule = profile.operators["CONV_2D"]
    forms = forms_for(profile, rule, "int8")
    assert forms == templates_of("CONV_2D").forms
    assert not any(fits(profile, rule, form, next(choices(profile, rule, "int8"))) for form in forms)


@pytest.mark.parametrize("name", _SIZED)
def test_every_size_has_a_layout(name: str) -> None:
    for opcode in designed_operators():
        design = design_of(opcode)
        assert design is not None
        if name in design.factors:
            assert any(design.layout_of({**design.usual, name: size}) is not None for size in _SIZES), opcode


def test_forbidden_values_are_excluded_although_a_usual_value_fits(tmp_path: Path) -> None:
    """FULLY_CONNECTED: the usual depth of 16 is a multiple of 16, those of the first form (35) and 33 are none."""
    text = "profile: rows-of-16\nextends: litert-int8\nactivations: int8\nops:\n  FULLY_CONNECTED:\n    limits:\n"
    profile = written(
        tmp_path, f"{text}      input.channels: {{multiple_of: 16}}\n    because: the array has 16 rows\n"
    )
    rule = profile.operators["FULLY_CONNECTED"]
    rows = [*fitted_rows(profile, rule, next(choices(profile, rule, "int8")), 2).values()]
    depths = {int(row["depth"]) for row in rows}
    assert depths >= {16, 48, 272, 4112}
    assert not any(depth % 16 for depth in depths)
    assert len(list(geometric(profile, "FULLY_CONNECTED", "standard", 0))) == len(rows)

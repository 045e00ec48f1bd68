"""Values a verb could not judge are refused where they are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.errors import ProfileError
from litecheck.profile.load import load_profile
from litecheck.profile.types import Profile

PROFILE = """\
profile: tiny
activations: int8
kinds:
  activation: {dtype: int8}
ops:
  ADD:
    inputs: [lhs, rhs]
    outputs: [output]
    tensors:
      lhs: {kind: activation, %s}
    limits: {lhs.rank: %s}
"""


def loaded(folder: Path, demand: str, limit: str = "1") -> Profile:
    file = folder / "tiny.yaml"
    file.write_text(PROFILE % (demand, limit))
    return load_profile(file)


@pytest.mark.parametrize(
    ("demand", "says"),
    [
        ("zero_point: {same_as: rhs}", "zero_point takes a number, a range or a list of them"),
        ("zero_point: {multiple_of: 2}", "zero_point takes"),
        ("zero_point: zero", "zero_point is a number, not 'zero'"),
        ("axis: [0, 1]", "axis takes one number"),
        ("axis: 0..1", "axis takes one number"),
        ("range: [0, 1]", "range takes one range"),
        ("dtype: {power_of: 2}", "dtype takes"),
        ("granularity: {power_of: 2}", "granularity takes words or same_as"),
        ("scale: tiny", "scale is a number or one of positive, normal, not 'tiny'"),
    ],
)
def test_what_a_verb_cannot_judge_is_refused_with_its_line(tmp_path: Path, demand: str, says: str) -> None:
    with pytest.raises(ProfileError, match=says) as refused:
        loaded(tmp_path, demand)
    assert refused.value.line == 10


@pytest.mark.parametrize("limit", ["{power_of: 2}", "{product_of: [1, 2]}"])
def test_a_limit_takes_what_can_be_measured_against(tmp_path: Path, limit: str) -> None:
    with pytest.raises(ProfileError, match="limits takes a number, a word, a range") as refused:
        loaded(tmp_path, "zero_point: 0", limit)
    assert refused.value.line == 11


@pytest.mark.parametrize("demand", ["scale: {multiple_of: 1/256}", "zero_point: [0, 3..5]", "range: 0..1"])
def test_a_value_the_verb_can_judge_is_read(tmp_path: Path, demand: str) -> None:
    verb, stated = demand.split(": ", 1)
    (requirement,) = (r for r in loaded(tmp_path, demand).requirements() if r.path == f"ADD/lhs/{verb}")
    assert str(requirement.value) == {"scale": "a multiple of 1/256", "zero_point": "0 or 3..5"}.get(
        verb, stated
    )


@pytest.mark.parametrize("limit", ['"1,3,5"', "multiple_of 16", "1-3", '">=1"', "[1, 3 5]"])
def test_a_limit_that_nothing_measured_could_equal_is_refused(tmp_path: Path, limit: str) -> None:
    with pytest.raises(ProfileError, match=r"a limit is a number, a range 1\.\.3, a list") as refused:
        loaded(tmp_path, "zero_point: 0", limit)
    assert refused.value.line == 11


def test_a_reason_beside_a_form_is_told_where_it_goes(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match=r"\{value: \.\.\., because: \.\.\.\}"):
        loaded(tmp_path, "zero_point: 0", "{multiple_of: 16, because: the array has 16 rows}")
    loaded(tmp_path, "zero_point: 0", "{value: {multiple_of: 16}, because: the array has 16 rows}")

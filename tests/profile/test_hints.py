"""Hints: inherited with the requirement, stated by pattern, and refused where they speak of nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.errors import ProfileError
from litecheck.profile.load import load_profile


def hints(name: str | Path) -> dict[str, str]:
    return {r.path: r.hint for r in load_profile(name).requirements() if r.hint}


def test_a_profile_inherits_the_hints_of_the_one_it_extends() -> None:
    assert hints("ethos-u55")
    assert hints("ethos-u65") == hints("ethos-u55")


def test_a_child_says_another(tmp_path: Path) -> None:
    file = tmp_path / "npu.yaml"
    file.write_text(
        "profile: npu\ntitle: t\nextends: ethos-u55\nhints:\n  ABS/limits/scalar_maps: leave it out\n"
    )
    own, parent = hints(file), hints("ethos-u55")
    assert own.pop("ABS/limits/scalar_maps") == "leave it out"
    assert parent.pop("ABS/limits/scalar_maps") == "give the tensor the shape [1]"
    assert own == parent


def test_a_hint_for_no_requirement_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "npu.yaml"
    file.write_text(
        "profile: npu\ntitle: t\nextends: litert-int8\nhints:\n  ABS/limits/nothing: leave it out\n"
    )
    with pytest.raises(ProfileError, match=r"npu.yaml:5: no requirement 'ABS/limits/nothing'"):
        load_profile(file)

"""Kinds of faults: levels, reasons and impacts stated by pattern, and the known impacts."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck import ProfileError, load_profile
from litecheck.profile.paths import FAULT_KINDS

HEAD = "profile: mine\ntitle: Mine\nextends: litert-runtime\n"
ABOVE = "the profile forbids it"


def requirement(tmp_path: Path, text: str, path: str):
    file = tmp_path / "mine.yaml"
    file.write_text(HEAD + text)
    return next(r for r in load_profile(file).requirements() if r.path == path)


def test_a_kind_of_fault_has_its_own_level_effect_and_reason(tmp_path):
    text = """
ops: {ADD: {tensors: {lhs: {scale: {value: normal, because: it is mine}}}}}
levels: {ADD/lhs/scale/zero: note}
effects: {"ADD/lhs/scale": crashes, "ADD/*/scale/zero": wrong results}
reasons: {"*/lhs/scale/zero": nothing comes of it}
"""
    whole = requirement(tmp_path, text, "ADD/lhs/scale")
    zero, infinite = whole.of("zero"), whole.of("infinite")
    assert (whole.level, whole.effect, whole.because) == ("violation", "crashes", "it is mine")
    assert (zero.level, zero.effect, zero.because) == ("note", "wrong results", "nothing comes of it")
    assert infinite.effect == "crashes"
    assert whole.of("") is whole


def test_a_reason_applies_only_to_requirements_of_its_profile_or_parents(tmp_path):
    """Like an impact, a reason by pattern does not apply to a child's requirement, which has the child's reason."""
    text = "ops: {ADD: {tensors: {lhs: {scale: {value: normal, because: it is mine}}}}}\n"
    parent = next(r for r in load_profile("litert-runtime").requirements() if r.path == "ADD/lhs/scale")
    own = requirement(tmp_path, text, "ADD/lhs/scale")
    assert parent.because != "it is mine"
    assert {own.of(kind).because for kind in FAULT_KINDS["scale"]} == {"it is mine"}


def test_a_kind_of_fault_that_does_not_exist_is_an_error(tmp_path):
    with pytest.raises(ProfileError, match=r"mine\.yaml:5: no requirement 'ADD/lhs/scale/odd'"):
        requirement(tmp_path, "levels:\n  ADD/lhs/scale/odd: note\n", "ADD/lhs/scale")


@pytest.mark.parametrize("name", ["litert-runtime", "litert-int16x8"])
def test_every_requirement_of_a_runtime_has_an_impact(name):
    every = [
        r.of(kind) for r in load_profile(name).requirements() for kind in ("", *FAULT_KINDS.get(r.verb, ()))
    ]
    assert [r.path for r in every if r.effect == ABOVE] == []

"""The key ``conformance``: accepted and rejected content. An extension only lowers the values of its parent."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.errors import ProfileError
from litecheck.profile.load import load_profile

BASE = """\
profile: base
title: A base
activations: int8
ops: {}
conformance:
  RESIZE_BILINEAR: {tolerance: 2, because: the scaler has eight bits}
  "*": {tolerance: 1, reals: 1e-3, because: a slow bus}
"""


def written(folder: Path, conformance: str) -> Path:
    (folder / "base.yaml").write_text(BASE)
    child = folder / "child.yaml"
    child.write_text(f"profile: child\nextends: base.yaml\nconformance:\n  {conformance}\n")
    return child


def test_every_entry_names_its_line(tmp_path: Path) -> None:
    found = load_profile(written(tmp_path, "ADD: {tolerance: 0, because: it can}")).conformance
    assert {name: (e.tolerance, e.reals, e.demand.profile, e.demand.line) for name, e in found.items()} == {
        "RESIZE_BILINEAR": (2, None, "base", 6),
        "*": (1, 1e-3, "base", 7),
        "ADD": (0, None, "child", 4),
    }


def test_a_child_keeps_inherited_values(tmp_path: Path) -> None:
    found = load_profile(written(tmp_path, '"*": {reals: 1e-4, because: a faster bus}')).conformance["*"]
    assert (found.tolerance, found.reals, found.because) == (1, 1e-4, "a faster bus")


def test_equal_values_narrow(tmp_path: Path) -> None:
    found = load_profile(written(tmp_path, "RESIZE_BILINEAR: {tolerance: 2, because: still so}")).conformance
    assert found["RESIZE_BILINEAR"].because == "still so"


@pytest.mark.parametrize(
    ("conformance", "message"),
    [
        ("RESIZE_BILINEAR: {tolerance: 3, because: no}", "tolerance 3 allows more than the inherited 2"),
        ("ADD: {tolerance: 2, because: no}", "tolerance 2 allows more than the inherited 1"),
        ('"*": {reals: 0.1, because: no}', "reals 0.1 allows more than the inherited 0.001"),
        ("ADD: {tolerance: 1}", "and a because"),
        ("ADD: {because: no}", "takes a tolerance in LSB or reals"),
        ("ADD: {tolerance: 0.5, because: no}", "counts LSB, not 0.5"),
        ("ADD: {tolerance: -1, because: no}", "a number from 0 upwards, not '-1'"),
        ("ADD: {reals: nan, because: no}", "a number from 0 upwards, not 'nan'"),
        ("ADD: {reals: 1, because: no}", "a share of the largest magnitude"),
        ("ADDD: {tolerance: 1, because: no}", "no operator 'ADDD'; did you mean 'ADD'?"),
        ("ADD: {tolerances: 1, because: no}", "unknown key 'tolerances'; did you mean 'tolerance'?"),
    ],
)
def test_rejected_conformance(tmp_path: Path, conformance: str, message: str) -> None:
    with pytest.raises(ProfileError, match=r"child\.yaml:4") as error:
        load_profile(written(tmp_path, conformance))
    assert message in str(error.value)

"""Completions of the shell."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from litecheck.cli import complete
from litecheck.errors import ProfileError


def test_operators_and_paths() -> None:
    assert (
        complete.operators("CONV_") == complete.paths("CONV_") == ["CONV_2D", "CONV_3D", "CONV_3D_TRANSPOSE"]
    )
    found = complete.paths("CONV_2D/weight/z")
    assert found == ["CONV_2D/weight/zero_point"]
    every = complete.paths("CONV_2D/")
    assert len(every) == len(set(every)) > 20
    assert all(path.startswith("CONV_2D/") for path in every)
    assert complete.paths("NOTHING/") == complete.operators("NOTHING") == []


@pytest.mark.parametrize(
    ("incomplete", "found"),
    [
        ("CONV_2D/weight/z", ["CONV_2D/weight/zero_point"]),
        ("CONV_2D/weight/zero_point=", ["violation", "warning", "note"]),
        ("CONV_2D/weight/zero_point=w", ["warning"]),
        ("any=x", []),
    ],
)
def test_paths_with_levels(incomplete: str, found: list[str]) -> None:
    path, equals, _ = incomplete.partition("=")
    assert complete.complete_level_paths(incomplete) == [f"{path}={one}" if equals else one for one in found]


def test_measurements_complete_only_with_their_option() -> None:
    measured: Any = SimpleNamespace(params={"measurements": True})
    plain: Any = SimpleNamespace(params={"measurements": False})
    assert "stride_h" in complete.rule_subjects(measured, "stride")
    assert complete.rule_subjects(plain, "CONV_2") == ["CONV_2D"]


@pytest.mark.parametrize(
    ("names", "incomplete", "found"),
    [
        (complete.profiles, "tflm", ["tflm", "tflm-structure"]),
        (complete.arithmetics, "litert-ref", ["litert-reference"]),
        (complete.devices, "litert:r", ["litert:reference"]),
        (complete.devices, "no", []),
        (complete.choices("int8", "int16x8", "uint8"), "int", ["int8", "int16x8"]),
        (complete.choices("int8"), "", ["int8"]),
        (complete.completions("litecheck.suite.case", "LEVELS"), "s", ["smoke", "standard"]),
    ],
)
def test_names(names: Any, incomplete: str, found: list[str]) -> None:
    assert names(incomplete) == found


def test_unreadable_profiles_give_no_completions(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ProfileError("p.yaml", 1, "broken")

    monkeypatch.setattr(complete, "every", fail)
    assert complete.operators("") == complete.paths("CONV_2D/") == []


def test_selected_profiles() -> None:
    assert [p.name for p in complete.selected_profiles(["tflm", "litert-int8"])] == ["tflm", "litert-int8"]
    assert [p.name for p in complete.selected_profiles([])] == [
        p.name for p in complete.selected_profiles(None)
    ]
    assert "litert-runtime" in [p.name for p in complete.selected_profiles(None)]


@pytest.mark.parametrize(("default", "ending"), [("", "Repeatable."), ("x", "Repeatable. [default: x]")])
def test_help_of_profiles_ends_with_the_default(default: str, ending: str) -> None:
    assert complete.profile_option(default).help.endswith(ending)

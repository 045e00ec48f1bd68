"""Measurements by name: parts, wildcards, measurements of a single tensor, and unknown names."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from litecheck.errors import ConfigError
from litecheck.profile.measurements.registry import docstring
from litecheck.rendering.measurements import (
    ROLE,
    measurement_names,
    measurements,
    measurements_json,
    print_measurements,
)


def names(pattern: str) -> list[str]:
    return [one.name for one in measurements(pattern)]


def test_all_measurements() -> None:
    every = names("")
    assert len(every) == len({*every}) > 100
    assert f"{ROLE}.channels" in every
    assert all(one.meaning and one.gives for one in measurements())


def test_names_are_matched_by_a_part_or_by_wildcards() -> None:
    part = names("rank")
    assert f"{ROLE}.rank" in part
    inside = [one.name for one in measurements() if "rank" in one.name]
    assert part[: len(inside)] == inside
    assert names("*.rank") == [f"{ROLE}.rank"]
    assert names("role.ran[k]") == [f"{ROLE}.rank"]
    assert f"{ROLE}.rank" in names("role.ran?")


def test_names_come_before_descriptions() -> None:
    found = names("transpose")
    assert found.index("transpose_extent") < found.index("int32_permutation")
    assert "perm_repeats" in found


@pytest.mark.parametrize(
    ("searched", "found"),
    [
        ("SRAM", f"{ROLE}.stored_bytes"),
        ("memory", "largest_tensor_bytes"),
        ("line buffer", f"{ROLE}.width"),
        ("alignment", f"{ROLE}.channels"),
        ("per-channel", "per_axis_weights"),
        ("per axis weights", "per_axis_weights"),
        ("saturation", "largest_accumulator"),
        ("upsample", "resize_factor"),
    ],
)
def test_terms_of_hardware_find_measurements(searched: str, found: str) -> None:
    assert found in names(searched)
    assert "Search words" not in "".join(one.meaning for one in measurements(searched))


def test_every_word_must_occur() -> None:
    with pytest.raises(
        ConfigError, match="line elephant: no name or description of a measurement contains this"
    ):
        names("line elephant")


def test_a_role_finds_the_measurement_of_any_role() -> None:
    """``input.channels`` finds ``role.channels``, as rules write it."""
    assert names("input.channels") == [f"{ROLE}.channels"]
    assert f"{ROLE}.channels" in names("channels")


def test_names_that_do_not_exist() -> None:
    with pytest.raises(
        ConfigError, match=r"input\.chanels: no name or description of a measurement contains this"
    ):
        measurements("input.chanels")


def test_completion() -> None:
    found = measurement_names(f"{ROLE}.ra")
    assert f"{ROLE}.rank" in found
    assert all(name.startswith(f"{ROLE}.ra") for name in found)
    assert measurement_names("zzz") == []


def test_json() -> None:
    found = json.loads(measurements_json(f"{ROLE}.rank"))
    assert found["litecheck_rules"] == 1
    (one,) = found["measurements"]
    assert (one["name"], one["gives"], one["words"]) == (f"{ROLE}.rank", "a number", [])
    assert one["meaning"]
    words = [m for m in json.loads(measurements_json(""))["measurements"] if m["words"]]
    assert words
    assert all(m["gives"] != "a number" for m in words)


def test_a_table() -> None:
    console = Console(file=io.StringIO(), width=200, markup=False)
    print_measurements(f"{ROLE}.rank", console)
    head, *_, row = (line for line in console.file.getvalue().splitlines() if line.strip())  # type: ignore[attr-defined]
    assert head.split()[:2] == ["measurement", "gives"]
    assert row.split()[:3] == [f"{ROLE}.rank", "a", "number"]
    assert "``" not in row


@pytest.mark.parametrize(
    "word", ["dynamic", "concat", "transpose", "int64", "keepdims", "NHWC", "broadcast", "overflow", "alpha"]
)
def test_a_word_of_the_field_finds_a_measurement(word: str) -> None:
    assert all(word.lower() in f"{one.name} {docstring(one.name)}".lower() for one in measurements(word))
    assert measurements(word)

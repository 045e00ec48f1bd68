"""A finding in words, its place, its fingerprint, and the order of levels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litecheck.finding import EFFECTS, STATED_EFFECTS, SUPERSEDED, Demand, Finding, Where, at_least

CONV = Where(0, "main", 3, "CONV_2D", "block/out", "weight", None, 7, "block/kernel")
FOUND = Finding(
    "CONV_2D/weight/zero_point", "violation", CONV, "zero point 3", "zero point 0", "it costs a sum", "page",
    Demand("litert-int8", "rules/litert-int8.yaml", 12), "wrong results",
)  # fmt: skip


@pytest.mark.parametrize(
    ("level", "threshold", "expected"),
    [
        ("violation", "violation", True), ("violation", "note", True), ("warning", "violation", False),
        ("warning", "warning", True), ("note", "warning", False), ("note", "note", True),
    ],
)  # fmt: skip
def test_levels(level: str, threshold: str, expected: bool) -> None:
    assert at_least(level, threshold) is expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "place", "operand"),
    [
        ({}, "CONV_2D #3 'block/out'", "weight 'block/kernel'"),
        ({"operator": 0}, "CONV_2D #0 'block/out'", "weight 'block/kernel'"),
        ({"subgraph": 2}, "subgraph 2, CONV_2D #3 'block/out'", "weight 'block/kernel'"),
        ({"position": 0}, "CONV_2D #3 'block/out'", "weight[0] 'block/kernel'"),
        ({"tensor_name": None}, "CONV_2D #3 'block/out'", "weight"),
        ({"tensor_name": ""}, "CONV_2D #3 'block/out'", "weight ''"),
        ({"role": None}, "CONV_2D #3 'block/out'", "tensor 'block/kernel'"),
        ({"role": None, "tensor": 0}, "CONV_2D #3 'block/out'", "tensor 'block/kernel'"),
        ({"role": None, "tensor": None}, "CONV_2D #3 'block/out'", ""),
        ({"operator": -1}, "tensor 7 'block/out'", ""),
        ({"operator": -1, "subgraph": 1}, "subgraph 1, tensor 7 'block/out'", ""),
        ({"operator": -1, "opcode": "SUBGRAPH"}, "subgraph 0 'block/out'", "weight 'block/kernel'"),
    ],
)
def test_places(changes: dict[str, object], place: str, operand: str) -> None:
    where = replace(CONV, **changes)
    assert (str(where), where.operand) == (place, operand)


def test_sentences() -> None:
    sentence = "zero point 3; litert-int8 requires zero point 0, because it costs a sum (wrong results)"
    assert FOUND.sentence == sentence
    assert str(FOUND) == f"CONV_2D #3 'block/out', weight 'block/kernel': {sentence}"
    without = replace(FOUND, because="", where=replace(CONV, role=None, tensor=None))
    assert str(without) == (
        "CONV_2D #3 'block/out': zero point 3; litert-int8 requires zero point 0 (wrong results)"
    )
    assert str(FOUND.demanded_by) == "rules/litert-int8.yaml:12"


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("CONV_2D/weight/zero_point", "CONV_2D weight: zero point"),
        ("CONV_2D/limits/stride_w", "CONV_2D: limit on stride_w"),
        ("ADD/same_quantization", "ADD: same quantization"),
    ],
)
def test_titles(path: str, title: str) -> None:
    assert replace(FOUND, path=path).title == title


def test_a_fingerprint_follows_names_and_not_numbers() -> None:
    """Operators and tensors are renumbered by edits elsewhere; a subgraph without a name has its number only."""
    own = FOUND.fingerprint
    assert own == "6f77a12f28d537a08539f76c8b2f0a3e"  # users' baselines contain it
    for same in ({"operator": 9}, {"tensor": 9}, {"subgraph": 9}, {"opcode": "ADD"}):
        assert replace(FOUND, where=replace(CONV, **same)).fingerprint == own
    for other in (
        {"name": "x"},
        {"role": "bias"},
        {"position": 0},
        {"tensor_name": "x"},
        {"subgraph_name": "x"},
    ):
        assert replace(FOUND, where=replace(CONV, **other)).fingerprint != own
    bare = replace(CONV, subgraph_name="")
    numbers = {replace(FOUND, where=replace(bare, subgraph=number)).fingerprint for number in (0, 1)}
    assert len(numbers) == 2
    assert replace(FOUND, path="CONV_2D/bias/zero_point").fingerprint != own


def test_a_profile_may_state_every_effect_but_one() -> None:
    assert set(EFFECTS) - set(STATED_EFFECTS) == {SUPERSEDED}

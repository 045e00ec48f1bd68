"""Words of changes: summaries, titles of groups, places and values."""

from __future__ import annotations

from typing import Any

import pytest

from litecheck.differences.change import Change, ModelDifference
from litecheck.rendering.differences.wording import ChangeGroup, groups, place, summary, title, words


def difference(*changes: Change, unselected: int = 0) -> ModelDifference:
    return ModelDifference("1", "a", "b", changes, 7, (7, 8), unselected)


OPTION, SCALE = Change("option"), Change("scale", role="weight")
FOLLOWS = Change("scale", role="bias", cause=0)


@pytest.mark.parametrize(
    ("changes", "unselected", "message"),
    [
        ((), 0, "same: 7 operators compared"),
        ((), 2, "no selected change; 2 other changes"),
        ((OPTION,), 2, "1 option changed"),
        ((OPTION, SCALE, OPTION), 0, "2 options changed, 1 scale changed"),
        ((OPTION, FOLLOWS), 0, "1 option changed; 1 more change follows"),
        ((OPTION, FOLLOWS, FOLLOWS), 0, "1 option changed; 2 more changes follow"),
        ((OPTION,) * 1000, 0, "1,000 options changed"),
    ],
)
def test_summary(changes: tuple[Change, ...], unselected: int, message: str) -> None:
    assert summary(difference(*changes, unselected=unselected)) == message


def test_groups_have_a_kind_and_a_role() -> None:
    """Changes that follow from a consequence count for its first cause, also in a circle."""
    other = Change("scale", role="input")
    changes = (OPTION, FOLLOWS, SCALE, Change("dtype", cause=1), other, SCALE, Change("shape", cause=6))
    found = groups(difference(*changes))
    assert found == (
        ChangeGroup("option", "", (OPTION,), 2),
        ChangeGroup("scale", "weight", (SCALE, SCALE), 0),
        ChangeGroup("scale", "input", (other,), 0),
    )


def constants(*sizes: float) -> tuple[Change, ...]:
    return tuple(Change("constant", relative=size) for size in sizes)


@pytest.mark.parametrize(
    ("group", "message"),
    [
        (ChangeGroup("option", "", (OPTION,), 0), "1 option changed"),
        (ChangeGroup("option", "", (OPTION,), 1), "1 option changed; 1 change follows from it"),
        (
            ChangeGroup("scale", "weight", (SCALE, SCALE), 3),
            "2 scales changed (weight); 3 changes follow from them",
        ),
        (ChangeGroup("constant", "", constants(0.02), 0), "1 constant changed"),
        (ChangeGroup("constant", "", constants(0.02, 0.0), 0), "2 constants changed"),
        (
            ChangeGroup("constant", "bias", constants(0.02, 0.003), 0),
            "2 constants changed (bias), rms 0.3-2 %",
        ),
        (ChangeGroup("scale", "", (Change("scale", relative=1.0),) * 2, 0), "2 scales changed"),
    ],
)
def test_title(group: ChangeGroup, message: str) -> None:
    assert title(group) == message


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "model"),
        ({"subgraph": 2}, "subgraph 2, model"),
        ({"opcode": "ADD", "operator": 3, "other": 3}, "ADD #3"),
        ({"opcode": "ADD", "operator": 3, "other": 0}, "ADD #3 (now #0)"),
        ({"opcode": "ADD", "operator": 0, "other": 4}, "ADD #0 (now #4)"),
        ({"opcode": "ADD", "operator": 3}, "ADD #3"),
        ({"opcode": "ADD", "other": 4, "subgraph": 1}, "subgraph 1, ADD #4"),
    ],
)
def test_place(fields: dict[str, Any], message: str) -> None:
    assert place(Change("option", **fields)) == message


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "option changed"),
        ({"role": "weight", "before": "1", "after": "2"}, "weight: 1 -> 2"),
        ({"before": "1", "text": "x 2"}, "1 ->  (x 2)"),
        ({"after": "2", "text": "x 2"}, " -> 2 (x 2)"),
        ({"text": "x 2", "role": "bias"}, "bias: x 2"),
    ],
)
def test_values(fields: dict[str, Any], message: str) -> None:
    assert words(Change("option", **fields)) == message

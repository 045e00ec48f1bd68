"""Strided slices: limits and masks, and agreement with the slice of numpy."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases.geometry.stride_layout import striding

IMAGE = {"batch": "2", "height": "6", "width": "9", "channels": "3"}
ROW = {
    **IMAGE, "begin": "0 1 0 2", "steps": "1 2 -3 1", "end": "last", "masked": "none", "counted": "front", "shrunk": "none",
    "stated": "all",
}  # fmt: skip


@pytest.mark.parametrize(
    ("row", "begin", "end", "masks"),
    [
        ({}, [0, 1, 8, 2], [2, 6, -10, 3], {}),
        ({"counted": "back"}, [-2, -5, -1, -1], [2, 6, -10, 3], {}),
        ({"begin": "0 0 0 0", "end": "early"}, [0, 0, 8, 0], [1, 5, 0, 2], {}),
        ({"begin": "0 0 0 0", "end": "early", "counted": "back"}, [-2, -6, -1, -3], [-1, -1, -9, -1], {}),
        ({"masked": "begin"}, [1, 5, 0, 2], [2, 6, -10, 3], {"begin": 15}),
        ({"masked": "end"}, [0, 1, 8, 2], [0, 0, 0, 0], {"end": 15}),
        ({"shrunk": "0 3"}, [1, 1, 8, 0], [2, 6, -10, 1], {"shrink_axis": 9}),
        ({"shrunk": "0", "counted": "back"}, [-1, -5, -1, -1], [2, 6, -10, 3], {"shrink_axis": 1}),
        ({"stated": "new 1"}, [0, 0, 1, 8], [2, 1, 6, -10], {"new_axis": 2}),
        ({"stated": "ellipsis 1"}, [0, 0, 2], [2, 1, 3], {"ellipsis": 2}),
        ({"stated": "short 2"}, [0, 1], [2, 6], {}),
    ],
)
def test_limits(row: dict[str, str], begin: list[int], end: list[int], masks: dict[str, int]) -> None:
    made = striding({**ROW, **row})
    assert made is not None
    assert [made.operands[role][0].values.tolist() for role in ("begin", "end")] == [begin, end]
    assert {name: value for name, value in made.options.items() if value} == {
        f"{name}_mask": value for name, value in masks.items()
    }


def test_indices_from_both_ends_take_the_same_part() -> None:
    image = np.arange(2 * 6 * 9 * 3).reshape(2, 6, 9, 3)
    parts = []
    for counted in ("front", "back"):
        made = striding({**ROW, "counted": counted})
        assert made is not None
        ranges = zip(
            *(made.operands[role][0].values.tolist() for role in ("begin", "end", "strides")), strict=True
        )
        parts.append(image[tuple(slice(*limits) for limits in ranges)])
    assert parts[0].shape == (2, 3, 3, 1)
    assert np.array_equal(*parts)


@pytest.mark.parametrize(
    "row", [{"begin": "0 0 0 3"}, {"begin": "0 5 0 0", "end": "early"}, {"steps": "2 1 1 1", "shrunk": "0"}]
)
def test_an_empty_part_and_a_removed_dimension_in_steps_have_no_layout(row: dict[str, str]) -> None:
    assert striding({**ROW, **row}) is None

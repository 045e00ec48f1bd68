"""Axes of reductions, and the lanes that they leave."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.reference.numerics.axes import reduced_axes, reduction_view, shape_after
from litecheck.reference.runtime_tensors import Operand, RunError


@pytest.mark.parametrize(
    ("axes", "rank", "expected"),
    [
        ([0], 3, (0,)),
        ([-1, 0], 3, (0, 2)),
        ([1, 1, -2], 3, (1,)),
        (2, 3, (2,)),
        ([-3], 3, (0,)),
        ([0], 0, ()),
        ([], 2, ()),
    ],
)
def test_axes(axes: object, rank: int, expected: tuple[int, ...]) -> None:
    assert reduced_axes(Operand(np.array(axes, np.int32), "int32"), rank) == expected


@pytest.mark.parametrize("axis", [3, -4])
def test_an_axis_outside(axis: int) -> None:
    with pytest.raises(RunError, match=f"axis {axis} of a tensor with 3 dimensions"):
        reduced_axes(Operand(np.array([0, axis], np.int32), "int32"), 3)


@pytest.mark.parametrize(
    ("axes", "expected"),
    [((1,), [[0, 1, 2], [3, 4, 5]]), ((0,), [[0, 3], [1, 4], [2, 5]]), ((0, 1), [0, 1, 2, 3, 4, 5])],
)
def test_lanes(axes: tuple[int, ...], expected: list[object]) -> None:
    assert reduction_view(np.arange(6).reshape(2, 3), axes).tolist() == expected


def test_no_axis_leaves_lanes_of_one_element() -> None:
    assert reduction_view(np.arange(3), ()).tolist() == [[0], [1], [2]]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (Table("ReducerOptions", {"keep_dims": True}), (2, 1, 4)),
        (Table("ReducerOptions", {"keep_dims": False}), (2, 4)),
        (Table("ReducerOptions", {}), (2, 4)),
        (None, (2, 4)),
    ],
)
def test_shapes(options: Table | None, expected: tuple[int, ...]) -> None:
    assert shape_after((2, 3, 4), (1,), options) == expected

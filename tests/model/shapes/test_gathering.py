"""Shapes of gathers and segments, and the words of each misfit."""

from __future__ import annotations

from typing import Any

import pytest

from litecheck.model.shapes import Misfit
from tests.model.shapes.test_laws import said


@pytest.mark.parametrize(
    ("options", "operands", "shape"),
    [
        ({"axis": 0}, {"input": (5, 4), "indices": [[0, 4, 1]]}, (1, 3, 4)),
        ({"axis": -1}, {"input": (5, 4), "indices": 3}, (5,)),
        ({"axis": 1, "batch_dims": -1}, {"input": (2, 5), "indices": [[0, 4], [1, 2]]}, (2, 2)),
        ({"axis": 1, "batch_dims": 1}, {"input": (None, 5), "indices": (2, 3)}, (2, 3)),
        ({"axis": 2, "batch_dims": 1}, {"input": (2, 5, 6), "indices": (2, 3)}, (2, 5, 3)),
        ({}, {"input": None, "indices": [0]}, None),
        ({}, {"input": (2,), "indices": None}, None),
    ],
)
def test_a_gather(options: dict[str, Any], operands: dict[str, Any], shape: Any) -> None:
    assert said("gather", "GATHER", options, **operands) == (shape,)


@pytest.mark.parametrize(
    ("options", "operands", "role", "found"),
    [
        ({"axis": 2}, {"input": (5, 4), "indices": [0]}, None, "axis 2 is outside a tensor of 2 dimensions"),
        ({"batch_dims": 2}, {"input": (5, 4), "indices": [0]}, None, "batch_dims is 2, the indices have 1 dimensions"),
        ({"batch_dims": -2}, {"input": (5, 4), "indices": [0]}, None, "batch_dims is -2, the indices have 1 dimensions"),
        ({"batch_dims": 1}, {"input": (5, 4), "indices": [0]}, None, "batch_dims is 1, behind axis 0"),
        ({"axis": 1, "batch_dims": 1}, {"input": (2, 4), "indices": [[0], [1], [2]]}, "indices",
         "the first 1 dimensions of [2, 4] and [3, 1] are not equal"),
        ({}, {"input": (3,), "indices": [0, -1]}, "indices", "index -1 is outside a length of 3"),
    ],
)  # fmt: skip
def test_misfits_of_a_gather(
    options: dict[str, Any], operands: dict[str, Any], role: str | None, found: str
) -> None:
    with pytest.raises(Misfit) as raised:
        said("gather", "GATHER", options, **operands)
    assert (raised.value.role, raised.value.found) == (role, found)


@pytest.mark.parametrize(
    ("ids", "shape"),
    [([0, 0, 1, 2], (3, 5)), ([0, 0, 0, 0], (1, 5)), ((4,), (None, 5))],
)
def test_rows_of_a_segment_sum(ids: Any, shape: Any) -> None:
    assert said("segment_sum", "SEGMENT_SUM", {}, input=(4, 5), segment_ids=ids) == (shape,)


@pytest.mark.parametrize(
    ("ids", "found"),
    [
        ([0, 1, 2], "there are 3 segment ids for 4 rows"),
        ([1, 1, 2, 2], "the segment ids [1, 1, 2, 2] do not rise by one from 0"),
        ([0, 2, 2, 3], "the segment ids [0, 2, 2, 3] do not rise by one from 0"),
        ([0, 1, 0, 1], "the segment ids [0, 1, 0, 1] do not rise by one from 0"),
    ],
)
def test_misfits_of_a_segment_sum(ids: list[int], found: str) -> None:
    with pytest.raises(Misfit) as raised:
        said("segment_sum", "SEGMENT_SUM", {}, input=(4, 5), segment_ids=ids)
    assert (raised.value.role, raised.value.found) == ("segment_ids", found)

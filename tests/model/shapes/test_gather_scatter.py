"""Shapes of gathers and segments, and the words of each misfit."""

from __future__ import annotations

from typing import Any

import pytest

from litecheck.model.shapes import ShapeError
from tests.model.shapes.tables import misfit_of, shapes_of
from tests.model.shapes.test_laws import shapes_of_law


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
    assert shapes_of_law("gather", "GATHER", options, **operands) == (shape,)


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
    with pytest.raises(ShapeError) as raised:
        shapes_of_law("gather", "GATHER", options, **operands)
    assert (raised.value.role, raised.value.found) == (role, found)


@pytest.mark.parametrize(
    ("ids", "shape"),
    [([0, 0, 1, 2], (3, 5)), ([0, 0, 0, 0], (1, 5)), ((4,), (None, 5))],
)
def test_rows_of_a_segment_sum(ids: Any, shape: Any) -> None:
    assert shapes_of_law("segment_sum", "SEGMENT_SUM", {}, input=(4, 5), segment_ids=ids) == (shape,)


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
    with pytest.raises(ShapeError) as raised:
        shapes_of_law("segment_sum", "SEGMENT_SUM", {}, input=(4, 5), segment_ids=ids)
    assert (raised.value.role, raised.value.found) == ("segment_ids", found)


#: Name of the law, opcode and options.
GATHER_ND: Any = ("gather_nd", "GATHER_ND", {})
SCATTER_ND: Any = ("scatter_nd", "SCATTER_ND", {})
EMBEDDING: Any = ("embedding_lookup", "EMBEDDING_LOOKUP", {})
SPARSE: Any = ("sparse_to_dense", "SPARSE_TO_DENSE", {})
SEGMENTS: Any = ("segment_sum", "SEGMENT_SUM", {})
UNSORTED: Any = ("unsorted_segment", "UNSORTED_SEGMENT_SUM", {})


@pytest.mark.parametrize(
    ("asked", "shape"),
    [
        ((*GATHER_ND, {"input": (4, 5, 6), "indices": [[1, 4], [3, 0], [0, 1]]}), (3, 6)),
        ((*GATHER_ND, {"input": (4, 5, 6), "indices": [[[3]], [[0]]]}), (2, 1, 5, 6)),
        ((*GATHER_ND, {"input": (4, 5), "indices": (7, 2)}), (7,)),
        ((*GATHER_ND, {"input": (None, 5), "indices": [[9, 4]]}), (1,)),
        ((*GATHER_ND, {"input": None, "indices": [[1, 4]]}), None),
        ((*SCATTER_ND, {"indices": [[1], [3]], "updates": (2, 6), "shape": [4, 6]}), (4, 6)),
        ((*SCATTER_ND, {"indices": [[1, 5], [3, 0]], "updates": (2,), "shape": [4, 6]}), (4, 6)),
        ((*SCATTER_ND, {"indices": (2, 1), "updates": (None, 6), "shape": [4, 6]}), (4, 6)),
        ((*SCATTER_ND, {"indices": None, "updates": (2, 6), "shape": [4, 6]}), (4, 6)),
        ((*SCATTER_ND, {"indices": (2, 1), "updates": (2, 6), "shape": (2,)}), (None, None)),
        ((*SCATTER_ND, {"indices": (2, 1), "updates": (2, 0), "shape": [4, 0]}), (4, 0)),
        ((*EMBEDDING, {"indices": [0, 3, 1], "table": (4, 5, 6)}), (3, 5, 6)),
        ((*EMBEDDING, {"indices": None, "table": (4, 5)}), (None, 5)),
        ((*EMBEDDING, {"indices": [0], "table": None}), None),
        (("one_hot", "ONE_HOT", {"axis": -1}, {"indices": (2, 3), "depth": 4}), (2, 3, 4)),
        (("one_hot", "ONE_HOT", {"axis": 0}, {"indices": (2, 3), "depth": 4}), (4, 2, 3)),
        (("one_hot", "ONE_HOT", {"axis": 2}, {"indices": (2, 3), "depth": 4}), (2, 3, 4)),
        (("one_hot", "ONE_HOT", {"axis": 1}, {"indices": (2, 3), "depth": ()}), (2, None, 3)),
        (("one_hot", "ONE_HOT", {"axis": 1}, {"indices": (2, 3), "depth": 0}), (2, 0, 3)),
        (("one_hot", "ONE_HOT", {"axis": 1}, {"indices": None, "depth": 4}), None),
        ((*SPARSE, {"indices": 3, "values": (), "output_shape": [5]}), (5,)),
        ((*SPARSE, {"indices": [3, 4], "values": (2,), "output_shape": [5]}), (5,)),
        ((*SPARSE, {"indices": [[3, 1]], "values": (1,), "output_shape": [5, 2]}), (5, 2)),
        ((*SPARSE, {"indices": (7, 2), "values": (7,), "output_shape": (2,)}), (None, None)),
        ((*SPARSE, {"indices": None, "values": (7,), "output_shape": [5, 0]}), (5, 0)),
        ((*SEGMENTS, {"input": (0, 5), "segment_ids": []}), (0, 5)),
        ((*SEGMENTS, {"input": None, "segment_ids": [0]}), None),
        ((*UNSORTED, {"input": (4, 5), "segment_ids": [0, 2, -1, 2], "num_segments": 3}),
         (3, 5)),
        ((*UNSORTED, {"input": (2, 2, 5), "segment_ids": [[0, 1], [1, 0]], "num_segments": [7]}),
         (7, 5)),
        ((*UNSORTED, {"input": (4, 5), "segment_ids": (4,), "num_segments": ()}),
         (None, 5)),
        ((*UNSORTED, {"input": (4, 5), "segment_ids": (4,), "num_segments": 0}), (0, 5)),
        ((*UNSORTED, {"input": (4, 5), "segment_ids": None, "num_segments": 3}), None),
        ((*UNSORTED, {"input": None, "segment_ids": (4,), "num_segments": 3}), None),
    ],
)  # fmt: skip
def test_shapes(asked: Any, shape: Any) -> None:
    assert shapes_of(asked) == (shape,)


@pytest.mark.parametrize(
    ("asked", "role", "found"),
    [
        ((*GATHER_ND, {"input": (4, 5), "indices": [[4, 0]]}), "indices",
         "index 4 is outside dimension 0 of [4, 5]"),
        ((*GATHER_ND, {"input": (4, 5), "indices": [[0, -1]]}), "indices",
         "index -1 is outside dimension 1 of [4, 5]"),
        ((*SCATTER_ND, {"indices": 1, "updates": (2,), "shape": [4]}), "indices",
         "the indices has 0 dimensions, at least 1 wanted"),
        ((*SCATTER_ND, {"indices": [[1]], "updates": (), "shape": [4]}), "updates",
         "the updates has 0 dimensions, at least 1 wanted"),
        ((*SCATTER_ND, {"indices": [[1]], "updates": (1,), "shape": [[4]]}), "shape",
         "the shape has 2 dimensions, 1 wanted"),
        ((*SCATTER_ND, {"indices": [[1]], "updates": (1,), "shape": [-4]}), "shape",
         "the shape is [-4], with negative lengths"),
        ((*SCATTER_ND, {"indices": [[1, 2]], "updates": (1,), "shape": [4]}), "indices",
         "an index has 2 parts, the shape 1 dimensions"),
        ((*SCATTER_ND, {"indices": [[1]], "updates": (1, 7), "shape": [4, 6]}), "updates",
         "the updates are [1, 7], [1, 6] wanted"),
        ((*SCATTER_ND, {"indices": [[1]], "updates": (1,), "shape": [4, 6]}), "updates",
         "the updates are [1], [1, 6] wanted"),
        ((*SCATTER_ND, {"indices": [[4]], "updates": (1,), "shape": [4]}), "indices",
         "index 4 is outside dimension 0 of [4]"),
        ((*EMBEDDING, {"indices": [[0]], "table": (4, 5)}), "indices",
         "the indices has 2 dimensions, 1 wanted"),
        ((*EMBEDDING, {"indices": [0], "table": (4,)}), "table",
         "the table has 1 dimensions, at least 2 wanted"),
        ((*EMBEDDING, {"indices": [4], "table": (4, 5)}), "indices",
         "index 4 is outside a length of 4"),
        (("hashtable_lookup", "HASHTABLE_LOOKUP", {}, {"indices": (3,), "keys": (5,), "table": (4, 6)}), "keys",
         "there are 5 keys for 4 values"),
        (("one_hot", "ONE_HOT", {"axis": 3}, {"indices": (2, 3), "depth": 4}), None,
         "axis 3 is outside a result of 3 dimensions"),
        (("one_hot", "ONE_HOT", {"axis": -2}, {"indices": (2, 3), "depth": 4}), None,
         "axis -2 is outside a result of 3 dimensions"),
        (("one_hot", "ONE_HOT", {}, {"indices": (2, 3), "depth": -1}), "depth", "depth is -1"),
        (("one_hot", "ONE_HOT", {}, {"indices": (2, 3), "depth": [1, 2]}), "depth", "the depth has 2 values, 1 wanted"),
        (("one_hot", "ONE_HOT", {}, {"indices": (2,), "depth": 4, "on_value": (2,)}), "on_value",
         "the on value has 2 values, 1 wanted"),
        (("one_hot", "ONE_HOT", {}, {"indices": (2,), "depth": 4, "off_value": (2,)}), "off_value",
         "the off value has 2 values, 1 wanted"),
        ((*SPARSE, {"indices": (1, 1, 1), "values": (1,), "output_shape": [5]}), "indices",
         "the indices have 3 dimensions, at most 2 wanted"),
        ((*SPARSE, {"indices": [3, 4], "values": (3,), "output_shape": [5]}), "values",
         "there are 3 values for 2 indices"),
        ((*SPARSE, {"indices": [[3, 4]], "values": (1,), "output_shape": [5]}), "indices",
         "an index has 2 parts, the output 1 dimensions"),
        ((*SPARSE, {"indices": [3], "values": (1,), "output_shape": [5, 2]}), "indices",
         "an index has 1 parts, the output 2 dimensions"),
        ((*SPARSE, {"indices": [5], "values": (1,), "output_shape": [5]}), "indices",
         "index 5 is outside dimension 0 of [5]"),
        ((*SPARSE, {"indices": [5], "values": (1,), "output_shape": [-5]}), "output_shape",
         "the output shape is [-5], with negative lengths"),
        ((*UNSORTED, {"input": (4, 5), "segment_ids": (3,), "num_segments": 3}),
         "segment_ids", "the segment ids are [3], the input [4, 5]"),
        ((*UNSORTED, {"input": (4,), "segment_ids": (4, 1), "num_segments": 3}),
         "segment_ids", "the segment ids are [4, 1], the input [4]"),
        ((*UNSORTED, {"input": (2,), "segment_ids": [0, 3], "num_segments": 3}),
         "num_segments", "num_segments is 3, the highest segment id 3"),
        ((*UNSORTED, {"input": (2,), "segment_ids": (2,), "num_segments": -1}),
         "num_segments", "num_segments is -1, the highest segment id -1"),
    ],
)  # fmt: skip
def test_misfits(asked: Any, role: str | None, found: str) -> None:
    assert misfit_of(asked) == (role, found)


def test_hashtable_lookup_has_two_outputs() -> None:
    operands = {"indices": (3,), "keys": (4,), "table": (4, 6)}
    assert shapes_of(("hashtable_lookup", "HASHTABLE_LOOKUP", {}, operands), 2) == ((3, 6), (3,))
    for role, shapes in (
        ("table", (None, (3,))),
        ("indices", ((None, 6), (None,))),
        ("keys", ((3, 6), (3,))),
    ):
        assert shapes_of(("hashtable_lookup", "HASHTABLE_LOOKUP", {}, {**operands, role: None}), 2) == shapes

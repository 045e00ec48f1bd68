"""Measurements of constants that are indices, slices, paddings and segments, computed by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.model.build import Option
from litecheck.profile.measurements.measured_operator import Measured
from tests.profile.measurements.test_indices import ints, measured
from tests.profile.measurements.witnessed import measured_after

X = (1, 4, 6, 3)


@pytest.mark.parametrize(
    ("name", "opcode", "roles", "options", "wanted"),
    [
        ("slices_out_of_range", "SLICE", {"input": (4, 3), "begin": ints(1, 0), "size": ints(3, -1)}, {}, 0),
        ("slices_out_of_range", "SLICE", {"input": (4, 3), "begin": ints(2, -1), "size": ints(3, 1)}, {}, 2),
        ("slices_out_of_range", "SLICE", {"input": (4, 3), "begin": ints(4, 0), "size": ints(-1, -2)}, {}, 1),
        ("slices_out_of_range", "SLICE", {"input": (4, 3), "begin": ints(2, 0), "size": (2,)}, {}, None),
        ("sliced_shape_differs", "SLICE", {"input": (4,), "begin": ints([3]), "size": ints([-1]), "output": (1,)}, {}, 0),
        ("sliced_shape_differs", "SLICE", {"input": (4,), "begin": ints([1]), "size": ints([-1]), "output": (1,)}, {}, 1),
        ("shrunk_out_of_range", "STRIDED_SLICE", {"input": (4, 3), "begin": ints(4, 3), "strides": ints(1, 1)},
         {"shrink_axis_mask": 1}, 1),
        ("shrunk_out_of_range", "STRIDED_SLICE", {"input": (4, 3), "begin": ints(4, 3), "strides": ints(1, 1)},
         {"shrink_axis_mask": 3, "begin_mask": 2}, 1),
        ("shrunk_out_of_range", "STRIDED_SLICE", {"input": (4, 3), "begin": ints(4, 3), "strides": ints(1, 1)},
         {"shrink_axis_mask": 1, "ellipsis_mask": 2}, None),
        ("offset_ends_out_of_range", "STRIDED_SLICE",
         {"input": (4, 3), "begin": ints(-2, 1), "end": ints(2, 3), "strides": ints(1, 1)}, {"offset": True}, 1),
        ("offset_ends_out_of_range", "STRIDED_SLICE",
         {"input": (4, 3), "begin": ints(1, 0), "end": ints(3, 2), "strides": ints(1, 1)},
         {"offset": True, "end_mask": 3}, 1),
        ("offset_ends_out_of_range", "STRIDED_SLICE",
         {"input": (4, 3), "begin": ints(-1, 9), "end": ints(-4, 9), "strides": ints(-1, 1)},
         {"offset": True, "shrink_axis_mask": 2}, 0),
        ("offset_ends_out_of_range", "STRIDED_SLICE",
         {"input": (4, 3), "begin": ints(1, 1), "end": ints(9, 9), "strides": ints(1, 1)}, {}, None),
        ("shrunk_backwards", "STRIDED_SLICE", {"input": (4, 3), "begin": ints(0, 0), "strides": ints(-1, -1)},
         {"shrink_axis_mask": 2}, 1),
        ("reflected_too_far", "MIRROR_PAD", {"input": (4, 3), "paddings": ints([[3, 0], [0, 3]])}, {"mode": "REFLECT"}, 1),
        ("reflected_too_far", "MIRROR_PAD", {"input": (4, 3), "paddings": ints([[3, 0], [0, 3]])}, {"mode": "SYMMETRIC"}, 0),
        ("indices_out_of_range", "GATHER", {"input": X, "indices": ints(-1, 0, 5, 6)}, {"axis": 2}, 2),
        ("indices_out_of_range", "GATHER", {"input": X, "indices": ints(0)}, {"axis": 4}, None),
        ("indices_out_of_range", "EMBEDDING_LOOKUP", {"indices": ints(0, 6), "table": (6, 4)}, {}, 1),
        ("tuples_out_of_range", "GATHER_ND", {"input": (4, 6), "indices": ints([[3, 5], [4, 0], [0, 6]])}, {}, 2),
        ("tuples_out_of_range", "GATHER_ND", {"input": (4, 6), "indices": ints([[0, 0, 0]])}, {}, None),
        ("tuples_out_of_range", "SCATTER_ND", {"indices": ints([[4], [3]]), "updates": (2, 3), "shape": ints(4, 3)}, {}, 1),
        ("tuples_out_of_range", "SPARSE_TO_DENSE", {"indices": ints(1, 5), "output_shape": ints([5])}, {}, 1),
        ("tuples_out_of_range", "GATHER_ND", {"input": (4, 6), "indices": ints(3)}, {}, None),
        ("repeated_tuples", "SCATTER_ND", {"indices": ints([[1], [3], [1], [1]]), "shape": ints(4, 3)}, {}, 2),
        ("repeated_tuples", "SCATTER_ND", {"indices": ints([[1], [3]]), "updates": (2, 3), "shape": ints(4, 3)}, {}, 0),
        ("repeated_tuples", "SCATTER_ND", {"indices": (2, 1), "updates": (2, 3), "shape": ints(4, 3)}, {}, None),
        ("split_gap", "SPLIT_V", {"input": X, "size_splits": ints(2, 3), "axis": ints(2)}, {}, 1),
        ("split_gap", "SPLIT_V", {"input": X, "size_splits": ints(2, -1), "axis": ints(2)}, {}, 0),
        ("split_gap", "SPLIT_V", {"input": X, "size_splits": ints(8, -1), "axis": ints(2)}, {}, 2),
        ("split_gap", "SPLIT_V", {"input": X, "size_splits": ints(2, 4), "axis": ints(7)}, {}, None),
        ("split_remainder", "SPLIT", {"axis": ints(2), "input": X}, {"num_splits": 4}, 2),
        ("split_remainder", "SPLIT", {"axis": ints(2), "input": X}, {"num_splits": 0}, None),
        ("k_beyond", "TOPK_V2", {"input": (4, 8), "k": ints(9)}, {}, 1),
        ("k_beyond", "TOPK_V2", {"input": (4, 8), "k": ints(-9)}, {}, 0),
        ("lengths_too_long", "REVERSE_SEQUENCE", {"input": (4, 3), "lengths": ints(1, 4, 3, 9)}, {"seq_dim": 1}, 2),
        ("segments_out_of_order", "SEGMENT_SUM", {"input": (4, 3), "segment_ids": ints(0, 0, 1, 2)}, {}, 0),
        ("segments_out_of_order", "SEGMENT_SUM", {"input": (4, 3), "segment_ids": ints(1, 3, 2, 2)}, {}, 3),
        ("segments_out_of_range", "UNSORTED_SEGMENT_SUM",
         {"input": (4, 3), "segment_ids": ints(-1, 2, 3, 4), "num_segments": ints(3)}, {}, 2),
        ("slices_out_of_range", "SLICE", {"input": (4, 3), "begin": ints(4, 0), "size": ints(0, 3)}, {}, 0),
        ("slices_out_of_range", "SLICE", {"begin": ints(4, 0), "size": ints(0, 3)}, {}, None),
        ("slices_out_of_range", "SLICE", {"input": (4, 3), "begin": (2,), "size": ints(0, 3)}, {}, None),
        ("sliced_shape_differs", "SLICE",
         {"input": (4, 6), "begin": ints(1, 2), "size": ints(2, -1), "output": (3, 5)}, {}, 2),
        ("sliced_shape_differs", "SLICE",
         {"input": (4, 6), "begin": ints(0, 0), "size": ints(2, 3), "output": ()}, {}, None),
        ("sliced_shape_differs", "SLICE", {"input": (4, 6), "begin": ints(0, 0), "size": ints(2, 3)}, {}, None),
        ("shrunk_out_of_range", "STRIDED_SLICE", {"input": (4, 3), "begin": ints(3, 9), "strides": ints(1, 1)},
         {"shrink_axis_mask": 3}, 1),
        ("shrunk_out_of_range", "STRIDED_SLICE", {"input": (4, 3), "begin": ints(4, 3), "strides": ints(1, 1)},
         {"shrink_axis_mask": 1, "new_axis_mask": 2}, None),
        ("shrunk_out_of_range", "STRIDED_SLICE", {"input": (4, 3), "begin": ints(9, 9), "strides": ints(1, 1)}, {}, 0),
        ("shrunk_out_of_range", "STRIDED_SLICE", {"input": (4, 3), "begin": (2,), "strides": ints(1, 1)},
         {"shrink_axis_mask": 1}, None),
        ("shrunk_backwards", "STRIDED_SLICE", {"input": (4, 3), "begin": ints(0, 0), "strides": ints(0, -1)},
         {"shrink_axis_mask": 3}, 1),
        ("new_axes_and_ellipses", "STRIDED_SLICE", {"input": (4, 3)}, {"new_axis_mask": 5}, 2),
        ("new_axes_and_ellipses", "STRIDED_SLICE", {"input": (4, 3)}, {"ellipsis_mask": 2}, 1),
        ("new_axes_and_ellipses", "STRIDED_SLICE", {"input": (4, 3)}, {}, 0),
        ("shrunk_backwards", "STRIDED_SLICE", {"input": (4, 3), "begin": ints(0, 0), "strides": (2,)},
         {"shrink_axis_mask": 3}, None),
        ("reflected_too_far", "MIRROR_PAD", {"input": (4, 3), "paddings": ints([[3, 4], [3, 2]])}, {"mode": "SYMMETRIC"}, 0),
        ("reflected_too_far", "MIRROR_PAD", {"input": (4, 0), "paddings": ints([[5, 0], [0, 0]])}, {"mode": "SYMMETRIC"}, 1),
        ("reflected_too_far", "MIRROR_PAD", {"input": (4, 0), "paddings": ints([[0, 4], [0, 0]])}, {"mode": "REFLECT"}, 1),
        ("reflected_too_far", "MIRROR_PAD", {"input": (4, 3), "paddings": (2, 2)}, {}, None),
        ("split_gap", "SPLIT_V", {"input": X, "size_splits": ints(4, 5), "axis": ints(-2)}, {}, 3),
        ("split_gap", "SPLIT_V", {"input": X, "size_splits": ints(1, 1), "axis": ints(-4)}, {}, 1),
        ("split_gap", "SPLIT_V", {"input": X, "size_splits": ints(1, 1), "axis": ints(-5)}, {}, None),
        ("split_gap", "SPLIT_V", {"input": X, "size_splits": ints(1, 1), "axis": ints(4)}, {}, None),
        ("split_gap", "SPLIT_V", {"input": X, "size_splits": (2,), "axis": ints(1)}, {}, None),
        ("split_remainder", "SPLIT", {"axis": ints(1), "input": X}, {"num_splits": 3}, 1),
        ("split_remainder", "SPLIT", {"axis": ints(-4), "input": X}, {"num_splits": 1}, 0),
        ("split_remainder", "SPLIT", {"axis": ints(-5), "input": X}, {"num_splits": 1}, None),
        ("split_remainder", "SPLIT", {"axis": ints(4), "input": X}, {"num_splits": 1}, None),
        ("split_remainder", "SPLIT", {"axis": (1,), "input": X}, {"num_splits": 1}, None),
        ("k_beyond", "TOPK_V2", {"input": (9, 8), "k": ints(8)}, {}, 0),
        ("k_beyond", "TOPK_V2", {"input": (), "k": ints(8)}, {}, None),
        ("k_beyond", "TOPK_V2", {"input": (4, 8), "k": (1,)}, {}, None),
        ("indices_out_of_range", "GATHER", {"input": (7, 3), "indices": ints(-2, 3, 6)}, {"axis": -1}, 3),
        ("indices_out_of_range", "GATHER", {"input": (7, 3), "indices": ints(6, 7)}, {"axis": -2}, 1),
        ("indices_out_of_range", "GATHER", {"input": (7, 3), "indices": ints(0)}, {"axis": -3}, None),
        ("indices_out_of_range", "GATHER", {"input": (7, 3), "indices": ints(0)}, {"axis": 2}, None),
        ("indices_out_of_range", "GATHER", {"input": (7, 3), "indices": (2,)}, {}, None),
        ("indices_out_of_range", "EMBEDDING_LOOKUP_SPARSE", {"ids": ints(0, 9), "table": (6, 4)}, {}, 1),
        ("tuples_out_of_range", "GATHER_ND", {"input": (4, 6), "indices": ints([[-1, 0], [3, 5], [0, -1]])}, {}, 2),
        ("tuples_out_of_range", "SPARSE_TO_DENSE", {"indices": ints(4), "output_shape": ints([5])}, {}, 0),
        ("tuples_out_of_range", "SPARSE_TO_DENSE", {"indices": ints([[1, 5], [1, 2]]), "output_shape": ints(2, 3)}, {}, 1),
        ("tuples_out_of_range", "GATHER_ND", {"input": (4, 6), "indices": (2, 2)}, {}, None),
        ("repeated_tuples", "SCATTER_ND", {"indices": ints([[0, 1], [1, 0], [0, 1]]), "shape": ints(4, 3)}, {}, 1),
        ("repeated_tuples", "SCATTER_ND", {"indices": np.zeros((1, 0), np.int32), "shape": ints(4, 3)}, {}, None),
        ("lengths_too_long", "REVERSE_SEQUENCE", {"input": (4, 3), "lengths": ints(1, 4, 3, 9)}, {"seq_dim": 0}, 1),
        ("lengths_too_long", "REVERSE_SEQUENCE", {"input": (4, 3), "lengths": ints(9)}, {"seq_dim": 2}, None),
        ("lengths_too_long", "REVERSE_SEQUENCE", {"input": (4, 3), "lengths": ints(9)}, {"seq_dim": -1}, None),
        ("lengths_too_long", "REVERSE_SEQUENCE", {"input": (4, 3), "lengths": (4,)}, {"seq_dim": 1}, None),
        ("segments_out_of_order", "SEGMENT_SUM", {"input": (4, 3), "segment_ids": ints(-1, 0)}, {}, 1),
        ("segments_out_of_order", "SEGMENT_SUM", {"input": (4, 3), "segment_ids": np.zeros(0, np.int32)}, {}, None),
        ("segments_out_of_order", "SEGMENT_SUM", {"input": (4, 3), "segment_ids": (4,)}, {}, None),
        ("segments_out_of_range", "UNSORTED_SEGMENT_SUM",
         {"input": (4, 3), "segment_ids": ints(0, 1), "num_segments": ints(0)}, {}, 2),
        ("segments_out_of_range", "UNSORTED_SEGMENT_SUM",
         {"input": (4, 3), "segment_ids": ints(0, 1), "num_segments": ints(-1)}, {}, None),
        ("segments_out_of_range", "UNSORTED_SEGMENT_SUM",
         {"input": (4, 3), "segment_ids": ints(0, 1), "num_segments": (1,)}, {}, None),
        ("segments_out_of_range", "UNSORTED_SEGMENT_SUM",
         {"input": (4, 3), "segment_ids": (2,), "num_segments": ints(2)}, {}, None),
    ],
)  # fmt: skip
def test_values(
    name: str, opcode: str, roles: dict[str, Any], options: dict[str, Option], wanted: Measured
) -> None:
    assert measured(name, opcode, roles, **options) == wanted


@pytest.mark.parametrize(
    ("name", "opcode", "values"),
    [
        ("slices_out_of_range", "SLICE", (0, 1, 2, 4)),
        ("sliced_shape_differs", "SLICE", (0, 1, 2, 4)),
        ("shrunk_out_of_range", "STRIDED_SLICE", (0, 1, 2, 4)),
        ("shrunk_backwards", "STRIDED_SLICE", (0, 1, 2, 4)),
        ("offset_ends_out_of_range", "STRIDED_SLICE", (0, 1, 2, 4)),
        ("new_axes_and_ellipses", "STRIDED_SLICE", (0, 1, 2)),
        ("reflected_too_far", "MIRROR_PAD", (0, 1, 2, 4)),
        ("split_gap", "SPLIT_V", (0, 1, 2, 5)),
        ("split_remainder", "SPLIT", (0, 1, 2, 3)),
        ("k_beyond", "TOPK_V2", (0, 1, 5)),
        ("indices_out_of_range", "GATHER", (0, 1, 5)),
        ("indices_out_of_range", "EMBEDDING_LOOKUP", (0, 1, 5)),
        ("tuples_out_of_range", "GATHER_ND", (0, 1, 5)),
        ("tuples_out_of_range", "SCATTER_ND", (0, 1, 5)),
        ("tuples_out_of_range", "SPARSE_TO_DENSE", (0, 1, 5)),
        ("repeated_tuples", "SCATTER_ND", (0, 1, 5)),
        ("lengths_too_long", "REVERSE_SEQUENCE", (0, 1, 4)),
        ("segments_out_of_order", "SEGMENT_SUM", (0, 1, 5)),
        ("segments_out_of_range", "UNSORTED_SEGMENT_SUM", (0, 1, 4)),
    ],
)
def test_setter_sets_the_value(name: str, opcode: str, values: tuple[Any, ...]) -> None:
    assert [measured_after(name, opcode, value) for value in values] == list(values)


@pytest.mark.parametrize("value", [-1, 4])
def test_no_remainder_of_four_parts_is_beyond_three(value: int) -> None:
    assert measured_after("split_remainder", "SPLIT", value) == "no plan"

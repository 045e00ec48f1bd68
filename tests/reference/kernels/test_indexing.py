"""Slices, gathers, pads and further operators that select stored values by index, each with a table by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.reference.kernels import indexing, movement
from litecheck.reference.runtime_tensors import RunError

from .layers import output, stored

OUT = output(1.0, 5)
GRID = stored(np.arange(12).reshape(3, 4))  # 0 1 2 3 / 4 5 6 7 / 8 9 10 11


def places(*numbers: Any) -> Any:
    return stored(list(numbers), dtype="int32")


@pytest.mark.parametrize(
    ("begin", "size", "expected"),
    [
        ((0, 0), (2, 2), [[0, 1], [4, 5]]),
        ((1, 2), (-1, -1), [[6, 7], [10, 11]]),
        ((1, 0), (1, -1), [[4, 5, 6, 7]]),
        ((2, 3), (0, 1), []),
    ],
)
def test_slice(begin: tuple[int, ...], size: tuple[int, ...], expected: list[Any]) -> None:
    made = indexing.slice_(GRID, places(*begin), places(*size), OUT)
    assert made.tolist() == expected
    assert made.flags.c_contiguous


def test_a_scalar_stays_a_scalar() -> None:
    scalar, none = stored(7), stored(np.zeros(0), dtype="int32")
    pairs = stored(np.zeros((0, 2)), dtype="int32")
    made = (
        indexing.slice_(scalar, none, none, OUT),
        indexing.pad(scalar, pairs, OUT),
        indexing.pad_v2(scalar, pairs, stored([3]), OUT),
        indexing.dynamic_update_slice(scalar, stored(5), none, OUT),
        movement.transpose(scalar, none, OUT),
        movement.broadcast_to(scalar, none, OUT),
    )
    assert [(x.shape, int(x)) for x in made] == [((), n) for n in (7, 7, 7, 5, 7, 7)]


@pytest.mark.parametrize(
    ("begin", "size", "message"), [((0,), (1, 1), "begin has 1 "), ((0, 0), (1, 1, 1), "size has 3 ")]
)
def test_a_box_of_a_wrong_rank(begin: tuple[int, ...], size: tuple[int, ...], message: str) -> None:
    with pytest.raises(RunError, match=message + "numbers for an input of 2 dimensions"):
        indexing.slice_(GRID, places(*begin), places(*size), OUT)


@pytest.mark.parametrize(
    ("begin", "end", "strides", "masks", "expected"),
    [
        ((0, 1), (2, 3), (1, 1), {}, [[1, 2], [5, 6]]),
        ((0, 0), (3, 4), (2, 3), {}, [[0, 3], [8, 11]]),
        ((2, 3), (0, 0), (-1, -2), {}, [[11, 9], [7, 5]]),
        ((1, 1), (2, 3), (1, 1), {"begin": 1}, [[1, 2], [5, 6]]),
        ((1, 1), (2, 3), (1, 1), {"begin": 2}, [[4, 5, 6]]),
        ((1, 1), (2, 3), (1, 1), {"end": 1}, [[5, 6], [9, 10]]),
        ((1, 1), (2, 3), (1, 1), {"end": 2}, [[5, 6, 7]]),
        ((1, 1), (2, 3), (1, 1), {"shrink_axis": 1}, [5, 6]),
        ((1, 1), (2, 3), (1, 1), {"shrink_axis": 2}, [5]),
        ((1, 1), (2, 3), (1, 1), {"shrink_axis": 3}, 5),
        ((1, 1), (2, 3), (1, 1), {"shrink_axis": 1, "begin": 1}, [1, 2]),
        ((0, 1, 1), (0, 2, 3), (1, 1, 1), {"new_axis": 1}, [[[5, 6]]]),
        ((1, 0, 1), (2, 0, 3), (1, 1, 1), {"new_axis": 2}, [[[5, 6]]]),
        ((0, 1), (0, 3), (1, 1), {"ellipsis": 1}, [[1, 2], [5, 6], [9, 10]]),
        ((1, 0), (2, 0), (1, 1), {"ellipsis": 2}, [[4, 5, 6, 7]]),
        ((0, 0, 1), (0, 0, 3), (1, 1, 1), {"ellipsis": 1, "new_axis": 2}, [[[1, 2]], [[5, 6]], [[9, 10]]]),
        ((1, 1), (1, 2), (1, 1), {"offset": True}, [[5, 6]]),
        ((-2, -9), (1, 2), (1, 1), {"offset": True}, [[4, 5]]),
        ((9, 9), (2, 1), (1, 1), {"offset": True, "begin": 3}, [[0], [4]]),
        ((-1, 3), (-2, -4), (-1, -2), {"offset": True}, [[11, 9], [7, 5]]),
        ((-1, 0), (-3, 0), (-1, 1), {"offset": True}, [[], [], []]),
    ],
)
def test_strided_slice(
    begin: tuple[int, ...],
    end: tuple[int, ...],
    strides: tuple[int, ...],
    masks: dict[str, Any],
    expected: Any,
) -> None:
    fields = {name if name == "offset" else f"{name}_mask": value for name, value in masks.items()}
    options = Table("StridedSliceOptions", fields)
    made = indexing.strided_slice(GRID, places(*begin), places(*end), places(*strides), OUT, options)
    assert made.tolist() == expected


@pytest.mark.parametrize(
    ("indices", "axis", "batch_dims", "expected"),
    [
        ([2, 0], 0, 0, [[8, 9, 10, 11], [0, 1, 2, 3]]),
        ([3, 0], 1, 0, [[3, 0], [7, 4], [11, 8]]),
        ([3, 0], -1, 0, [[3, 0], [7, 4], [11, 8]]),
        (1, 0, 0, [4, 5, 6, 7]),
        ([[0], [1], [3]], 1, 1, [[0], [5], [11]]),
        ([[0, 1], [1, 2], [3, 3]], 1, -1, [[0, 1], [5, 6], [11, 11]]),
    ],
)
def test_gather(indices: Any, axis: int, batch_dims: int, expected: list[Any]) -> None:
    options = Table("GatherOptions", {"axis": axis, "batch_dims": batch_dims})
    if np.ndim(indices) == 2 and batch_dims < 0:
        batch_dims = -2  # counted from the end: the first of two dimensions
        options = Table("GatherOptions", {"axis": axis, "batch_dims": batch_dims})
    assert indexing.gather(GRID, stored(indices, dtype="int32"), OUT, options).tolist() == expected


def test_two_batch_dimensions() -> None:
    x = np.arange(24).reshape(2, 3, 4)
    at = np.array([[[0], [1], [2]], [[3], [2], [1]]])
    options = Table("GatherOptions", {"axis": 2, "batch_dims": 2})
    made = indexing.gather(stored(x), stored(at, dtype="int32"), OUT, options)
    assert made.tolist() == [[[0], [5], [10]], [[15], [18], [21]]]


def test_no_batch_has_an_empty_output_of_the_whole_shape() -> None:
    x, at = stored(np.zeros((0, 3, 4))), stored(np.zeros((0, 5)), dtype="int32")
    options = Table("GatherOptions", {"axis": 2, "batch_dims": 1})
    assert indexing.gather(x, at, OUT, options).shape == (0, 3, 5)


@pytest.mark.parametrize("index", [-1, 3])
def test_an_index_outside(index: int) -> None:
    message = "an index lies outside the 3 slices there are"
    with pytest.raises(RunError, match=message):
        indexing.gather(GRID, places(index), OUT, None)
    with pytest.raises(RunError, match=message):
        indexing.gather_nd(GRID, places([index, 0]), OUT)
    with pytest.raises(RunError, match=message):
        indexing.scatter_nd(places([index]), stored([1]), places(3), OUT)
    with pytest.raises(RunError, match=message):
        indexing.embedding_lookup(places(index), GRID, OUT)


@pytest.mark.parametrize(
    ("indices", "expected"),
    [([[2, 3], [0, 1]], [11, 1]), ([[1]], [[4, 5, 6, 7]]), ([[[0, 0]], [[2, 0]]], [[0], [8]])],
)
def test_gather_nd(indices: Any, expected: list[Any]) -> None:
    assert indexing.gather_nd(GRID, stored(indices, dtype="int32"), OUT).tolist() == expected


def test_scatter_nd_adds_up_at_a_place() -> None:
    made = indexing.scatter_nd(places([1], [3], [1]), stored([5, 6, 7]), places(5), OUT)
    assert made.tolist() == [0, 12, 0, 6, 0]
    rows = indexing.scatter_nd(places([1]), stored([[5, 6]]), places(2, 2), OUT)
    assert rows.tolist() == [[0, 0], [5, 6]]


def test_pads() -> None:
    """PAD's border is the output's zero point 5, PADV2's the given value."""
    x, around = stored([[1, 2]]), stored([[0, 1], [2, 0]], dtype="int32")
    assert indexing.pad(x, around, OUT).tolist() == [[5, 5, 1, 2], [5, 5, 5, 5]]
    assert indexing.pad_v2(x, around, stored([9]), OUT).tolist() == [[9, 9, 1, 2], [9, 9, 9, 9]]


@pytest.mark.parametrize(("mode", "expected"), [(0, [3, 2, 1, 2, 3, 2]), (1, [2, 1, 1, 2, 3, 3])])
def test_mirror_pad(mode: int, expected: list[int]) -> None:
    around = stored([[2, 1]], dtype="int32")
    made = indexing.mirror_pad(stored([1, 2, 3]), around, OUT, Table("MirrorPadOptions", {"mode": mode}))
    assert made.tolist() == expected


@pytest.mark.parametrize(
    ("values", "steps", "expected"),
    [
        ([[1, 2], [3, 4]], (1, 3), [[1, 9, 9, 2], [3, 9, 9, 4]]),
        ([[1], [2]], (2, 5), [[1], [9], [2]]),
        (np.zeros((0, 2)), (2, 1), []),
    ],
)
def test_dilate(values: Any, steps: tuple[int, ...], expected: list[Any]) -> None:
    assert indexing.dilate(stored(values), places(*steps), stored([9]), OUT).tolist() == expected


@pytest.mark.parametrize(
    ("start", "expected"), [(1, [0, 7, 8, 3]), (-2, [7, 8, 2, 3]), (3, [0, 1, 7, 8]), (0, [7, 8, 2, 3])]
)
def test_a_box_overwritten_is_moved_so_that_it_fits(start: int, expected: list[int]) -> None:
    x = stored([0, 1, 2, 3])
    assert indexing.dynamic_update_slice(x, stored([7, 8]), places(start), OUT).tolist() == expected
    assert x.data.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        (-1, [[8, 2, 2], [2, 2, 8]]),
        (1, [[8, 2, 2], [2, 2, 8]]),
        (0, [[8, 2], [2, 2], [2, 8]]),
    ],
)
def test_one_hot(axis: int, expected: list[Any]) -> None:
    options = Table("OneHotOptions", {"axis": axis})
    made = indexing.one_hot(places(0, 2), places(3), stored([8]), stored([2]), OUT, options)
    assert made.tolist() == expected


def test_of_equal_values_the_first_is_larger() -> None:
    values, order = indexing.topk_v2(stored([[3, 7, 7, -128], [1, 2, 3, 4]]), places(3), OUT, OUT)
    assert values.tolist() == [[7, 7, 3], [4, 3, 2]]
    assert order.tolist() == [[1, 2, 0], [3, 2, 1]]


def test_unique_keeps_the_order() -> None:
    values, where = indexing.unique(stored([[5, 2, 5], [9, 2, 5]]), OUT, OUT)
    assert values.tolist() == [5, 2, 9]
    assert where.tolist() == [0, 1, 0, 2, 1, 0]


def test_diagonals() -> None:
    assert indexing.matrix_diag(stored([[1, 2]]), OUT).tolist() == [[[1, 0], [0, 2]]]
    x = stored([[1, 2, 3], [4, 5, 6]])
    assert indexing.matrix_set_diag(x, stored([8, 9]), OUT).tolist() == [[8, 2, 3], [4, 9, 6]]
    assert x.data.tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(
    ("indices", "shape", "values", "expected"),
    [
        ([[0, 1], [1, 0]], (2, 2), [5, 6], [[9, 5], [6, 9]]),
        ([1, 2], (4,), [5, 6], [9, 5, 6, 9]),
        (2, (3,), 5, [9, 9, 5]),
    ],
)
def test_sparse_to_dense(indices: Any, shape: tuple[int, ...], values: Any, expected: list[Any]) -> None:
    made = indexing.sparse_to_dense(
        stored(indices, dtype="int32"), places(*shape), stored(values), stored([9]), OUT
    )
    assert made.tolist() == expected


@pytest.mark.parametrize(
    ("scales", "dtype", "expected"),
    [
        (0.5, "float32", [[4.0, 4.5, 5.0, 5.5], [0.0, 0.5, 1.0, 1.5]]),
        ([1.0, 2.0, 0.25], "float32", [[2.0, 2.25, 2.5, 2.75], [0.0, 1.0, 2.0, 3.0]]),
        ([1.0, 2.0, 0.25], "float16", [[2.0, 2.25, 2.5, 2.75], [0.0, 1.0, 2.0, 3.0]]),
        (0.5, "int8", [[8, 9, 10, 11], [0, 1, 2, 3]]),
    ],
)
def test_rows_of_an_embedding(scales: Any, dtype: str, expected: list[Any]) -> None:
    table = stored(GRID.data, scales)
    made = indexing.embedding_lookup(places(2, 0), table, output(dtype=dtype))
    assert made.tolist() == expected
    assert made.dtype == ("int8" if dtype == "int8" else "float32")


def test_rows_of_an_embedding_have_separate_scales() -> None:
    table = stored([[4, 8], [4, 8]], [1.0, 0.5])
    made = indexing.embedding_lookup(places(1, 0), table, output(dtype="float32"))
    assert made.tolist() == [[2.0, 4.0], [4.0, 8.0]]

"""Movers and indexers: laws without a runtime, and values calculated by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litecheck.flatbuffer.table import Table
from litecheck.quantization import Quantization
from litecheck.reference.kernels import indexing, movement, resize
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError

Q = Quantization(np.float32([0.5]), np.int64([-3]))


def value(array, dtype="int8"):
    return Operand(np.asarray(array, np.dtype(dtype)), dtype, Q)


def index(*numbers):
    return Operand(np.array(numbers, np.int32), "int32")


def size(*numbers):
    return replace(index(*numbers), constant=True)


OUT = OutputSpec("int8", (), Q)


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
def test_depth_to_space_undoes_space_to_depth(n, h, w, c, b):
    x = np.arange(n * h * w * b * b * c, dtype=np.int8).reshape(n, h * b, w * b, c)
    block = Table("SpaceToDepthOptions", {"block_size": b})
    deep = movement.space_to_depth(value(x), OUT, block)
    assert deep.shape == (n, h, w, b * b * c)
    assert (movement.depth_to_space(value(deep), OUT, block) == x).all()


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 2), st.integers(1, 2))
def test_batch_to_space_undoes_space_to_batch(h, w, a, b):
    x = np.arange(2 * h * a * w * b * 3, dtype=np.int8).reshape(2, h * a, w * b, 3)
    none = Operand(np.zeros((2, 2), np.int32), "int32")
    batched = movement.space_to_batch_nd(value(x), index(a, b), none, OUT)
    assert batched.shape == (2 * a * b, h, w, 3)
    assert (movement.batch_to_space_nd(value(batched), index(a, b), none, OUT) == x).all()


def test_padding_is_the_outputs_zero_point():
    widths = Operand(np.array([[1, 2]], np.int32), "int32")
    assert indexing.pad(value([5]), widths, OUT).tolist() == [-3, 5, -3, -3]
    assert indexing.pad_v2(value([5]), widths, value([9]), OUT).tolist() == [9, 5, 9, 9]


def test_mirrors_with_and_without_the_edge():
    widths = Operand(np.array([[2, 1]], np.int32), "int32")
    for mode, expected in ((0, [3, 2, 1, 2, 3, 2]), (1, [2, 1, 1, 2, 3, 3])):
        options = Table("MirrorPadOptions", {"mode": mode})
        assert indexing.mirror_pad(value([1, 2, 3]), widths, OUT, options).tolist() == expected


def test_scattered_values_add_up_on_stored_zeros():
    at = Operand(np.array([[1], [3], [1]], np.int32), "int32")
    made = indexing.scatter_nd(at, value([5, 6, 7]), index(5), OUT)
    assert made.tolist() == [0, 12, 0, 6, 0]


def test_top_k_takes_the_first_of_equals():
    values, places = indexing.topk_v2(value([[3, 9, -128, 9]]), index(3), OUT, OUT)
    assert values.tolist() == [[9, 9, 3]]
    assert places.tolist() == [[1, 3, 0]]


def test_one_hot_of_an_index_outside_is_off_everywhere():
    made = indexing.one_hot(
        index(1, 7), index(3), value(5), value(-1), OUT, Table("OneHotOptions", {"axis": -1})
    )
    assert made.tolist() == [[-1, 5, -1], [-1, -1, -1]]


@pytest.mark.parametrize("wrong", [-1, 3])
def test_indexes_outside_are_refused(wrong):
    with pytest.raises(RunError, match="outside the 3"):
        indexing.gather(value([1, 2, 3]), index(wrong), OUT, None)


def test_enlarging_a_constant_image_keeps_its_value():
    x = np.full((1, 3, 4, 2), -77, np.int8)
    for interpolate in ("q10", "q11"):
        made = resize.resize_bilinear(value(x), size(7, 5), OUT, None, {"interpolate": interpolate})
        assert made.shape == (1, 7, 5, 2)
        assert (made == -77).all()


def test_a_tie_between_two_pixels_rounds_away_from_zero():
    x = np.array([-3, -4], np.int8).reshape(1, 1, 2, 1)
    made = resize.resize_bilinear(value(x), size(1, 4), OUT, None, {"interpolate": "q10"})
    assert made.reshape(-1).tolist() == [-3, -4, -4, -4]
    up = resize.resize_bilinear(value(x), size(1, 4), OUT, None, {"interpolate": "q11"})
    assert up.reshape(-1).tolist() == [-3, -3, -4, -4]


def test_interpolation_in_q10():
    x = np.array([-3, -4], np.int8).reshape(1, 1, 2, 1)
    made = resize.resize_bilinear(value(x), size(1, 4), OUT, None, {"interpolate": "q10"})
    assert made.reshape(-1).tolist() == [-3, -4, -4, -4]


def test_an_embedding_row_is_dequantized():
    table = Operand(
        np.array([[1, -2], [3, 4]], np.int8), "int8", Quantization(np.float32([0.5, 0.25]), np.int64([0, 0]))
    )
    made = indexing.embedding_lookup(index(1, 0), table, OutputSpec("float32", ()))
    assert made.tolist() == [[0.75, 1.0], [0.5, -1.0]]


def test_bitcast_divides_and_joins_bytes():
    words = Operand(np.array([[0x0102, -1]], np.int16), "int16")
    divided = movement.bitcast(words, OutputSpec("int8", ()))
    assert divided.tolist() == [[[2, 1], [-1, -1]]]
    joined = movement.bitcast(Operand(divided, "int8"), OutputSpec("uint16", ()))
    assert joined.tolist() == [[0x0102, 0xFFFF]]
    with pytest.raises(RunError, match="does not hold one int32"):
        movement.bitcast(Operand(np.zeros((2, 3), np.int16), "int16"), OutputSpec("int32", ()))


def test_dilate_inserts_padding_between_values():
    between = value(7).data.reshape(())
    made = indexing.dilate(value([[1, 2], [3, 4]]), index(1, 3), Operand(between, "int8"), OUT)
    assert made.tolist() == [[1, 7, 7, 2], [3, 7, 7, 4]]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ((2, 1, 3), [[0, 1], [2], [3, 4, 5]]),
        ((2, -1, 1), [[0, 1], [2, 3, 4], [5]]),
        ((-1, 6, 0), [[], [0, 1, 2, 3, 4, 5], []]),
    ],
)
def test_parts_of_given_lengths(sizes, expected):
    """A single length of -1 is the rest of the dimension."""
    made = movement.split_v(value([range(6)]), index(*sizes), index(1), (OUT,) * 3)
    assert [part.tolist() for part in made] == [[part] for part in expected]

"""TRANSPOSE_CONV, calculated by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.reference.kernels.transpose_conv import transpose_conv, transpose_conv_float
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError
from tests.reference.kernels.layers import RELU, SAME, VALID, output, real, stored


def options(padding: int, down: int, across: int, fused: int = 0) -> Table:
    fields = {"padding": padding, "stride_h": down, "stride_w": across, "fused_activation_function": fused}
    return Table("TransposeConvOptions", fields)


def shape(*dims: int) -> Operand:
    return Operand(np.array(dims, np.int32), "int32")


#: A filter of 2 rows and 3 columns, and an image of 2 rows and 1 column, of a single channel each.
FILTER, IMAGE = [[[[1], [2], [3]], [[4], [5], [6]]]], [[[[1]], [[10]]]]


@pytest.mark.parametrize(
    ("wanted", "padding", "down", "across", "expected"),
    [
        ((1, 3, 3, 1), VALID, 1, 1, [[1, 2, 3], [14, 25, 36], [40, 50, 60]]),
        ((1, 4, 3, 1), VALID, 2, 1, [[1, 2, 3], [4, 5, 6], [10, 20, 30], [40, 50, 60]]),
        ((1, 4, 4, 1), VALID, 2, 1, [[1, 2, 3, 0], [4, 5, 6, 0], [10, 20, 30, 0], [40, 50, 60, 0]]),
        ((1, 2, 1, 1), SAME, 1, 1, [[2], [25]]),
        ((1, 4, 2, 1), SAME, 2, 2, [[1, 2], [4, 5], [10, 20], [40, 50]]),
        ((1, 2, 2, 1), VALID, 1, 1, [[1, 2], [14, 25]]),
    ],
)
def test_padding_and_strides(
    wanted: tuple[int, ...], padding: int, down: int, across: int, expected: Any
) -> None:
    given = options(padding, down, across)
    made = transpose_conv(
        shape(*wanted), stored(FILTER), stored(IMAGE), None, output(), given, {"requantize": "double"}
    )
    assert made[0, ..., 0].tolist() == expected
    spec = OutputSpec("float32", wanted)
    made = transpose_conv_float(shape(*wanted), real(FILTER), real(IMAGE), None, spec, given)
    assert made[0, ..., 0].tolist() == expected


@pytest.mark.parametrize(
    ("weight", "image", "bias", "spec", "fused", "expected"),
    [
        # two filters of one pixel and two channels: 1 * 3 - 2 * 4 and 5 * 3 + 6 * 4
        ([[1, -2], [5, 6]], stored([[[[3, 4]]]]), None, output(), 0, [-5, 39]),
        ([[1, -2], [5, 6]], stored([[[[3, 4]]]]), [10, 20], output(), 0, [5, 59]),
        ([[1, -2], [5, 6]], stored([[[[3, 4]]]]), [10, 20], output(0.5, 7), 0, [17, 125]),
        ([[1, -2], [5, 6]], stored([[[[3, 4]]]]), None, output(), RELU, [0, 39]),
        ([[1, -2], [5, 6]], stored([[[[10, 11]]]], 0.5, 7), None, output(0.5), 0, [-5, 39]),
        ([[1, -2], [5, 6]], stored([[[[3, 4]]]], dtype="int16"), None, output(1.0, 0, "int16"), 0, [-5, 39]),
    ],
)
def test_channels(
    weight: Any, image: Operand, bias: Any, spec: OutputSpec, fused: int, expected: list[int]
) -> None:
    filters = stored(np.array(weight).reshape(2, 1, 1, 2))
    added = None if bias is None else stored(bias, dtype="int32")
    made = transpose_conv(shape(1, 1, 1, 2), filters, image, added, spec, options(VALID, 1, 1, fused),
                          {"requantize": "double"})  # fmt: skip
    assert (made.ravel().tolist(), made.dtype) == (expected, np.dtype(spec.dtype))


def test_scales_of_channels() -> None:
    filters = stored(np.array([[1], [1]]).reshape(2, 1, 1, 1), [1.0, 0.5])
    made = transpose_conv(shape(1, 1, 1, 2), filters, stored([[[[8]]]]), None, output(), options(VALID, 1, 1),
                          {"requantize": "double"})  # fmt: skip
    assert made.ravel().tolist() == [8, 4]


def test_weight_zero_points_count_for_uint8_only() -> None:
    """(5 - 3) * (9 - 7) is 4."""
    for dtype, expected in (("uint8", 4), ("int8", 10)):
        filters = stored(np.array([5]).reshape(1, 1, 1, 1), 1.0, 3, dtype)
        made = transpose_conv(shape(1, 1, 1, 1), filters, stored([[[[9]]]], 1.0, 7, dtype), None,
                              output(1.0, 0, dtype), options(VALID, 1, 1), {"requantize": "double"})  # fmt: skip
        assert made.ravel().tolist() == [expected]


@pytest.mark.parametrize(("count", "halves"), [(15, 0), (16, 16), (17, 16), (33, 32)])
def test_outputs_that_fill_vectors_of_sixteen_round_half_up(count: int, halves: int) -> None:
    """-3 / 2 is -1 half up and -2 half away from zero."""
    filters, image = (
        stored(np.array([1]).reshape(1, 1, 1, 1), 0.25, 128, "uint8"),
        np.full((1, 1, count, 1), 128 - 6),
    )
    filters = stored(np.array([129]).reshape(1, 1, 1, 1), 0.25, 128, "uint8")
    made = transpose_conv(shape(1, 1, count, 1), filters, stored(image, 1.0, 128, "uint8"), None,
                          output(1.0, 100, "uint8"), options(VALID, 1, 1), {"requantize": "double-by-sixteen"})  # fmt: skip
    assert made.ravel().tolist() == [99] * halves + [98] * (count - halves)


def test_reals_with_a_bias_and_an_activation() -> None:
    spec = OutputSpec("float32", ())
    made = transpose_conv_float(shape(1, 1, 1, 2), real([[[[1]]], [[[-1]]]]), real([[[[2]]]]), real([0.5, 0.5]), spec,
                                options(VALID, 1, 1, RELU))  # fmt: skip
    assert made.ravel().tolist() == [2.5, 0.0]


def test_operands_that_do_not_fit() -> None:
    given = options(VALID, 1, 1)
    with pytest.raises(RunError, match="output_shape holds 3 numbers, not 4"):
        transpose_conv(
            shape(1, 1, 1), stored(FILTER), stored(IMAGE), None, output(), given, {"requantize": "double"}
        )
    with pytest.raises(RunError, match="no kernel for float32 activations under int8 weights"):
        transpose_conv_float(shape(1, 3, 3, 1), stored(FILTER), real(IMAGE), None, output(), given)

"""REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_ANY, REDUCE_ALL, ARG_MAX and ARG_MIN, calculated by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.reference.kernels import reduce_minmax as kernels
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError
from tests.reference.kernels.layers import output, real, stored

KEEP = Table("ReducerOptions", {"keep_dims": True})
VALUES = [[3, -7, 5], [-2, 9, 0]]
RESCALE, COPY = {"one_factor": "rescale"}, {"one_factor": "copy"}


def axis(*numbers: int) -> Operand:
    return Operand(np.array(numbers, np.int32), "int32")


@pytest.mark.parametrize(
    ("kernel", "axes", "options", "expected"),
    [
        (kernels.reduce_max, (1,), None, [5, 9]),
        (kernels.reduce_max, (0,), None, [3, 9, 5]),
        (kernels.reduce_max, (0, 1), None, 9),
        (kernels.reduce_max, (-1,), KEEP, [[5], [9]]),
        (kernels.reduce_min, (1,), None, [-7, -2]),
        (kernels.reduce_min, (0,), None, [-2, -7, 0]),
        (kernels.reduce_min, (0, 1), None, -7),
        (kernels.reduce_min, (-2,), KEEP, [[-2, -7, 0]]),
    ],
)
def test_extremes(kernel: Any, axes: tuple[int, ...], options: Table | None, expected: Any) -> None:
    for dtype in ("int8", "int32", "float32"):
        made = kernel(stored(VALUES, dtype=dtype), axis(*axes), output(dtype=dtype), options)
        assert (made.tolist(), made.dtype) == (expected, np.dtype(dtype))


def test_extremes_without_elements_are_the_limits_of_the_type() -> None:
    for dtype in ("int8", "uint8", "int16", "float32"):
        limits = np.finfo(dtype) if dtype == "float32" else np.iinfo(dtype)
        empty = stored(np.zeros((2, 0)), dtype=dtype)
        assert kernels.reduce_max(empty, axis(1), output(dtype=dtype), None).tolist() == [limits.min] * 2
        assert kernels.reduce_min(empty, axis(1), output(dtype=dtype), None).tolist() == [limits.max] * 2


@pytest.mark.parametrize(
    ("kernel", "axes", "options", "expected"),
    [
        (kernels.reduce_any, (1,), None, [True, False, True]),
        (kernels.reduce_any, (1,), KEEP, [[True], [False], [True]]),
        (kernels.reduce_all, (1,), None, [False, False, True]),
        (kernels.reduce_all, (0,), KEEP, [[False, False]]),
        (kernels.reduce_any, (0, 1), None, True),
        (kernels.reduce_all, (0, 1), None, False),
    ],
)
def test_bools(kernel: Any, axes: tuple[int, ...], options: Table | None, expected: Any) -> None:
    given = stored([[True, False], [False, False], [True, True]], dtype="bool")
    assert kernel(given, axis(*axes), OutputSpec("bool", ()), options).tolist() == expected


@pytest.mark.parametrize(
    ("values", "scale", "zero", "out", "out_zero", "expected"),
    [
        # (6 * 0.5) * (4 * 0.5) is 6 or 24 steps of 0.25
        ([6, 4], 0.5, 0, 0.25, 0, 24),
        ([6, -4], 0.5, 0, 0.25, 3, -21),
        ([9, 7], 0.5, 3, 0.25, 0, 24),
        ([100, 100], 0.5, 0, 0.25, 0, 127),
        ([100, -100], 0.5, 0, 0.25, 0, -128),
        ([2, 2, 2, 2], 1.0, 0, 1.0, 0, 16),
        ([6], 0.5, 0, 0.25, 0, 12),
    ],
)
def test_product_of_integers(
    values: list[int], scale: float, zero: int, out: float, out_zero: int, expected: int
) -> None:
    made = kernels.reduce_prod(stored(values, scale, zero), axis(0), output(out, out_zero), None, RESCALE)
    assert made.tolist() == expected


def test_product_along_an_axis() -> None:
    given = stored([[1, 2], [3, 4]], 1.0)
    assert kernels.reduce_prod(given, axis(0), output(1.0), None, RESCALE).tolist() == [3, 8]
    assert kernels.reduce_prod(given, axis(1), output(1.0), KEEP, RESCALE).tolist() == [[2], [12]]


def test_product_of_one_factor() -> None:
    """A variant copies the stored integer; two factors are never copied."""
    given = stored([[6], [7]], 0.5)
    assert kernels.reduce_prod(given, axis(1), output(0.25), None, COPY).tolist() == [6, 7]
    assert kernels.reduce_prod(given, axis(1), output(0.25), None, RESCALE).tolist() == [12, 14]
    assert kernels.reduce_prod(stored([6, 4], 0.5), axis(0), output(0.25), None, COPY).tolist() == 24


def test_product_without_elements() -> None:
    for shape, dimension, expected in (((2, 0), 1, [0, 0]), ((0, 2), 1, [])):
        made = kernels.reduce_prod(stored(np.zeros(shape)), axis(dimension), output(), None, RESCALE)
        assert made.tolist() == expected


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32"])
def test_plain_product(dtype: str) -> None:
    given = stored([[2, -3, 4], [5, 1, 0]], dtype=dtype)
    made = kernels.reduce_prod_plain(given, axis(1), output(dtype=dtype), None)
    assert (made.tolist(), made.dtype) == ([-24, 0], np.dtype(dtype))
    assert kernels.reduce_prod_plain(given, axis(0), output(dtype=dtype), KEEP).tolist() == [[10, -3, 0]]
    empty = stored(np.zeros((2, 0)), dtype=dtype)
    assert kernels.reduce_prod_plain(empty, axis(1), output(dtype=dtype), None).tolist() == [1, 1]


def test_integer_products_wrap() -> None:
    given = stored([2**30, 2, 2], dtype="int32")
    assert kernels.reduce_prod_plain(given, axis(0), output(dtype="int32"), None).tolist() == 0


def test_places_of_extremes() -> None:
    """The first of equal values counts."""
    given = stored([[3, 9, 9], [-5, 4, -5]])
    spec = OutputSpec("int32", ())
    assert kernels.arg_max(given, axis(1), spec).tolist() == [1, 1]
    assert kernels.arg_min(given, axis(-1), spec).tolist() == [0, 0]
    assert kernels.arg_max(given, axis(0), spec).tolist() == [0, 0, 0]
    assert kernels.arg_min(real([2.5, -1.5]), axis(0), spec).tolist() == 1


@pytest.mark.parametrize("kernel", [kernels.arg_max, kernels.arg_min])
def test_places_need_one_axis_with_elements(kernel: Any) -> None:
    with pytest.raises(RunError, match="one axis is needed, not 2"):
        kernel(stored(VALUES), axis(0, 1), OutputSpec("int32", ()))
    with pytest.raises(RunError, match="the axis is empty"):
        kernel(stored(np.zeros((2, 0))), axis(1), OutputSpec("int32", ()))
    assert kernel(stored(np.zeros((0, 2))), axis(1), OutputSpec("int32", ())).tolist() == []

"""Reductions: outputs near the real values, axes, empty inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litecheck.flatbuffer.table import Table
from litecheck.quantization import Quantization
from litecheck.reference.kernels import reduce, reduce_minmax
from litecheck.reference.numerics.axes import reduced_axes, reduction_view, shape_after
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError

KEEP = Table("ReducerOptions", {"keep_dims": True})
HOW = ("double", "single", "optimized", "xnnpack")


def value(array: Any, scale: float = 0.5, zero: int = -3, dtype: str = "int8") -> Operand:
    quantization = Quantization(np.array([scale], np.float32), np.array([zero], np.int64))
    return Operand(np.asarray(array, dtype), dtype, quantization)


def result(scale: float = 0.5, zero: int = -3, dtype: str = "int8") -> OutputSpec:
    return OutputSpec(dtype, (), Quantization(np.array([scale], np.float32), np.array([zero], np.int64)))


def axis(*numbers: int) -> Operand:
    return Operand(np.array(numbers, np.int32), "int32")


@given(st.lists(st.integers(-128, 127), min_size=1, max_size=300), st.floats(2.0**-6, 1, width=32),
       st.floats(2.0**-6, 1, width=32), st.integers(-128, 127), st.integers(-128, 127))  # fmt: skip
def test_means_and_sums_are_within_a_step_of_the_real_result(
    stored: list[int], scale: float, out: float, a: int, b: int
) -> None:
    x, to = value(stored, scale, a), result(out, b)
    reals = float(x.scale) * (np.array(stored) - a)
    for kernel, exact in ((reduce.mean, reals.mean()), (reduce.sum_, reals.sum())):
        wanted = exact / float(to.scale) + b
        for variant in (*HOW, "float32"):
            made = float(kernel(x, axis(0), to, None, {"requantize": variant}))
            # The second of two roundings may turn a quarter into a whole step; 1 / n in the multiplier is truncated.
            assert made == np.clip(made, -128, 127)
            assert abs(made - np.clip(wanted, -128, 127)) <= 0.76 + 1e-4 * abs(wanted)


@pytest.mark.parametrize("variant", HOW)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 40))
def test_the_mean_of_a_constant_image_is_the_constant(
    variant: str, height: int, width: int, depth: int
) -> None:
    image = np.broadcast_to(np.arange(depth), (2, height, width, depth))
    made = reduce.mean(value(image), axis(1, 2), result(), KEEP, {"requantize": variant})
    assert made.shape == (2, 1, 1, depth)
    assert np.array_equal(made[:, 0, 0], image[:, 0, 0])


@pytest.mark.parametrize(
    ("named", "rank", "wanted"),
    [((0,), 3, (0,)), ((-1,), 3, (2,)), ((2, 0, -1), 3, (0, 2)), ((), 3, ()), ((0,), 0, ())],
)
def test_axes(named: tuple[int, ...], rank: int, wanted: tuple[int, ...]) -> None:
    assert reduced_axes(axis(*named), rank) == wanted


@pytest.mark.parametrize("wrong", [3, -4])
def test_an_axis_beyond_the_rank_is_rejected(wrong: int) -> None:
    with pytest.raises(RunError, match=f"axis {wrong}"):
        reduced_axes(axis(wrong), 3)


def test_shapes_with_and_without_kept_dimensions() -> None:
    assert shape_after((2, 3, 4), (0, 2), KEEP) == (1, 3, 1)
    assert shape_after((2, 3, 4), (0, 2), None) == (3,)


def test_lanes_keep_row_major_order() -> None:
    x = np.arange(24).reshape(2, 3, 4)
    assert reduction_view(x, (0, 2)).tolist() == [x[:, i].ravel().tolist() for i in range(3)]


def test_float_sums_run_in_order() -> None:
    x = Operand(np.float32([1e8, 1, -1e8, 1]), "float32")
    assert reduce.sum_plain(x, axis(0), OutputSpec("float32", ()), None) == 1
    assert reduce.mean_plain(x, axis(0), OutputSpec("float32", ()), None) == 0.25


def test_integer_means_truncate_towards_zero() -> None:
    x = Operand(np.int32([[-3, -4], [3, 4]]), "int32")
    assert reduce.mean_plain(x, axis(1), OutputSpec("int32", ()), None).tolist() == [-3, 3]


@pytest.mark.parametrize(
    ("n", "total", "scale", "zero", "out", "out_zero", "wanted"),
    [
        (
            2,
            -5,
            0.21,
            -10,
            0.15,
            7,
            17,
        ),  # 17.5: 18, except if the zero points are subtracted first
        (3, -252, 1.0, -7, 0.88, 7, -80),  # -80.5: -81 if the scales are divided before 1 / n is rounded
        (6, 591, 0.79, 7, 0.79, -12, 80),
    ],
)
def test_xnnpack_rounds_scale_zero_point_and_output_in_sequence(
    n: int, total: int, scale: float, zero: int, out: float, out_zero: int, wanted: int
) -> None:
    share, rest = divmod(total, n)
    x = value([share] * (n - rest) + [share + 1] * rest, scale, zero)
    made = reduce.mean(x, axis(0), result(out, out_zero), None, {"requantize": "xnnpack"})
    assert int(made) == wanted


def test_reductions_without_elements() -> None:
    x = value(np.zeros((2, 0)))
    assert reduce.mean(x, axis(1), result(), None, {"requantize": "double"}).tolist() == [0, 0]
    assert reduce.sum_(x, axis(1), result(), None, {"requantize": "xnnpack"}).tolist() == [-3, -3]
    assert reduce_minmax.reduce_max(x, axis(1), result(), None).tolist() == [-128, -128]
    assert reduce_minmax.reduce_min(x, axis(1), result(), None).tolist() == [127, 127]
    assert np.isnan(
        reduce.mean_plain(
            Operand(np.zeros((1, 0), np.float32), "float32"), axis(1), result(dtype="float32"), None
        )
    )


@pytest.mark.parametrize(
    ("exclusive", "backwards", "wanted"),
    [(False, False, [1, 3, 6]), (True, False, [0, 1, 3]), (False, True, [6, 5, 3]), (True, True, [5, 3, 0])],
)
def test_running_sums(exclusive: bool, backwards: bool, wanted: list[int]) -> None:
    options = Table("CumsumOptions", {"exclusive": exclusive, "reverse": backwards})
    made = reduce.cumsum(Operand(np.int32([1, 2, 3]), "int32"), axis(0), OutputSpec("int32", ()), options)
    assert made.tolist() == wanted


def test_the_first_of_equals_is_found() -> None:
    x = value([[5, 7, 7], [1, 1, 9]])
    assert reduce_minmax.arg_max(x, axis(-1), result()).tolist() == [1, 2]
    assert reduce_minmax.arg_min(x, axis(1), result()).tolist() == [0, 0]
    with pytest.raises(RunError, match="empty"):
        reduce_minmax.arg_max(value(np.zeros((2, 0))), axis(1), result())


def test_products_are_rescaled_after_each_factor() -> None:
    # (0.5 * 4)^3 = 8 = 0.5 * (13 + 3)
    made = reduce_minmax.reduce_prod(value([1, 1, 1]), axis(0), result(), None, {"one_factor": "rescale"})
    assert made.tolist() == 13
    untouched = reduce_minmax.reduce_prod(value([7]), axis(), result(2.0), None, {"one_factor": "copy"})
    assert untouched.tolist() == [7]

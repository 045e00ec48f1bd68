"""Pooling compared with its definition, window by window."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from litecheck.flatbuffer.table import Table
from litecheck.quantization import Quantization
from litecheck.reference.kernels import pool
from litecheck.reference.numerics import pooled_means
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError

Q = Quantization(np.array([0.5], np.float32), np.array([-3], np.int64))
OUT = OutputSpec("int8", (), Q)
SAME, VALID = 0, 1
PLAIN = {"bounds": "half-away"}
HALF = Fraction(1, 2)
#: Every rounding by its definition; Python's round() is half to even, int() truncates.
ROUND: dict[str, Callable[[Fraction], int]] = {
    "half-away": lambda x: int(abs(x) + HALF) * (1 if x > 0 else -1),
    "half-up": lambda x: math.floor(x + HALF),
    "half-even": round,
    "floor": math.floor,
    "truncate": int,
}


def options(filters: tuple[int, int], strides: tuple[int, int], padding: int, activation: int = 0) -> Table:
    fields = {
        "filter_height": filters[0], "filter_width": filters[1], "stride_h": strides[0], "stride_w": strides[1],
        "padding": padding, "fused_activation_function": activation,
    }  # fmt: skip
    return Table("Pool2DOptions", fields)


def windows(
    x: NDArray[Any], filters: tuple[int, int], strides: tuple[int, int], padding: int
) -> list[list[NDArray[Any]]]:
    """Return the elements of an image (height, width) that each window covers, by the definition of SAME and VALID."""
    spans = []
    for size, taps, stride in zip(x.shape, filters, strides, strict=True):
        count = -(-size // stride) if padding == SAME else (size - taps) // stride + 1
        before = max(0, (count - 1) * stride + taps - size) // 2
        spans.append(
            [(max(0, i * stride - before), min(size, i * stride - before + taps)) for i in range(count)]
        )
    return [[x[a:b, c:d] for c, d in spans[1]] for a, b in spans[0]]


SIZES = st.tuples(st.integers(1, 7), st.integers(1, 7))


@given(SIZES, st.tuples(st.integers(1, 4), st.integers(1, 4)), st.tuples(st.integers(1, 3), st.integers(1, 3)),
       st.sampled_from([SAME, VALID]), st.randoms(use_true_random=False))  # fmt: skip
def test_pools_equal_their_definition(
    size: tuple[int, int], filters: tuple[int, int], strides: tuple[int, int], padding: int, random: Any
) -> None:
    if padding == VALID:
        filters = min(filters[0], size[0]), min(filters[1], size[1])
    x = np.array([random.randint(-128, 127) for _ in range(size[0] * size[1])], np.int8).reshape(size)
    value, given_options = Operand(x[None, :, :, None], "int8", Q), options(filters, strides, padding)
    means = {
        name: pool.average_pool_2d(value, OUT, given_options, {"round": name})[0, :, :, 0] for name in ROUND
    }
    largest = pool.max_pool_2d(value, OUT, given_options, PLAIN)[0, :, :, 0]
    for row, across in enumerate(windows(x, filters, strides, padding)):
        for column, window in enumerate(across):
            exact = Fraction(int(window.astype(int).sum()), window.size)
            for name, rounded in ROUND.items():
                assert means[name][row, column] == rounded(exact), name
            assert largest[row, column] == window.max()


def test_every_rounding_has_a_definition() -> None:
    assert tuple(ROUND) == tuple(pooled_means.ROUND)


def test_an_activation_clamps() -> None:
    x = Operand(np.arange(-8, 8, dtype=np.int8).reshape(1, 4, 4, 1), "int8", Q)
    made = pool.max_pool_2d(x, OUT, options((1, 1), (1, 1), SAME, activation=1), PLAIN)
    assert made.min() == -3  # RELU at zero point -3


def test_float_sums_run_row_by_row() -> None:
    x = Operand(np.float32([[1e8, 1.0], [-1e8, 1.0]]).reshape(1, 2, 2, 1), "float32")
    made = pool.average_pool_2d_float(x, OutputSpec("float32", ()), options((2, 2), (1, 1), VALID))
    assert made.ravel().tolist() == [0.25]  # ((1e8 + 1) - 1e8) + 1 is 1 in float32


def test_roots_of_mean_squares() -> None:
    x = Operand(np.float32([3, 4, 0, 0]).reshape(1, 2, 2, 1), "float32")
    made = pool.l2_pool_2d(x, OutputSpec("float32", ()), options((2, 2), (1, 1), VALID))
    assert made.ravel().tolist() == [2.5]


@pytest.mark.parametrize(
    "given_options", [None, options((0, 1), (1, 1), SAME), options((1, 1), (1, 0), SAME)]
)
def test_a_filter_that_does_not_slide_is_refused(given_options: Table | None) -> None:
    with pytest.raises(RunError):
        pool.max_pool_2d(Operand(np.zeros((1, 2, 2, 1), np.int8), "int8", Q), OUT, given_options, PLAIN)


def test_a_window_of_padding_only_is_rejected() -> None:
    x = Operand(np.zeros((1, 0, 2, 1), np.int8), "int8", Q)
    made = pool.average_pool_2d(x, OUT, options((1, 1), (1, 1), SAME), {"round": "half-away"})
    assert made.shape == (1, 0, 2, 1)


def test_a_bound_that_is_a_tie_is_rounded_to_even_where_xnnpack_pools() -> None:
    """6 / 0.8 is 7.5 steps: 8 plus the zero point 3 is 11; 7.5 + 3 = 10.5 to even is 10."""
    x = Operand(np.full((1, 1, 1, 1), 100, np.int8), "int8", Q)
    out = OutputSpec("int8", (), Quantization(np.float32([0.8]), np.int64([3])))
    bounded, even = options((1, 1), (1, 1), SAME, activation=3), {"bounds": "half-even"}
    assert pool.max_pool_2d(x, out, bounded, PLAIN).item() == 11
    assert pool.max_pool_2d(x, out, bounded, even).item() == 10
    assert pool.max_pool_2d(x, out, bounded, even, frozenset()).item() == 11

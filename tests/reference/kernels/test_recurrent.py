"""SVDF in integers, calculated by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.reference.kernels.recurrent import svdf, svdf_float
from litecheck.reference.runtime_tensors import Operand, Outputs, RunError

from .layers import output, real, stored

RELU = {"requantize": "double", "activation": "relu"}
#: Minus the zero point 1: 2 and 3.
INPUT = stored([[3, 4]], 0.5, 1)
#: Newest entries 2 * 1 + 3 * 2 = 8 and 2 * 3 - 3 = 3, in the state's steps of 0.25 times two: 16 and 6.
FEATURE = stored([[1, 2], [3, -1]])
TIME = stored([[1, 2], [3, 4]])
#: Two entries of memory for each filter; each step removes the older entry.
STATE = stored([[7, 5, 9, -2]], 0.25, dtype="int16")


def options(rank: int, fused: int = 1) -> Table:
    return Table("SVDFOptions", {"rank": rank, "fused_activation_function": fused})


def computed(rank: int, bias: Operand | None = None, scale: float = 0.25, **variants: Any) -> Outputs:
    return svdf(INPUT, FEATURE, TIME, bias, STATE, output(scale, -10), options(rank), {**RELU, **variants})


@pytest.mark.parametrize(
    ("rank", "bias", "expected"),
    [
        (1, None, [27, 8]),  # 5 * 1 + 16 * 2 = 37 and -2 * 3 + 6 * 4 = 18, less 10
        (1, [3, -4], [30, 4]),
        (2, None, [45]),  # 37 + 18 = 55, less 10
        (2, [-5], [40]),
    ],
)
def test_a_step(rank: int, bias: list[int] | None, expected: list[int]) -> None:
    made = computed(rank, None if bias is None else stored(bias, 0.25, dtype="int32"))
    assert made.outputs[0].tolist() == [expected]
    assert made.outputs[0].dtype == np.int8
    assert made.state["state"].tolist() == [[5, 16, -2, 6]]
    assert made.state["state"].dtype == np.int16


def test_outputs_are_rescaled_and_end_at_the_type() -> None:
    """37 / 8 = 4.625 and 18 / 8 = 2.25; 37 and 18 times 5 are beyond 127 and 80."""
    assert computed(1, scale=2.0).outputs[0].tolist() == [[-5, -8]]
    assert computed(1, scale=0.05).outputs[0].tolist() == [[127, 80]]


@pytest.mark.parametrize(("rank", "fused"), [(0, 1), (-1, 1), (1, 0), (1, 3)])
def test_options_without_a_kernel(rank: int, fused: int) -> None:
    with pytest.raises(RunError, match="wants RELU and a rank of at least 1"):
        svdf(INPUT, FEATURE, TIME, None, STATE, output(0.25, -10), options(rank, fused), RELU)


def test_an_activation_that_is_ignored() -> None:
    variants = {**RELU, "activation": "ignored"}
    made = svdf(INPUT, FEATURE, TIME, None, STATE, output(0.25, -10), options(1, 0), variants)
    assert made.outputs[0].tolist() == [[27, 8]]
    with pytest.raises(RunError, match="rank"):
        svdf(INPUT, FEATURE, TIME, None, STATE, output(0.25, -10), options(0, 0), variants)


def test_a_newest_entry_ends_at_the_type_of_the_state() -> None:
    """16 and 6 times 100 in int8."""
    state = stored([[7, 5, 9, -2]], 0.0025)
    made = svdf(INPUT, FEATURE, TIME, None, state, output(0.25, -10), options(1), RELU)
    assert made.state["state"].tolist() == [[5, 127, -2, 127]]


@pytest.mark.parametrize(
    ("rank", "fused", "bias", "expected"),
    [
        (1, 0, None, [[16.5, -8.0]]),
        (2, 0, None, [[8.5]]),
        (1, 1, None, [[16.5, 0.0]]),
        (1, 3, [-12.0, 9.0], [[4.5, 1.0]]),
    ],
)
def test_a_step_in_float32(
    rank: int, fused: int, bias: list[float] | None, expected: list[list[float]]
) -> None:
    """Newest entries 2 * 1 + 3 * 2 = 8 and 2 * 1 - 3 = -1; 0.5 * 1 + 8 * 2 = 16.5 and -2 * 2 - 1 * 4 = -8."""
    made = svdf_float(
        real([[2, 3]]), real([[1, 2], [1, -1]]), real([[1, 2], [2, 4]]), None if bias is None else real(bias),
        real([[7, 0.5, 9, -2]]), output(dtype="float32"), options(rank, fused),
    )  # fmt: skip
    assert made.outputs[0].tolist() == expected
    assert made.state["state"].tolist() == [[0.5, 8.0, -2.0, -1.0]]


def test_a_step_with_int8_weights() -> None:
    """The row (1, -1) is stored as 127, -127 with scale 1/127: (2 - 1) * 127 / 127 * 0.5 = 0.5; 0.5 * 4 * 0.25 = 0.5."""
    feature, time = stored([[2, 1]], 0.5, 0), stored([[4]], 0.25, 0)
    made = svdf_float(
        real([[1, -1]]), feature, time, None, real([[7]]), output(dtype="float32"), options(1, 0)
    )
    assert made.outputs[0].tolist() == [[0.5]]
    with pytest.raises(RunError, match="float32 or int8 weights"):
        svdf_float(
            real([[1, -1]]), feature, real([[1]]), None, real([[7]]), output(dtype="float32"), options(1, 0)
        )


def test_a_step_in_float32_needs_a_rank() -> None:
    for given in (options(0, 0), None):
        with pytest.raises(RunError, match="a rank of at least 1 is needed"):
            svdf_float(
                real([[1]]), real([[1]]), real([[1]]), None, real([[1]]), output(dtype="float32"), given
            )

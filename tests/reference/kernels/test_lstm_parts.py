"""The parts of an integer LSTM, with numbers calculated by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.reference.kernels.lstm_parts import CELL_ACTIVATIONS, LayerNorm, Peephole, product
from litecheck.reference.numerics.fixedpoint import quantize_multiplier
from litecheck.reference.runtime_tensors import RunError
from tests.reference.kernels.layers import stored

HALF, ONE = quantize_multiplier(0.5), quantize_multiplier(1.0)


def ints(*values: Any) -> Any:
    return np.array(values, np.int64)


@pytest.mark.parametrize(
    ("zero", "bias", "real", "expected"),
    [
        # 1 * 5 + 2 * 7 = 19 and 3 * 5 - 4 * 7 = -13
        (0, None, 1.0, [19, -13]),
        (0, [100, -100], 1.0, [119, -113]),
        (3, None, 1.0, [19 - 9, -13 + 3]),
        (3, [100, -100], 0.5, [55, -55]),
        (0, None, 0.25, [5, -3]),
    ],
)
def test_product(zero: int, bias: Any, real: float, expected: list[int]) -> None:
    weights = stored([[1, 2], [3, -4]])
    made = product(weights, zero, np.float32(real), None if bias is None else stored(bias, dtype="int32"))
    assert made(ints(5, 7)).tolist() == expected
    assert made(ints([5, 7], [5, 7])).tolist() == [expected, expected]


@pytest.mark.parametrize(
    ("counted", "alone", "expected"),
    [
        (3, False, [[2, 6, 12], [8, 15, 24]]),
        # 2 outputs for 3 cells: the first 2 * 2 cells have the coefficients 2 and 3 alternately
        (2, False, [[2, 6, 6], [12, 0, 0]]),
        (2, True, [[2, 6, 0], [8, 15, 0]]),
        (1, False, [[2, 4, 0], [0, 0, 0]]),
        (0, False, [[0, 0, 0], [0, 0, 0]]),
    ],
)
def test_peephole(counted: int, alone: bool, expected: Any) -> None:
    made = Peephole(ints(2, 3, 4), ONE, counted, alone)
    assert made(ints([1, 2, 3], [4, 5, 6])).tolist() == expected
    assert Peephole(ints(2, 3, 4), HALF, 3)(ints([2, 4, 6])).tolist() == [[2, 6, 12]]


def test_more_outputs_than_cells() -> None:
    with pytest.raises(RunError, match="counts peepholes by outputs"):
        Peephole(ints(2, 3, 4), ONE, 4)(ints([1, 2, 3]))


@pytest.mark.parametrize("name", ["gemmlowp", "table"])
def test_curves(name: str) -> None:
    """Inputs are in steps of 2^-12, outputs of 2^-15; an error of 16 steps is 0.0005."""
    curves, real = CELL_ACTIVATIONS[name], np.arange(-(2**15), 2**15, 97)
    logistic = curves.logistic(real) / 2**15
    np.testing.assert_allclose(logistic, 1 / (1 + np.exp(-real / 2**12)), atol=16 / 2**15)
    for bits in (0, 2, 3, 4, 6):
        made = curves.tanh(real, bits) / 2**15
        np.testing.assert_allclose(made, np.tanh(real / 2 ** (15 - bits)), atol=16 / 2**15)


@pytest.mark.parametrize(
    ("name", "quarters"), [("gemmlowp", [1, 2, -2, -1, 2]), ("table", [2, 2, -2, -1, 2])]
)
def test_shifts_round_half_away(name: str, quarters: list[int]) -> None:
    """The table's variant rounds twice: 5 / 2 is 3 first, and 3 / 2 is 2."""
    assert CELL_ACTIVATIONS[name].shift_right(ints(5, 6, -6, -5, 8), 2).tolist() == quarters


def test_normalization_of_a_row() -> None:
    """(-1, 1) * 100 has mean 0 and deviation 100: -1 and 1 in steps of 1/1024, times 2048 * 2^-12 in Q3.12."""
    norm = LayerNorm.of(stored([2048, 1024], 2.0**-11, dtype="int16"), stored([0, 1024 * 512], dtype="int32"))
    assert norm.guard == 4
    made = norm(ints([-100, 100], [-3, 3]))
    assert made.tolist() == [[-4096, 3072], [-4096, 3072]]


def test_normalization_subtracts_the_mean() -> None:
    norm = LayerNorm.of(stored([1024] * 4, 2.0**-10, dtype="int16"), stored([0] * 4, dtype="int32"))
    made = norm(ints([1000, 1200, 1000, 1200], [-1200, -1000, -1200, -1000]))
    np.testing.assert_allclose(made, [[-4096, 4096] * 2] * 2, atol=8)


def test_a_row_without_variance_has_the_least_variance() -> None:
    """The outputs of a row without variance are the bias: 2048 / 1024 * 2^-10 in Q3.12 is 8."""
    norm = LayerNorm.of(stored([1024] * 2, 2.0**-10, dtype="int16"), stored([2048] * 2, dtype="int32"))
    assert norm(ints([7, 7])).tolist() == [[8, 8]]


@pytest.mark.parametrize(("scale", "guard"), [(2.0**-20, 1), (0.001, 10), (1.0, 10000)])
def test_least_variance(scale: float, guard: int) -> None:
    assert LayerNorm.of(stored([1], scale, dtype="int16"), stored([0], dtype="int32")).guard == guard


def test_normalization_saturates() -> None:
    norm = LayerNorm.of(stored([32767] * 2, 1.0, dtype="int16"), stored([0] * 2, dtype="int32"))
    assert norm(ints([-100, 100])).tolist() == [[-(2**15), 2**15 - 1]]


def test_normalization_needs_a_bias() -> None:
    with pytest.raises(RunError, match="layer normalization needs the gate's bias"):
        LayerNorm.of(stored([1], dtype="int16"), None)

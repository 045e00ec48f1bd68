"""Lookup tables: entries by hand, one table for any shape, interpolation between entries."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.quantization import Quantization
from litecheck.reference.numerics.lookup import (
    TILE,
    each_value,
    entries,
    interpolate,
    quotient,
    take_entries,
    words,
)
from litecheck.reference.runtime_tensors import Operand, OutputSpec


def ends(scale=0.5, zero=0, scale_out=1.0, zero_out=0, dtype="int8"):
    source = Quantization(np.float32([scale]), np.int64([zero]))
    target = Quantization(np.float32([scale_out]), np.int64([zero_out]))
    return Operand(np.zeros(1, dtype), dtype, source), OutputSpec(dtype, (1,), target)


def test_entries_round_half_away_and_saturate():
    x = np.array([-3, -1, 0, 1, 3, 127])
    assert entries(x, lambda v: v, *ends(), "half-away").tolist() == [-2, -1, 0, 1, 2, 64]
    assert entries(x, lambda v: v * 4, *ends(), "half-away").tolist() == [-6, -2, 0, 2, 6, 127]
    assert entries(x, lambda v: v, *ends(zero=1), "half-away").tolist() == [-2, -1, -1, 0, 1, 63]


def test_half_even_adds_the_zero_point_first():
    x = np.array([-3, -1, 1, 3])
    assert entries(x, lambda v: v, *ends(), "half-even").tolist() == [-2, 0, 0, 2]
    assert entries(x, lambda v: v, *ends(zero_out=1), "half-even").tolist() == [0, 0, 2, 2]


def test_values_beyond_float32_saturate():
    assert entries(np.array([127]), lambda v: v * np.float32(np.inf), *ends(), "half-away").tolist() == [127]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("length", [0, 7, 255, 256, 1000])
def test_a_table_serves_every_shape(dtype, length):
    random = np.random.default_rng(length)
    x = random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, (2, length)).astype(dtype)
    assert (each_value(x, lambda v: v // 2, dtype) == x // 2).all()
    assert each_value(x, lambda v: v // 2, dtype).dtype == x.dtype


def test_interpolation_equals_the_entries_and_their_midpoints():
    table = np.arange(513) * 100 - 25600
    assert interpolate(np.array([-32768, 0, 128, 64]), table).tolist() == [-25600, 0, 100, 50]
    assert interpolate(np.array([32767]), table).tolist() == [25599]


def test_int16_table_of_a_linear_function_is_linear():
    low, high = np.float32(-1), np.float32(32767 / 32768)
    table = words(lambda x: x, (low, high), (low, high))
    assert table[0] == -32768
    assert table[512] == 32767
    assert np.abs(table - np.linspace(-32768, 32767, 513)).max() <= 1


def test_infinity_saturates_in_int16():
    table = words(np.exp, (np.float32(0), np.float32(1000)), (np.float32(-1), np.float32(1)))
    assert table[512] == 32767


def test_widths_of_quotients_differ():
    a, b = np.float32(0.1), np.float32(0.3)
    assert quotient("float32", a, over=b) == float(a / b)
    assert quotient("float64", a, over=b) == float(a) / float(b) != float(a / b)


@pytest.mark.parametrize("shape", [(0,), (5, 3), (3, TILE)])
def test_picking_is_indexing(shape: tuple[int, ...]) -> None:
    table = np.arange(1 << 16)[::-1].astype(np.int32)
    index = np.random.default_rng(0).integers(0, 1 << 16, shape, np.uint16)
    np.testing.assert_array_equal(take_entries(table, index), table[index])

"""Binary operators: outputs near the real values, and broadcasting of formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from litecheck.flatbuffer.table import Table
from litecheck.quantization import Quantization
from litecheck.reference.kernels import binary, comparisons, division, elementwise
from litecheck.reference.numerics import broadcast
from litecheck.reference.numerics.broadcast import Chunks, chunks
from litecheck.reference.numerics.fixedpoint import quantize_multiplier
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError

RELU6 = Table("AddOptions", {"fused_activation_function": 3})
SCALES = st.floats(2.0**-10, 0.875, width=32)
ZEROS = st.integers(-128, 127)

QUOTIENT = {"shift": "exact", "multiplier": "float32", "by_zero": "refused"}


def value(array: Any, scale: float = 0.5, zero: int = -3, dtype: str = "int8") -> Operand:
    quantization = Quantization(np.array([scale], np.float32), np.array([zero], np.int64))
    return Operand(np.asarray(array, dtype), dtype, quantization)


def result(scale: float = 0.5, zero: int = -3, dtype: str = "int8") -> OutputSpec:
    return OutputSpec(dtype, (), Quantization(np.array([scale], np.float32), np.array([zero], np.int64)))


def real(v: Operand) -> NDArray[np.float64]:
    return float(v.scale) * (v.data.astype(np.float64) - v.zero_point)


def off(stored: NDArray[Any], exact: NDArray[np.float64], output: OutputSpec) -> float:
    """Return the largest distance from the exact output, in steps, over outputs that do not saturate."""
    wanted = exact / float(output.scale) + output.zero_point
    return float(np.abs(stored - wanted)[(wanted > -128) & (wanted < 127)].max(initial=0))


ALL = np.arange(-128, 128)


@pytest.mark.slow
@given(SCALES, SCALES, SCALES, ZEROS, ZEROS, ZEROS)
def test_sums_products_and_quotients_are_within_a_step_of_the_real_result(
    left: float, right: float, out: float, a: int, b: int, c: int
) -> None:
    x, y, to = value(ALL[:, None], left, a), value(ALL, right, b), result(out, c)
    # Weights of 21 bits have an error of 2^-21 of the larger weight for each step of an operand.
    coarse = 256 * max(left, right) / out * 2**-20
    for variant, most in (("double", 0.51), ("single", 0.51), ("vectors", 0.51), ("21-bit", 0.51 + coarse)):
        assert off(binary.add(x, y, to, None, {"requantize": variant}), real(x) + real(y), to) <= most
        assert off(binary.sub(x, y, to, None, {"requantize": variant}), real(x) - real(y), to) <= most
    for variant in ("double", "single", "float32"):
        # The first of two roundings may turn a quarter of a step into a half, and the second a half into a whole step.
        assert (
            off(
                binary.mul(x, y, to, None, {"requantize": variant, "multiplier": "float64"}),
                real(x) * real(y),
                to,
            )
            <= 0.76
        )
    divisor = value(ALL[b != ALL], right, b)
    assert off(division.div(x, divisor, to, None, QUOTIENT), real(x) / real(divisor), to) <= 0.51


@given(SCALES, ZEROS, ZEROS, ZEROS)
def test_squared_differences_are_within_a_step_of_the_real_result(
    scale: float, a: int, b: int, c: int
) -> None:
    x, y, to = value(ALL[:, None], scale, a), value(ALL, scale, b), result(scale, c)
    stored = binary.squared_difference(x, y, to, {"requantize": "double"})
    assert off(stored, (real(x) - real(y)) ** 2, to) <= 0.51


def test_a_sum_worked_out_by_hand() -> None:
    # 0.5 * (10 + 3) + 0.5 * (7 + 3) = 11.5 = 0.5 * (20 + 3)
    made = binary.add(value([10]), value([7]), result(), None, {"requantize": "double"})
    assert made.tolist() == [20]


def test_a_fused_activation_clamps_in_stored_values() -> None:
    made = binary.add(value(ALL), value(np.int8(-3)), result(), RELU6, {"requantize": "double"})
    assert (made.min(), made.max()) == (-3, 9)  # 0 and 6 at scale 0.5


def test_a_table_of_all_pairs_equals_the_computed_tiles() -> None:
    x, y = value(np.repeat(ALL, 256)), value(np.tile(ALL, 256), 0.1, 60)
    assert x.data.size >= broadcast._PAIRS
    assert broadcast._TABLE_FROM > 255
    variant = {"requantize": "double", "multiplier": "float32"}
    whole = binary.mul(x, y, result(), None, variant)
    parts = [
        binary.mul(
            value(x.data[at : at + 255]), value(y.data[at : at + 255], 0.1, 60), result(), None, variant
        )
        for at in range(0, 65536, 255)
    ]
    assert np.array_equal(whole, np.concatenate(parts))


def test_the_table_of_a_frequent_formula_gives_the_same_outputs() -> None:
    x, y = value(np.resize(ALL, 5000)), value(np.resize(ALL[::-1], 5000), 0.1, 60)
    assert broadcast._TABLE_FROM <= x.data.size < broadcast._PAIRS
    broadcast._counter.cache_clear()
    before = broadcast._table.cache_info().misses
    variant = {"requantize": "double", "multiplier": "float32"}
    made, tables = [], []
    for _ in range(15):
        made.append(binary.mul(x, y, result(0.77), None, variant))
        tables.append(broadcast._table.cache_info().misses - before)
    assert tables == [*[0] * 13, 1, 1]
    assert all(np.array_equal(one, made[0]) for one in made)
    assert len(np.unique(made[0])) > 10


@pytest.mark.parametrize(
    "shape", [((), (4,)), ((2, 1, 3), (5, 1)), ((0, 3), (1, 3)), ((1, 1, 1, 1, 2), (3, 1, 1))]
)
def test_shapes_broadcast(shape: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    x, y = (value(np.zeros(s)) for s in shape)
    made = binary.add(x, y, result(), None, {"requantize": "double"})
    assert made.shape == np.broadcast_shapes(*shape)


@pytest.mark.parametrize(
    ("lhs", "rhs", "wanted"),
    [
        ((2, 3), (2, 3), Chunks("elementwise", 6)),
        ((2, 3), (1, 2, 3), Chunks("elementwise", 6)),
        ((2, 3), (3,), Chunks("elementwise", 3)),
        ((2, 3), (2, 1), Chunks("scalar", 3)),
        ((4, 5, 6), (), Chunks("scalar", 120)),
        ((2, 3, 1, 5), (2, 1, 4, 5), Chunks("elementwise", 5)),
        ((2, 1, 4, 1, 5), (1, 3, 1, 6, 1), Chunks("generic", 0)),
    ],
)
def test_runs_of_vector_loops(lhs: tuple[int, ...], rhs: tuple[int, ...], wanted: Chunks) -> None:
    assert chunks(lhs, rhs) == wanted
    assert chunks(rhs, lhs) == wanted


def test_int16_with_power_of_two_scales_shifts_one_operand() -> None:
    options = Table("AddOptions", {"pot_scale_int16": True})
    x, y = value([3, -3, 32767], 2.0**-12, 0, "int16"), value([1, 1, 32767], 2.0**-11, 0, "int16")
    made = binary.add(x, y, result(2.0**-11, 0, "int16"), options, {"requantize": "double"})
    assert made.tolist() == [3, -1, 32767]  # 3 / 2 = 2, -3 / 2 = -2, half away from zero; then saturation
    with pytest.raises(RunError, match="one operand"):
        binary.add(x, y, result(2.0**-10, 0, "int16"), options, {"requantize": "double"})


def test_equal_real_values_of_different_scales_compare_as_equal() -> None:
    half, quarter = quantize_multiplier(0.5), quantize_multiplier(0.25)
    formula = comparisons.ScaledComparison(np.equal, (0, 0), (half, quarter), "double")
    x, y = np.array([10, 10, -6], np.int8), np.array([20, 21, -12], np.int8)
    assert broadcast.apply(formula, x, y, "bool").tolist() == [True, False, True]


@pytest.mark.parametrize("kernel", [division.floor_div, division.floor_mod, division.div_plain])
def test_division_by_zero_is_refused(kernel: Any) -> None:
    x = value([1, 2], dtype="int32")
    arguments = (x, value([1, 0], dtype="int32"), result(dtype="int32"))
    with pytest.raises(RunError, match="zero"):
        kernel(*arguments, *([None] if kernel is division.div_plain else []))


def test_a_small_quotient_is_zero_except_if_a_shift_overflows() -> None:
    # 1 / -128 is 0 steps of 0.5; LiteRT shifts by 32 bits or more, and x86 gives the smallest integer.
    made = {
        variant: division.div(
            value([1], zero=0), value([-128], zero=0), result(zero=0), None, {**QUOTIENT, "shift": variant}
        ).tolist()
        for variant in ("exact", "word")
    }
    assert made == {"exact": [0], "word": [-128]}


def test_a_quantized_division_by_the_zero_point_is_refused() -> None:
    with pytest.raises(RunError, match="zero"):
        division.div(value([1]), value([-3]), result(), None, QUOTIENT)


@given(st.lists(st.tuples(st.integers(-128, 127), st.integers(-128, 127).filter(bool)), min_size=1))
def test_quotient_and_remainder_give_the_dividend(numbers: list[tuple[int, int]]) -> None:
    x, y = (value(side, dtype="int32") for side in zip(*numbers, strict=True))
    quotient = division.floor_div(x, y, result(dtype="int32"))
    rest = division.floor_mod(x, y, result(dtype="int32"))
    assert np.array_equal(quotient * y.data + rest, x.data)
    assert ((rest == 0) | ((rest < 0) == (y.data < 0))).all()


def test_shifts_stay_within_the_width() -> None:
    made = elementwise.right_shift(value([-128, -128, 64]), value([100, -5, 3]), result())
    assert made.tolist() == [-1, -128, 8]


def test_a_condition_of_one_dimension_selects_rows() -> None:
    condition = Operand(np.array([True, False]), "bool")
    made = elementwise.select(condition, value([[1, 2], [3, 4]]), value([[5, 6], [7, 8]]), result())
    assert made.tolist() == [[1, 2], [7, 8]]


def test_a_negative_exponent_of_integers_is_refused() -> None:
    with pytest.raises(RunError, match="negative"):
        elementwise.power(value([2], dtype="int32"), value([-1], dtype="int32"), result(dtype="int32"))

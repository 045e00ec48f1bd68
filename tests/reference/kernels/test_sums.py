"""Sums of two operands: each formula calculated by hand, and every variant near the real sum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.reference.kernels import sums
from litecheck.reference.runtime_tensors import RunError

from .layers import output, stored

BYTES = (-128, 127)
ONE = (1 << 30, 1)  # a multiplier of 1: 2 ** 30 / 2 ** 31 * 2 ** 1


@pytest.mark.parametrize(
    ("x", "bits", "expected"), [(3, 2, 12), (-3, 2, -12), (5, 0, 5), (5, -1, 2), (-5, -1, -3)]
)
def test_a_shift_rounds_towards_minus_infinity(x: int, bits: int, expected: int) -> None:
    assert sums._shift(np.int64([x]), bits).tolist() == [expected]


@pytest.mark.parametrize(
    ("narrow", "rescaled", "expected"),
    [
        ("", 100, 110),
        ("", 40000, 127),
        ("", -40000, -128),
        ("wraps", 32767, -128),
        ("wraps", 32758, -128),
        ("wraps", 32757, 127),
        ("wraps", -32769, -128),
        ("wraps", 65540, 14),
        ("wraps", -65540, 6),
        ("saturates", 65540, -128),
        ("saturates", -65540, -128),
        ("saturates", 100, 110),
    ],
)
def test_the_zero_point_is_added_in_16_bits(narrow: str, rescaled: int, expected: int) -> None:
    """With zero point 10: 65540 wraps to 4; saturated it is 32767, whose sum with 10 wraps to -32759."""
    assert sums.finish(np.int64([rescaled]), 10, BYTES, narrow).tolist() == [expected]


@pytest.mark.parametrize(("sign", "expected"), [(1, [57, 1]), (-1, [9, -23])])
def test_a_weighted_sum(sign: int, expected: list[int]) -> None:
    """Two bits more: 4 * (8 - 2) = 24 and 4 * (11 - 5) = 24; -20 and 12. Sums and differences plus the zero point 9."""
    formula = sums.WeightedSum((2, 5, 9), 2, (ONE, ONE, ONE), sign, (-1000, 1000), "single", "single")
    assert formula(np.int64([8, -3]), np.int64([11, 8])).tolist() == expected


@pytest.mark.parametrize(("shift", "expected"), [(1, [32, -128]), (2, [21, -128]), (3, [15, -94])])
def test_a_sum_with_weights_of_21_bits(shift: int, expected: list[int]) -> None:
    """(8 - 2) * 3 + (10 - 5) * 5 = 43, (-100 - 2) * 3 + (-100 - 5) * 5 = -831; halves are rounded up, plus 10.

    43 / 2 = 21.5 gives 22, 43 / 4 = 10.75 gives 11, 43 / 8 = 5.375 gives 5; -831 / 8 = -103.9 gives -104.
    """
    formula = sums.WeightedSum21((2, 5, 10), (3, 5), shift, BYTES)
    assert formula(np.int64([8, -100]), np.int64([10, -100])).tolist() == expected


@pytest.mark.parametrize(
    ("rounding", "sign", "expected"),
    [("float32", 1, 14), ("float32", -1, 14), ("float32-half-away", 1, 15), ("float32-half-away", -1, 14)],
)
def test_a_sum_of_reals(rounding: str, sign: int, expected: int) -> None:
    """(8 - 2) * 0.5 = 3 and (6 - 5) * 0.75: 3.75 and 2.25 in steps of 1.5 are 2.5 and 1.5; plus 12."""
    formula = sums.RealSum((2, 5, 12), (0.5, 0.75, 1.5), sign, BYTES, rounding)
    assert formula(np.int64([8]), np.int64([6])).tolist() == [expected]


@pytest.mark.parametrize(
    ("shifts", "sign", "expected"), [((0, 2), 1, 13), ((0, 2), -1, 7), ((1, 0), 1, 16), ((1, 0), -1, -6)]
)
def test_a_sum_with_power_of_two_scales(shifts: tuple[int, int], sign: int, expected: int) -> None:
    """10 + 11 / 4 = 12.75 rounds to 13; 10 / 2 + 11 = 16."""
    formula = sums.PowerOfTwoSum(shifts, sign, (-(2**15), 2**15 - 1))
    assert formula(np.int64([10]), np.int64([11])).tolist() == [expected]
    assert formula(np.int64([-32768]), np.int64([-32768 * sign])).tolist() == [-32768]


def test_the_common_scale() -> None:
    """Twice the larger scale gives the multipliers 1/8 and 1/2; the output's multiplier is 2 / (2 ** 3 * 0.25) = 1."""
    lhs, rhs = stored([0], 0.25), stored([0], 1.0)
    assert sums.common_scale(lhs, rhs) == (2.0, (1 << 30, -2), (1 << 30, 0))
    assert sums.common_scale(rhs, lhs) == (2.0, (1 << 30, 0), (1 << 30, -2))
    assert sums.sum_multipliers(lhs, rhs, output(0.25), 3) == ((1 << 30, -2), (1 << 30, 0), ONE)


@pytest.mark.parametrize(
    ("scales", "expected"),
    [
        ((1.0, 0.5, 1.0), (20, 1 << 20, 1 << 19)),
        ((0.5, 1.5, 1.0), (20, 1 << 19, 3 << 19)),
        ((2.0, 0.25, 1.0), (19, 1 << 20, 1 << 17)),
        ((1.0, 1.0, 4.0), (22, 1 << 20, 1 << 20)),
    ],
)
def test_weights_of_21_bits(scales: tuple[float, float, float], expected: tuple[int, int, int]) -> None:
    lhs, rhs, out = stored([0], scales[0]), stored([0], scales[1]), output(scales[2])
    assert sums._weights21(lhs, rhs, out) == expected


@pytest.mark.parametrize(
    ("powers", "expected"), [((-3, -3, -3), (0, 0)), ((-5, -3, -3), (2, 0)), ((-3, -4, -3), (0, 1))]
)
def test_shifts_to_the_scale_of_the_output(powers: tuple[int, int, int], expected: tuple[int, int]) -> None:
    lhs, rhs, out = (2.0**power for power in powers)
    assert sums._power_of_two_shifts(stored([0], lhs), stored([0], rhs), output(out)) == expected


@pytest.mark.parametrize("powers", [(-5, -4, -3), (-2, -3, -3), (-3, -2, -3)])
def test_powers_of_two_without_a_kernel(powers: tuple[int, int, int]) -> None:
    lhs, rhs, out = (2.0**power for power in powers)
    with pytest.raises(RunError, match="one operand must have the output's scale, the other no larger one"):
        sums._power_of_two_shifts(stored([0], lhs), stored([0], rhs), output(out))


@pytest.mark.parametrize("scales", [(0.3, 0.5, 0.5), (0.5, 0.3, 0.5), (0.5, 0.5, 0.3)])
def test_scales_that_are_no_powers_of_two(scales: tuple[float, float, float]) -> None:
    lhs, rhs, out = scales
    assert sums._power_of_two_shifts(stored([0], lhs), stored([0], rhs), output(out)) is None


OPTIONS = Table("AddOptions", {"fused_activation_function": 0})
RELU = Table("AddOptions", {"fused_activation_function": 1})
EVERY = [*sums.MULTIPLY, *sums.REAL, "vectors", "21-bit"]


@pytest.mark.parametrize("variant", EVERY)
@pytest.mark.parametrize("xnnpack", [True, False])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("shapes", [((37,), (37,)), ((37,), (1,)), ((5, 7), (7,))])
def test_every_variant_is_within_a_step_of_the_real_sum(
    variant: str, xnnpack: bool, sign: int, dtype: str, shapes: tuple[tuple[int, ...], ...]
) -> None:
    random = np.random.default_rng(4)
    zeros = (0, 0, 0) if dtype == "int16" else (3, 7, 90)
    low, high = (-90, 90) if dtype != "uint8" else (0, 180)
    x, y = (random.integers(low, high, shape) for shape in shapes)
    lhs, rhs = stored(x, 0.31, zeros[0], dtype), stored(y, 0.17, zeros[1], dtype)
    made = sums.quantized_sum(
        lhs, rhs, output(0.4, zeros[2], dtype), OPTIONS, {"requantize": variant}, sign, xnnpack
    )
    exact = ((x - zeros[0]) * 0.31 + sign * (y - zeros[1]) * 0.17) / 0.4 + zeros[2]
    limits = np.iinfo(dtype)
    apart = np.abs(made - np.clip(exact, limits.min, limits.max))
    assert made.dtype == dtype
    assert made.shape == exact.shape
    assert apart.max() <= 1.01
    assert apart.mean() < (0.6 if variant in ("floor", "truncate") else 0.3)


@pytest.mark.parametrize(("variant", "expected"), [("double", -1), ("vectors", -1), ("21-bit", 0)])
def test_a_tie_distinguishes_xnnpack(variant: str, expected: int) -> None:
    """0 and -1 are -0.5 output steps: half away from zero gives -1, half up gives 0."""
    lhs, rhs = stored([0], 0.5), stored([-1], 0.25)
    made = sums.quantized_sum(lhs, rhs, output(0.5), OPTIONS, {"requantize": variant}, 1, True)
    assert made.tolist() == [expected]


@pytest.mark.parametrize("variant", [*sums.REAL, "vectors", "21-bit"])
def test_a_fused_activation_clamps(variant: str) -> None:
    """The real sum -2 becomes 0, which is stored as 5."""
    lhs, rhs = stored([-4, 4], 1.0), stored([2, 2], 1.0)
    made = sums.quantized_sum(lhs, rhs, output(1.0, 5), RELU, {"requantize": variant}, 1, True)
    assert made.tolist() == [5, 11]


@pytest.mark.parametrize(
    ("options", "variants", "expected"),
    [
        (OPTIONS, {}, 13),
        (None, {}, 12),
        (OPTIONS, {"power_of_two": "general"}, 12),
        (Table("AddOptions", {"fused_activation_function": 0, "pot_scale_int16": False}), {}, 12),
    ],
)
def test_int16_with_power_of_two_scales(options: Any, variants: dict[str, str], expected: int) -> None:
    """10 + 10 / 4 = 12.5. A shifted operand is rounded before the sum, 10 + 3; a single rounding to even gives 12."""
    lhs, rhs = stored([10], 0.5, dtype="int16"), stored([-10], 0.125, dtype="int16")
    made = sums.quantized_sum(
        lhs, rhs, output(0.5, 0, "int16"), options, {"requantize": "float32", **variants}, -1, False
    )
    assert made.tolist() == [expected]


@pytest.mark.parametrize(("dtype", "left_shift", "narrow"), [("int8", 20, "wraps"), ("int16", 15, "")])
@pytest.mark.parametrize("length", [16, 20, 32, 37])
def test_vectors_round_less_than_the_rest_of_a_run(
    dtype: str, left_shift: int, narrow: str, length: int
) -> None:
    """Elements in whole vectors of 16 use the vector loop, the remaining elements the plain loop.

    The two loops compute different sums for every pair of this test: 4 in 10,000 pairs of int8.
    """
    limits, body = np.iinfo(dtype), length // 16 * 16
    x, y = np.random.default_rng(5).integers(limits.min, limits.max + 1, (2, 1_000_000))
    out = output(0.7, 0, dtype)
    multipliers = sums.sum_multipliers(stored([0], 0.37), stored([0], 0.29), out, left_shift)
    plain = sums.WeightedSum((0, 0, 0), left_shift, multipliers, 1, (limits.min, limits.max))
    vector = sums.replace(plain, operands="one-shift", narrow=narrow)
    differing = np.flatnonzero(plain(x, y) != vector(x, y))[:length]
    assert len(differing) == length
    x, y = x[differing], y[differing]
    lhs, rhs = stored(x, 0.37, 0, dtype), stored(y, 0.29, 0, dtype)
    variants = {"requantize": "vectors", "power_of_two": "general"}
    made = sums.quantized_sum(lhs, rhs, out, OPTIONS, variants, 1, False)
    assert made.tolist() == [*vector(x, y)[:body].tolist(), *plain(x, y)[body:].tolist()]


@pytest.mark.parametrize(("dtype", "left_shift", "other"), [("int8", 20, 15), ("int16", 15, 20)])
def test_the_bits_to_the_left_of_a_unit(dtype: str, left_shift: int, other: int) -> None:
    """20 bits for 8-bit operands, 15 bits for int16: pairs whose sums differ between the two numbers of bits."""
    limits, out = np.iinfo(dtype), output(0.7, 0, dtype)
    x, y = np.random.default_rng(6).integers(limits.min, limits.max + 1, (2, 100_000))
    operands = stored([0], 0.37), stored([0], 0.29)
    own, wrong = (
        sums.WeightedSum(
            (0, 0, 0), bits, sums.sum_multipliers(*operands, out, bits), -1, (limits.min, limits.max)
        )
        for bits in (left_shift, other)
    )
    differing = np.flatnonzero(own(x, y) != wrong(x, y))
    assert len(differing) > 10
    x, y = x[differing], y[differing]
    lhs, rhs = stored(x, 0.37, 0, dtype), stored(y, 0.29, 0, dtype)
    made = sums.quantized_sum(lhs, rhs, out, None, {"requantize": "double"}, -1, False)
    assert made.tolist() == own(x, y).tolist()


def test_vector_loops_of_8_bits_wrap_in_16_bits() -> None:
    """100 / 0.002 = 50000 is -15536 in 16 bits, so that whole vectors give the other end of the type."""
    lhs, rhs = stored([100] * 18), stored([0] * 18)
    made = sums.quantized_sum(lhs, rhs, output(0.002), OPTIONS, {"requantize": "vectors"}, 1, False)
    assert made.tolist() == [-128] * 16 + [127] * 2
    words = stored([100] * 18, dtype="int16"), stored([0] * 18, dtype="int16")
    variants = {"requantize": "vectors", "power_of_two": "general"}
    made = sums.quantized_sum(*words, output(0.002, 0, "int16"), OPTIONS, variants, 1, False)
    assert made.tolist() == [32767] * 18

"""The table of rescaling variants: each compared with its formula in fractions, in all tilings."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from litecheck.model.build import options_table, qparams
from litecheck.reference.numerics import fixedpoint as fp
from litecheck.reference.numerics.requantize import PERIOD, TILE, requantizer, wide_sums
from litecheck.reference.numerics.rescale import VARIANTS, Scales
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError

F = np.float32


def output(scale: float = 1.0, zero: int = 0, dtype: str = "int16") -> OutputSpec:
    return OutputSpec(dtype, (1,), qparams(scale, zero))


def scales(channels: int, seed: int = 0) -> Scales:
    rng = np.random.default_rng(seed)
    return Scales(F(0.037), np.exp(rng.uniform(-7, -2, channels)).astype(F), F(0.11))


def rescaled(variant: str, sums: np.ndarray, given: Scales, narrow: bool = False) -> np.ndarray:
    out = np.empty(sums.shape, np.int16)
    offset = np.zeros(sums.shape[-1], np.int64)
    requantizer(variant, given, output(), None, narrow=narrow)(sums, offset, out)
    return out


HALF = Fraction(1, 2)


def reduced(x: int, m: int, shift: int, bits: int) -> int:
    """Return the rescaled sum with a multiplier of ``bits`` fractional bits."""
    short = min(math.floor(Fraction(m, 2 ** (31 - bits)) + HALF), 2**bits - 1)
    return math.floor(Fraction(x * short, 2 ** (bits - shift)) + HALF)


def away(x: Fraction) -> int:
    return int(abs(x) + HALF) * (1 if x > 0 else -1)


def rndnu(x: int, real: np.float32) -> int:
    """Return the rescaled sum of ``rndnu``: twice the product is truncated to its high half, then shifted by at least 1
    bit.
    """
    m, shift = fp.quantize_multiplier(float(real))
    post = max(-shift, 1)
    high = math.floor(Fraction(x * 2 ** (shift + post) * m, 2**31))
    return math.floor(Fraction(high, 2**post) + HALF)


def expected(variant: str, x: int, channel: int, given: Scales, channels: int) -> int:
    real = float(given.input) * float(given.weight[channel]) / float(given.output)
    m, shift = fp.quantize_multiplier(real)
    one = np.array([x], np.int64)
    if variant == "double-by-eight":
        variant = "double-half-up" if channel < channels // 8 * 8 else "double"
    if variant in fp.MULTIPLY:
        return int(fp.MULTIPLY[variant](one, m, shift)[0])
    if variant in ("reduced", "reduced-8"):
        return reduced(x, m, shift, 15 if variant == "reduced" else 7)
    single = given.input * given.weight[channel] / given.output
    scaled = Fraction(float(x) * real if variant.startswith("float64") else float(F(x) * single))
    return rndnu(x, single) if variant == "rndnu" else ROUNDED[variant](scaled)


#: Python's round() is half to even.
ROUNDED = {"float64": away, "float64-half-even": round, "float32": round, "float32-half-away": away}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("channels", [1, 3, 8, 13, 600])
def test_every_variant_is_its_formula_in_every_channel(variant: str, channels: int) -> None:
    given = scales(channels, channels)
    sums = np.random.default_rng(1).integers(-60_000, 60_000, (7, channels))
    made = rescaled(variant, sums, given)
    wanted = [[expected(variant, int(x), c, given, channels) for c, x in enumerate(row)] for row in sums]
    np.testing.assert_array_equal(made, np.clip(wanted, -(2**15), 2**15 - 1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
@pytest.mark.parametrize("channels", [1, 5, PERIOD - 1, PERIOD, PERIOD + 1, 3000])
def test_tiles_do_not_change_outputs(dtype: type[np.generic], channels: int) -> None:
    rows = (2 * TILE + 12345) // channels
    sums = np.random.default_rng(2).integers(-(2**17), 2**17, (rows, channels)).astype(dtype)
    offset = np.arange(channels, dtype=np.int64) - 7
    given = scales(channels)
    out = np.empty(sums.shape, np.int8)
    requantizer("double", given, output(0.11, 3, "int8"), None)(sums, offset, out)
    m, shift = fp.quantize_multipliers(given.double())
    whole = fp.multiply_double(sums.astype(np.int64) + offset, m, shift) + 3
    np.testing.assert_array_equal(out, np.clip(whole, -128, 127))


def test_no_elements_and_no_channels_are_no_work() -> None:
    for shape in ((0, 4), (4, 0)):
        out = np.empty(shape, np.int16)
        requantizer("double", scales(shape[1]), output(), None)(
            np.empty(shape), np.empty(shape[1], np.int64), out
        )
        assert out.shape == shape


def test_a_float32_product_gives_a_different_multiplier() -> None:
    given = scales(4000)
    differ = given.double() != given.narrow()
    assert differ.mean() > 0.5
    assert (given.double().astype(F) == given.narrow().astype(F)).mean() > 0.4
    sums = np.random.default_rng(3).integers(2**20, 2**22, (60, 4000))
    assert (rescaled("double", sums, given) != rescaled("double", sums, given, narrow=True)).any()


def test_accumulators_that_may_overflow_wrap() -> None:
    sums, offset = np.array([[2.0**31 - 4]]), np.array([10], np.int64)
    given, out = Scales(F(1), np.array([2.0**-20], F), F(1)), np.empty((1, 1), np.int16)
    for wrap, wanted in ((True, -2048), (False, 2048)):
        requantizer("double", given, output(), None, wrap=wrap)(sums, offset, out)
        assert out[0, 0] == wanted


@pytest.mark.parametrize(
    ("variant", "zero", "bounds"),
    [
        ("double", 5, (4, 6)),
        ("double", 6, (5, 7)),
        ("float64", 6, (5, 7)),
        ("float32", 5, (4, 6)),
        ("float32", 6, (6, 6)),
    ],
)
def test_a_bound_on_a_tie_rounds_half_away_or_with_its_zero_point_to_even(
    variant: str, zero: int, bounds: tuple[int, int]
) -> None:
    options = options_table("CONV_2D", fused_activation_function="RELU_N1_TO_1")
    made = requantizer(variant, scales(1), output(2.0, zero, "int8"), options)
    assert (made.low, made.high) == bounds


def test_scales_that_make_no_multiplier_are_named() -> None:
    for bad in (F(np.nan), F(np.inf), F(-1)):
        with pytest.raises(RunError, match="no finite multiplier"):
            requantizer("double", Scales(bad, np.ones(1, F), F(1)), output(), None)


def test_the_number_of_weight_scales_equals_the_number_of_channels() -> None:
    x = Operand(np.zeros(1, np.int8), "int8", qparams(0.5))
    w = Operand(np.zeros(1, np.int8), "int8", qparams([0.1, 0.2]))
    assert Scales.of(x, w, output(), 2).weight.tolist() == [F(0.1), F(0.2)]
    with pytest.raises(RunError, match="2 weight scales for 3 channels"):
        Scales.of(x, w, output(), 3)


def test_sums_of_int16_have_64_bits_unless_an_int32_bias_is_stated() -> None:
    stated = options_table("CONV_2D", quantized_bias_type="int32")
    assert [wide_sums(Operand(np.zeros(1), t), None) for t in ("int8", "uint8", "int16")] == [
        False,
        False,
        True,
    ]
    assert not wide_sums(Operand(np.zeros(1), "int16"), stated)

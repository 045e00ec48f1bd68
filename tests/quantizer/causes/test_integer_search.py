"""Every cause is named for a device that has it, and for no different device."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from litecheck.quantizer import litert
from litecheck.quantizer.comparison_result import Comparison
from litecheck.quantizer.rounding import ROUNDINGS
from litecheck.quantizer.tensor_comparison import compare
from litecheck.quantizer.types import Parameters


def named(comparison: Comparison) -> list[str]:
    """Return the causes that explain all elements."""
    return [cause.name for cause in comparison.causes if cause.exact]


def quotients(sample: Any, scale: Any = None) -> Any:
    """Return real values divided by scales, in float32."""
    given = sample.parameters
    own = replace(given, scale=given.scale if scale is None else scale).broadcast_to(sample.real.shape)[0]
    return sample.real / own


def device(sample: Any, scale: Any = None, zero: int | None = None, low: int = -128) -> Any:
    """Return LiteRT's formula, implemented independently, with a changed scale, zero point or lower end."""
    q = quotients(sample, scale)
    zero = int(sample.parameters.zero_point[0]) if zero is None else zero
    return np.clip(ROUNDINGS["half-away"](q) + zero, low, 127).astype(np.int8)


def judged(sample: Any, actual: Any, **options: Any) -> Comparison:
    return compare(sample.real, actual, sample.parameters, **options)


def test_the_device_without_a_fault_is_exact(sample):
    for factor, zero in ((2.0, 0), (2.0, 5), (0.5, -20)):
        case = sample(factor, zero)
        result = judged(case, device(case))
        assert (result.exact, result.causes) == (True, ())


def test_half_even_against_half_away(sample):
    case = sample()
    actual = np.clip(np.rint(quotients(case)), -128, 127).astype(np.int8)
    result = judged(case, actual)
    assert result.mismatches > 0
    assert named(result) == ["half-even"]
    assert result.causes[0].explained == result.mismatches
    assert "rounds ties to even" in result.causes[0].sentence


def test_half_away_against_half_even(sample):
    case = sample()
    assert named(judged(case, device(case), semantics="onnx")) == ["half-away"]


@pytest.mark.parametrize("mode", [mode for mode in ROUNDINGS if mode != "half-away"])
def test_each_rounding_mode_is_named(sample, mode):
    case = sample()
    actual = np.clip(ROUNDINGS[mode](quotients(case)), -128, 127).astype(np.int8)
    assert mode in named(judged(case, actual))


def test_zero_point_added_before_rounding(sample):
    case = sample(2.0, 5)
    actual = np.clip(ROUNDINGS["half-away"](quotients(case) + np.float32(5)), -128, 127).astype(np.int8)
    result = judged(case, actual)
    assert result.mismatches > 0
    assert named(result) == ["zero-point-before-rounding"]


def test_two_deviations_at_once(sample):
    case = sample(2.0, 5)
    actual = np.clip(np.rint(quotients(case) + np.float32(5)), -128, 127).astype(np.int8)
    assert "half-even+zero-point-before-rounding" in named(judged(case, actual))


def test_scale_rounded_to_float16(sample):
    case = sample()
    narrow = case.parameters.scale.astype(np.float16).astype(np.float32)
    result = judged(case, device(case, narrow))
    assert result.mismatches > 0
    assert named(result) == ["scale-float16"]


def test_scale_rounded_to_bfloat16(sample):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    case = sample()
    narrow = case.parameters.scale.astype(ml_dtypes.bfloat16).astype(np.float32)
    assert named(judged(case, device(case, narrow))) == ["scale-bfloat16"]


@pytest.mark.parametrize(
    ("name", "pick"), [("per-tensor-largest", np.max), ("per-tensor-first", lambda s: s[0])]
)
def test_per_tensor_instead_of_per_axis(sample, name, pick):
    case = sample()
    result = judged(case, device(case, np.full_like(case.parameters.scale, pick(case.parameters.scale))))
    assert result.mismatches > 0
    assert name in named(result)


def test_scales_along_a_wrong_axis_are_named():
    real = np.random.default_rng(4).normal(0, 3, (6, 5, 6)).astype(np.float32)
    scale = np.linspace(0.02, 0.07, 6, dtype=np.float32)
    actual = litert.quantize(real, Parameters(scale, None, 2))
    assert named(compare(real, actual, Parameters(scale, None, 0))) == ["other-axis"]


def test_saturation_at_minus_127(sample):
    case = sample(0.5)
    result = judged(case, device(case, low=-127))
    assert result.mismatches > 0
    assert named(result) == ["symmetric-saturation"]
    assert "-127 instead of -128" in result.causes[0].sentence


@pytest.mark.parametrize(("by", "name"), [(1, "plus-1"), (-1, "minus-1")])
def test_zero_point_off_by_one(sample, by, name):
    case = sample(0.9, 3)
    assert named(judged(case, device(case, zero=3 + by))) == [f"zero-point-{name}"]


def test_zero_point_of_the_wrong_sign_and_ignored(sample):
    case = sample(0.9, 7)
    assert named(judged(case, device(case, zero=-7))) == ["zero-point-negated"]
    assert named(judged(case, device(case, zero=0))) == ["zero-point-ignored"]


def test_wrap_around(sample):
    case = sample(0.5)
    actual = ROUNDINGS["half-away"](quotients(case)).astype(np.int64).astype(np.int8)
    assert named(judged(case, actual)) == ["wrap-around"]


def test_seven_bits(sample):
    case = sample(1.0)
    assert "saturation-7-bit" in named(judged(case, np.clip(case.expected, -64, 63)))


def test_reciprocal_multiply():
    random = np.random.default_rng(2)
    scale = np.array([0.037], np.float32)
    near = (random.integers(-126, 126, 4000) + 0.5).astype(np.float32) * scale
    real = np.nextafter(near, random.choice([-np.inf, np.inf], 4000)).astype(np.float32)
    actual = np.clip(ROUNDINGS["half-away"](real * (np.float32(1) / scale)), -128, 127).astype(np.int8)
    result = compare(real, actual, Parameters(scale))
    assert result.mismatches > 0
    assert named(result) == ["reciprocal-multiply"]
    wide = real.astype(np.float64) / scale.astype(np.float64)
    actual = np.clip(ROUNDINGS["half-away"](wide), -128, 127).astype(np.int8)
    assert named(compare(real, actual, Parameters(scale))) == ["float64-arithmetic"]


def test_the_bounds_of_a_wrong_scale_contain_it(sample):
    case = sample(1.0)
    scale = np.full_like(case.parameters.scale, 0.7 * case.parameters.scale[0])
    (cause,) = judged(case, device(case, scale)).causes
    assert (cause.name, cause.exact) == ("other-scale", True)
    low, high = (float(word.rstrip(".")) for word in cause.sentence.split() if word[0].isdecimal())
    assert low * (1 - 1e-6) <= scale[0] <= high * (1 + 1e-6)
    assert high / low < 1.01


def test_transposed_layout(sample):
    case = sample(1.0)
    actual = case.expected.transpose(0, 3, 1, 2).reshape(case.expected.shape)
    result = judged(case, actual)
    assert "transposed" in named(result)
    assert any("(0, 3, 1, 2)" in cause.sentence for cause in result.causes)


def test_an_exact_copy_has_no_cause(sample):
    case = sample()
    result = judged(case, case.expected.copy())
    assert (result.exact, result.mismatches, result.causes) == (True, 0, ())


@pytest.mark.parametrize("seed", range(5))
def test_random_noise_has_no_cause(sample, seed):
    case = sample(2.0, 5)
    random = np.random.default_rng(seed)
    steps = random.integers(-1, 2, case.expected.shape)
    for actual in (
        np.clip(case.expected + steps, -128, 127).astype(np.int8),
        random.integers(-128, 128, case.expected.shape).astype(np.int8),
        np.where(random.random(case.expected.shape) < 0.05, case.expected ^ 1, case.expected),
    ):
        assert judged(case, actual).causes == ()
        assert compare(case.expected, actual, case.parameters).causes == ()


@pytest.mark.parametrize("wrong", [1, 3])
def test_one_element_off_by_chance_has_no_exact_cause(sample, wrong):
    case = sample(0.9)
    actual = case.expected.copy()
    actual.reshape(-1)[7 : 7 + wrong] += 2
    assert named(judged(case, actual)) == []


def test_a_cause_with_noise_is_listed_with_its_count(sample):
    case = sample()
    actual = np.clip(np.rint(quotients(case)), -128, 127).astype(np.int8)
    actual.reshape(-1)[:2] += 9
    (cause,) = judged(case, actual).causes
    assert (cause.name, cause.exact) == ("half-even", False)
    assert cause.explained < judged(case, actual).mismatches


def integers() -> Any:
    return np.random.default_rng(3).integers(-128, 128, (2, 8, 6, 4)).astype(np.int8)


def turned_nibbles(values: Any) -> Any:
    return values.reshape(-1, 2)[:, ::-1].reshape(values.shape)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("offset", lambda e: np.clip(e.astype(int) + 3, -128, 127).astype(np.int8)),
        ("offset-wrapped", lambda e: (e.astype(int) + 3).astype(np.int8)),
        ("symmetric-saturation", lambda e: np.maximum(e, -127)),
        ("sign-bit", lambda e: (e.view(np.uint8) ^ 128).view(np.int8)),
        ("clipped", lambda e: np.clip(e, -20, 90)),
        ("transposed", lambda e: e.transpose(0, 3, 1, 2).reshape(e.shape)),
    ],
)
def test_causes_of_integers(name, change):
    expected = integers()
    assert named(compare(expected, change(expected))) == [name]


def test_orders_within_bytes():
    wide = np.random.default_rng(5).integers(-9000, 9000, 64).astype(np.int16)
    assert named(compare(wide, wide.byteswap())) == ["byte-order"]
    packed = np.random.default_rng(5).integers(-8, 8, 64).astype(np.int8)
    assert named(compare(packed, turned_nibbles(packed), dtype="int4")) == ["high-bits-first"]


def test_the_trace_of_half_even_in_integers(sample):
    case = sample()
    actual = np.clip(np.rint(quotients(case)), -128, 127).astype(np.int8)
    per_tensor = Parameters(np.array([1], np.float32), np.array([0]))
    (cause,) = compare(case.expected, actual, per_tensor).causes
    assert (cause.name, cause.exact) == ("half-even-pattern", False)

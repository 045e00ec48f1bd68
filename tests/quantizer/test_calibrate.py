from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from litecheck.quantization import INTEGER_RANGES
from litecheck.quantizer import litert
from litecheck.quantizer.calibrate import asymmetric, from_data, symmetric
from litecheck.quantizer.types import QuantizerError

ends = st.floats(-(2.0**60), 2.0**60, width=32)


@pytest.mark.parametrize(
    ("low", "high", "dtype", "scale"),
    [
        (-1, 1, "int8", np.float32(1) / np.float32(127)),
        (-2, 1, "int8", np.float32(2) / np.float32(127)),
        (0.25, 1, "int8", np.float32(1) / np.float32(127)),
        (-3, -1, "int16", np.float32(3) / np.float32(32767)),
        (-7, 3, "int4", np.float32(1)),
        (-1, 0.5, "int2", np.float32(1)),
        (0, 0, "int8", np.float32(1)),
        (-1e-45, 0, "int8", np.float32(1)),  # 1e-45 / 127 is 0 in float32
    ],
)
def test_symmetric(low: float, high: float, dtype: str, scale: np.float32) -> None:
    chosen = symmetric(low, high, dtype)
    assert chosen.scale.dtype == np.float32
    assert chosen.scale.tolist() == [scale]
    assert chosen.zero_point is not None
    assert chosen.zero_point.tolist() == [0]
    assert chosen.axis is None


@pytest.mark.parametrize(
    ("low", "high", "dtype", "scale", "zero"),
    [
        (0, 255, "uint8", 1, 0),
        (0, 255, "int8", 1, -128),
        (-255, 0, "int8", 1, 127),
        (-128, 127, "int8", 1, 0),
        (1, 255, "uint8", 1, 0),  # 0 is included
        (-255, -1, "uint8", 1, 255),
        (-0.5, 254.5, "uint8", 1, 1),  # half away from zero
        (-127.5, 127.5, "int8", 1, -1),  # -128 + 127.5 = -0.5
        (-100.25, 154.75, "uint8", 1, 100),
        (-1, 1, "int16", np.float32(2) / np.float32(65535), -1),
        (-1, 14, "uint4", 1, 1),
        (0, 0, "int8", 1, -128),
        (0, 1e-45, "int8", 1, -128),
    ],
)
def test_asymmetric(low: float, high: float, dtype: str, scale: float, zero: int) -> None:
    chosen = asymmetric(low, high, dtype)
    assert chosen.scale.tolist() == [np.float32(scale)]
    assert chosen.zero_point is not None
    assert chosen.zero_point.tolist() == [zero]


def test_the_width_decides_where_the_zero_point_falls() -> None:
    random = np.random.default_rng(0)
    low, high = -random.uniform(0, 1, 200_000), random.uniform(0, 1, 200_000)
    low, high = low.astype(np.float32), high.astype(np.float32)
    narrow, wide = (asymmetric(low, high, "int16", 0, width) for width in ("float32", "float64"))
    assert narrow.zero_point is not None
    assert wide.zero_point is not None
    difference = np.abs(narrow.zero_point - wide.zero_point)
    assert 0 < np.count_nonzero(difference) < 10_000
    assert difference.max() == 1
    exact = low.astype(np.float64) / (high.astype(np.float64) - low) * -65535 - 32768
    assert np.abs(wide.zero_point - exact).max() <= 0.5 + 1e-9


@given(ends, ends, st.sampled_from(["int8", "uint8", "int16", "int4"]))
def test_the_range_fits_and_zero_is_exact(one: float, other: float, dtype: str) -> None:
    low, high = min(one, other), max(one, other)
    chosen = asymmetric(low, high, dtype)
    bottom, top = INTEGER_RANGES[dtype]
    assert chosen.zero_point is not None
    zero, scale = int(chosen.zero_point[0]), float(chosen.scale[0])
    assert bottom <= zero <= top
    assert litert.quantize(np.zeros(1, np.float32), chosen, dtype).tolist() == [zero]
    slack = (0.5 + (top - bottom) * 2.0**-22) * scale + 1e-38
    assert (bottom - zero) * scale <= min(low, 0) + slack
    assert (top - zero) * scale >= max(high, 0) - slack


@example(0.0, -3.860361469251365e-39, "int16")
@given(ends, ends, st.sampled_from(["int8", "int16", "int4"]))
def test_symmetric_values_never_reach_the_lowest_integer(one: float, other: float, dtype: str) -> None:
    low, high = min(one, other), max(one, other)
    top = INTEGER_RANGES[dtype][1]
    made = litert.quantize(np.array([low, high], np.float32), symmetric(low, high, dtype), dtype)
    assert np.abs(made.astype(int)).max() <= top
    if max(abs(low), abs(high)) > 1e-30:
        assert np.abs(made.astype(int)).max() == top


@given(st.integers(0, 2**32), st.sampled_from(["symmetric", "asymmetric"]))
def test_data_quantized_with_its_parameters_is_within_half_a_step(seed: int, mode: str) -> None:
    x = np.random.default_rng(seed).normal(1, 3, (4, 50)).astype(np.float32)
    chosen = from_data(x, mode=mode)
    back = litert.dequantize(litert.quantize(x, chosen), chosen)
    # an asymmetric range may lose a further half step when the zero point is rounded
    steps = 0.5 if mode == "symmetric" else 1
    assert np.abs(back - x).max() <= float(chosen.scale[0]) * steps * (1 + 1e-5)


@pytest.mark.parametrize("mode", ["symmetric", "asymmetric"])
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_per_axis_is_per_tensor_slice_by_slice(axis: int, mode: str) -> None:
    x = np.random.default_rng(3).normal(0.5, 2, (3, 4, 5)).astype(np.float32)
    chosen = from_data(x, "int8", axis=axis, mode=mode)
    assert chosen.axis == axis
    assert chosen.zero_point is not None
    for i in range(x.shape[axis]):
        one = from_data(np.take(x, i, axis), "int8", mode=mode)
        assert one.zero_point is not None
        assert (chosen.scale[i], chosen.zero_point[i]) == (one.scale[0], one.zero_point[0])


@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("range", lambda: symmetric(np.nan, 1)),
        ("range", lambda: asymmetric(0, np.inf)),
        ("range", lambda: asymmetric(2, 1)),
        ("range", lambda: asymmetric(-3e38, 3e38)),  # the difference is beyond float32
        ("dtype", lambda: symmetric(-1, 1, "uint8")),
        ("dtype", lambda: asymmetric(-1, 1, "float32")),
        ("axis", lambda: symmetric([-1, -2], [1, 2])),
        ("axis", lambda: from_data(np.zeros((2, 2), np.float32), axis=2)),
        ("mode", lambda: from_data(np.zeros(2, np.float32), mode="both")),
        ("x", lambda: from_data(np.zeros((2, 0), np.float32))),
        ("range", lambda: from_data(np.array([1, np.nan], np.float32))),
    ],
)
def test_invalid_ranges_are_rejected(argument: str, call: Any) -> None:
    with pytest.raises(QuantizerError) as refused:
        call()
    assert refused.value.argument == argument


def test_a_range_too_wide_for_float32_is_not_for_float64() -> None:
    assert np.isfinite(asymmetric(-3e38, 3e38, width="float64").scale).all()

"""Two tensors of real values: steps between them, relative tolerances, and inputs that cannot be compared."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litecheck.quantizer import float_comparison
from litecheck.quantizer.tensor_comparison import compare
from litecheck.quantizer.types import Parameters, QuantizerError

#: Every finite float16 once, in order.
EVERY = np.unique(np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float64))
EVERY = EVERY[np.isfinite(EVERY)]


def compare_scalars(
    expected: float, actual: float, dtype: str = "float32", **options: object
) -> float_comparison.Comparison:
    return compare(np.array([expected], dtype), np.array([actual], dtype), **options)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_neighbours_differ_by_a_step(dtype: str) -> None:
    kind = np.dtype(dtype).type
    for value in (0.0, 1.0, -1.0, 65504.0, 2.0**-14, -(2.0**-24), np.finfo(dtype).max):
        for end in (-np.inf, np.inf):
            with np.errstate(over="ignore"):
                beside = np.nextafter(kind(value), kind(end))
            assert compare_scalars(value, beside, dtype).largest == (1 if end > 0 else -1)
    assert compare_scalars(-0.0, 0.0, dtype).exact
    assert compare_scalars(np.nan, -np.nan, dtype).exact
    assert compare_scalars(np.inf, np.nan, dtype).largest == 1


@given(st.lists(st.floats(width=16, allow_nan=False, allow_infinity=False), min_size=2, max_size=2))
def test_steps_equal_the_count_of_numbers_between(pair: list[float]) -> None:
    places = np.searchsorted(EVERY, pair)
    assert compare_scalars(*pair, "float16").largest == places[1] - places[0]


def test_the_ends_of_float64_need_more_than_64_bits() -> None:
    most = np.finfo(np.float64).max
    result = compare_scalars(-most, most, "float64")
    assert result.largest == 2 * int(np.array(most).view(np.int64))
    assert sum(bucket.count for bucket in result.histogram) == 1


def test_tolerances_in_steps_and_in_shares() -> None:
    expected = np.array([[1000, 0.5, np.nan, 3]], np.float32)
    actual = expected.copy()
    actual[0, 1] += np.float32(2.0**-20)
    result = compare(expected, actual)
    assert (result.mismatches, result.largest, result.unit, result.exit_code) == (1, 16, "ULP", 1)
    assert result.farthest == float(Fraction(1, 2**20) / 1000)
    assert (result.worst.index, result.worst.expected, result.worst.actual) == (
        (0, 1),
        0.5,
        float(actual[0, 1]),
    )
    assert compare(expected, actual, None, 16).within
    assert not compare(expected, actual, None, 15).within
    assert compare(expected, actual, None, 1e-9, unit="share").within
    assert not compare(expected, actual, None, 1e-10, unit="share").within
    actual[0, 2] = 0
    lost = compare(expected, actual, None, 0.9, unit="share")
    assert (lost.beyond, lost.farthest) == (1, np.inf)


def test_tiles_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = np.random.default_rng(0).normal(0, 1, 1000).astype(np.float32)
    actual = expected + np.float32(1e-3) * (np.arange(1000) % 7 == 0)
    whole = compare(expected, actual)
    monkeypatch.setattr(float_comparison, "TILE", 64)
    assert compare(expected, actual) == whole
    assert whole.mismatches == 143


def test_bfloat16_and_no_elements() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    a = np.array([1, 2], ml_dtypes.bfloat16)
    assert compare(a, (a.view(np.int16) + 3).view(ml_dtypes.bfloat16)).largest == 3
    assert compare(np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32)).exit_code == 2


@pytest.mark.parametrize(
    ("actual", "options", "argument"),
    [
        (np.zeros(3, np.float64), {}, "dtype"),
        (np.zeros(2, np.float32), {}, "shape"),
        (np.zeros(3, np.float32), {"tolerance": -1}, "tolerance"),
        (np.zeros(3, np.float32), {"tolerance": np.nan}, "tolerance"),
        (np.zeros(3, np.float32), {"unit": "LSB"}, "tolerance"),
        (np.zeros(3, np.float32), {"quantization": Parameters(np.ones(1, np.float32))}, "actual"),
        (
            np.zeros(3, np.int8),
            {"quantization": Parameters(np.ones(1, np.float32)), "tolerance": 0.5},
            "tolerance",
        ),
    ],
)
def test_invalid_inputs_are_rejected(actual: np.ndarray, options: dict[str, object], argument: str) -> None:
    with pytest.raises(QuantizerError) as refused:
        compare(np.zeros(3, np.float32), actual, **options)
    assert refused.value.argument == argument

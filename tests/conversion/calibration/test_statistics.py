"""Statistics of tensors: exact, independent of order, equal after JSON; values that are not finite are named."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from litecheck.conversion.calibration.statistics import (
    CalibrationStatistics,
    NotFinite,
    TensorStatistics,
    statistics_of,
)
from litecheck.errors import ConfigError

ANY = arrays(np.float32, st.integers(0, 30), elements=st.floats(width=32))


@given(ANY, ANY, st.booleans())
def test_order_does_not_matter(one: np.ndarray, other: np.ndarray, sketched: bool) -> None:
    a, b = statistics_of(one, 0, sketched), statistics_of(other, 1, sketched)
    assert a.merge(b).same(b.merge(a))
    both = np.concatenate([one, other])
    assert a.merge(b).elements == both.size
    finite = both[np.isfinite(both)]
    assert a.merge(b).has_values == bool(finite.size)
    if finite.size:
        assert (a.merge(b).low, a.merge(b).high) == (finite.min(), finite.max())


@given(ANY, st.booleans())
def test_json_keeps_every_bit(values: np.ndarray, sketched: bool) -> None:
    one = statistics_of(values, 3, sketched)
    whole = CalibrationStatistics(
        {(0, 7): one}, 4, "made up", "nothing", {(1, 2, "cell"): one}, "abc", ("loud",)
    )
    back = CalibrationStatistics.from_json(whole.to_json())
    assert back.tensors[0, 7].same(one)
    assert back.inner[1, 2, "cell"].same(one)
    assert (back.samples, back.source, back.runtime) == (4, "made up", "nothing")
    assert (back.model, back.warnings) == ("abc", ("loud",))
    assert back.to_json() == whole.to_json()


@pytest.mark.parametrize(
    "sketch", [[0, 0, []], [0, 0, [0, 1]], [0, 0, [1, -1, 1]], [0, 0, [1] * 2049], [0, 0]]
)
def test_an_invalid_histogram_is_an_error(sketch: list[object]) -> None:
    whole = CalibrationStatistics({(0, 0): statistics_of(np.float32([1]), 0, True)}, 1, "", "")
    facts = json.loads(whole.to_json())
    facts["tensors"][0][2]["sketch"] = sketch
    with pytest.raises(ConfigError, match="holds no calibration statistics"):
        CalibrationStatistics.from_json(json.dumps(facts))


def test_the_samples_of_both_ends_are_known() -> None:
    parts = [([-1, 2], 0), ([-5, 1], 1), ([0, 9], 2), ([-5, 3], 3)]
    ones = [statistics_of(np.float32(values), sample) for values, sample in parts]
    for order in ((0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)):
        whole = TensorStatistics()
        for n in order:
            whole = whole.merge(ones[n])
        assert (whole.low_end, whole.high_end) == ((-5, 1, -5), (9, 2, 3))
    again = statistics_of(np.float32([-8]), 1).merge(ones[1]).merge(ones[0])
    assert again.low_end == (-8, 1, -1), "two inferences of a sequence are one sample"
    assert again.shift_samples(30).low_end == (-8, 31, -1)
    facts = CalibrationStatistics({(0, 0): again}, 2, "", "")
    assert CalibrationStatistics.from_json(facts.to_json()).tensors[0, 0].low_end == (-8, 1, -1)


def test_json_has_the_shortest_digits() -> None:
    one = statistics_of(np.float32([0.1, 0.2]))
    text = CalibrationStatistics({(0, 0): one}, 1, "", "").to_json()
    assert json.loads(text)["tensors"] == [
        [0, 0, {"elements": 2, "low": 0.1, "high": 0.2, "samples": [0, 0]}]
    ]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "litecheck calibration statistics 1"}', '{"format": 3}']
)
def test_json_of_another_form_is_an_error(text: str) -> None:
    with pytest.raises(ConfigError, match=r"here\.json"):
        CalibrationStatistics.from_json(text, "here.json")


@pytest.mark.parametrize(
    ("values", "value"),
    [([1, np.nan, np.inf], "nan"), ([1, -np.inf], "inf"), ([np.inf], "inf"), ([np.nan], "nan")],
)
def test_values_that_are_not_finite_are_noted_and_excluded(values: list[float], value: str) -> None:
    one = statistics_of(np.float32(values), 5, True)
    assert one.not_finite == NotFinite(5, value)
    assert one.has_values == (1 in values)
    assert not one.has_values or one.high == 1
    assert one.elements == len(values)


def test_samples_are_counted_on_from_those_before() -> None:
    one = statistics_of(np.float32([np.nan]), 2)
    assert one.shift_samples(30).not_finite == NotFinite(32, "nan")
    assert TensorStatistics().shift_samples(30).same(TensorStatistics())


@pytest.mark.parametrize("low", [[], [1.0, 2.0], {}, None, "far"])
def test_a_range_that_is_no_number_is_an_error(low: object) -> None:
    whole = CalibrationStatistics({(0, 7): statistics_of(np.ones(3, np.float32), 0, False)}, 1, "x", "y")
    facts = json.loads(whole.to_json())
    facts["tensors"][0][2]["low"] = low
    with pytest.raises(ConfigError, match="holds no calibration statistics"):
        CalibrationStatistics.from_json(json.dumps(facts))

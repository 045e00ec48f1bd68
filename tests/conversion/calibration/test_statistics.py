"""Statistics of tensors: exact, independent of order, the same after JSON; what is not finite is named."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from litecheck.conversion.calibration.statistics import (
    CalibrationError,
    CalibrationStatistics,
    NotFinite,
    TensorStatistics,
    check_finite,
    execution_order,
    first_not_finite,
    statistics_of,
)
from litecheck.errors import ConfigError
from tests.conversion.calibration import networks

ANY = arrays(np.float32, st.integers(0, 30), elements=st.floats(width=32))


@given(ANY, ANY, st.booleans())
def test_order_does_not_matter(one: np.ndarray, other: np.ndarray, sketched: bool) -> None:
    a, b = statistics_of(one, 0, sketched), statistics_of(other, 1, sketched)
    assert a.merged(b).same(b.merged(a))
    both = np.concatenate([one, other])
    assert a.merged(b).elements == both.size
    finite = both[np.isfinite(both)]
    assert a.merged(b).seen == bool(finite.size)
    if finite.size:
        assert (a.merged(b).low, a.merged(b).high) == (finite.min(), finite.max())


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
def test_a_histogram_that_is_none_is_said(sketch: list[object]) -> None:
    whole = CalibrationStatistics({(0, 0): statistics_of(np.float32([1]), 0, True)}, 1, "", "")
    facts = json.loads(whole.to_json())
    facts["tensors"][0][2]["sketch"] = sketch
    with pytest.raises(ConfigError, match="holds no calibration statistics"):
        CalibrationStatistics.from_json(json.dumps(facts))


def test_json_has_the_shortest_digits() -> None:
    one = statistics_of(np.float32([0.1, 0.2]))
    text = CalibrationStatistics({(0, 0): one}, 1, "", "").to_json()
    assert json.loads(text)["tensors"] == [[0, 0, {"elements": 2, "low": 0.1, "high": 0.2}]]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "litecheck calibration statistics 1"}', '{"format": 3}']
)
def test_what_is_no_such_json_is_said(text: str) -> None:
    with pytest.raises(ConfigError, match=r"here\.json"):
        CalibrationStatistics.from_json(text, "here.json")


@pytest.mark.parametrize(
    ("values", "value"),
    [([1, np.nan, np.inf], "nan"), ([1, -np.inf], "inf"), ([np.inf], "inf"), ([np.nan], "nan")],
)
def test_what_is_not_finite_is_noted_and_left_out(values: list[float], value: str) -> None:
    one = statistics_of(np.float32(values), 5, True)
    assert one.not_finite == NotFinite(5, value)
    assert one.seen == (1 in values)
    assert not one.seen or one.high == 1
    assert one.elements == len(values)


def test_samples_are_counted_on_from_those_before() -> None:
    one = statistics_of(np.float32([np.nan]), 2)
    assert one.behind(30).not_finite == NotFinite(32, "nan")
    assert TensorStatistics().behind(30).same(TensorStatistics())


def test_the_first_sample_counts_then_the_first_operator() -> None:
    model = networks.layered()
    late, early = (statistics_of(np.float32([np.nan]), sample) for sample in (4, 1))
    fine = statistics_of(np.float32([1]))
    # Tensor 3 is conv, 4 squared, 6 moved.
    statistics = CalibrationStatistics({(0, 3): late, (0, 6): early, (0, 4): early, (0, 0): fine}, 5, "", "")
    assert first_not_finite(statistics, model) == ((0, 4), NotFinite(1, "nan"))
    with pytest.raises(CalibrationError, match="sample 1 makes tensor 4 'squared' hold a NaN"):
        check_finite(statistics, model)
    check_finite(CalibrationStatistics({(0, 0): fine}, 5, "", ""), model)


def test_a_nan_counts_for_more_than_an_infinity_before_it() -> None:
    infinite, spoiled = (statistics_of(np.float32([value]), n) for n, value in ((0, np.inf), (3, np.nan)))
    assert infinite.merged(spoiled).not_finite == spoiled.merged(infinite).not_finite == NotFinite(3, "nan")
    statistics = CalibrationStatistics({(0, 3): infinite, (0, 4): spoiled}, 5, "", "")
    assert first_not_finite(statistics, networks.layered()) == ((0, 4), NotFinite(3, "nan"))


def test_a_body_comes_where_it_is_called() -> None:
    order = execution_order(networks.looping())
    main = [order.index((0, index)) for index in range(5)]
    body = [order.index((2, index)) for index in range(5)]
    assert main[1] < min(body) < max(body) < main[2]
    assert body == sorted(body)


@pytest.mark.parametrize("low", [[], [1.0, 2.0], {}, None, "far"])
def test_a_range_that_is_no_number_is_an_error(low: object) -> None:
    whole = CalibrationStatistics({(0, 7): statistics_of(np.ones(3, np.float32), 0, False)}, 1, "x", "y")
    facts = json.loads(whole.to_json())
    facts["tensors"][0][2]["low"] = low
    with pytest.raises(ConfigError, match="holds no calibration statistics"):
        CalibrationStatistics.from_json(json.dumps(facts))

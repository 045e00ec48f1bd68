"""Accumulated statistics: those of merged samples, also where a sample changes no end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litecheck.conversion.calibration.running_stats import RunningStats
from litecheck.conversion.calibration.statistics import CalibrationStatistics, TensorStatistics, statistics_of

PLACE = (0, 3)
#: Few different values, so that samples have equal ends.
VALUE = st.sampled_from([-2.0, -1.0, -0.0, 0.0, 1.0, 2.0, np.inf, -np.inf, np.nan])
#: Pairs of a sample and the values of an inference. A sequence has several inferences of one sample.
RUNS = st.lists(st.tuples(st.integers(0, 1), st.lists(VALUE, max_size=3)), max_size=12)


def to_json(tensors: dict[tuple[int, int], TensorStatistics]) -> str:
    return CalibrationStatistics(tensors, 1, "", "").to_json()


@pytest.mark.parametrize("sketched", [False, True])
@given(runs=RUNS)
def test_accumulated_statistics_are_merged_statistics(
    runs: list[tuple[int, list[float]]], sketched: bool
) -> None:
    tally, sample = RunningStats(sketched), 0
    merged: dict[tuple[int, int], TensorStatistics] = {}
    for step, numbers in runs:
        sample += step
        values, tally.sample = np.float32(numbers), sample
        tally.add_all([(PLACE, values)])
        if numbers:
            one = statistics_of(values, sample, sketched)
            merged[PLACE] = merged.get(PLACE, TensorStatistics()).merge(one)
    assert to_json(dict(tally.result([PLACE], 1, "", "").tensors)) == to_json(merged)


def test_values_between_the_ends_are_counted_and_keep_the_samples_of_the_ends() -> None:
    tally = RunningStats(sketched=False)
    for tally.sample, numbers in enumerate(([-4, 4], [-3, 3], [0, 1, 2], [-3, 3])):
        tally.add(PLACE, np.float32(numbers))
    one = tally.result([PLACE], 4, "", "").tensors[PLACE]
    assert (one.low_end, one.high_end, one.elements) == ((-4, 0, -3), (4, 0, 3), 9)
    assert tally.enclosed[PLACE] == 5

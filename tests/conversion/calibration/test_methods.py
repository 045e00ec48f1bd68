"""Methods by tensor name: precedence of patterns, and errors of patterns without a match."""

from __future__ import annotations

import numpy as np
import pytest

from fixtures.detector import float_detector
from litecheck.conversion.calibration.methods import choose_ranges, range_methods
from litecheck.conversion.calibration.statistics import CalibrationStatistics, statistics_of
from litecheck.errors import ConfigError

IMAGE, FEATURES = (0, 0), (0, 3)


def statistics(sketched: bool = True) -> CalibrationStatistics:
    """Return statistics of an image with an outlier, and of features."""
    values = np.append(np.linspace(-1, 1, 9999), 50).astype(np.float32)
    tensors = {place: statistics_of(values, 0, sketched) for place in (IMAGE, FEATURES)}
    return CalibrationStatistics(tensors, 1, "one sample", "nobody")


def test_the_last_pattern_that_fits_wins() -> None:
    methods = range_methods(["mse", "image=minmax", "im*=percentile:99"])
    assert [str(methods.method_for((0, 0), name)) for name in ("image", "features")] == [
        "percentile:99",
        "mse",
    ]
    assert str(methods) == "mse, minmax for image, percentile:99 for im*"


def test_ranges_are_chosen_tensor_by_tensor() -> None:
    ranges = choose_ranges(statistics(), float_detector(), range_methods(["feat*=percentile:99"]))
    assert ranges[IMAGE] == (-1, 50)
    assert ranges[FEATURES] == pytest.approx((-0.99, 0.99), abs=0.02)


def test_histograms_are_needed_where_a_method_cuts() -> None:
    assert not range_methods([]).needs_sketches
    assert range_methods(["x=mse"]).needs_sketches
    with pytest.raises(ConfigError, match="mse needs histograms"):
        choose_ranges(statistics(sketched=False), float_detector(), range_methods(["mse"]))


def test_a_pattern_without_a_matching_tensor_is_an_error() -> None:
    with pytest.raises(ConfigError, match="no computed float32 tensor has such a name"):
        choose_ranges(statistics(), float_detector(), range_methods(["imagge=minmax"]))


def test_an_unknown_method_of_a_pattern_is_an_error() -> None:
    with pytest.raises(
        ConfigError, match=r"^--calibrate conv=minmaxx: there is no method 'minmaxx'; did you mean"
    ):
        range_methods(["conv=minmaxx"])
    with pytest.raises(
        ConfigError, match=r"^--calibrate percentile:no: got 'percentile:no', expected a number"
    ):
        range_methods(["percentile:no"])

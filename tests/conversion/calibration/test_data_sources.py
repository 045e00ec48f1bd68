"""Sources of samples in Python: single or several paths and arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import litecheck
from fixtures.detector import float_detector
from litecheck.conversion.calibration.data_sources import data_sources, words
from litecheck.conversion.settings import ConversionSettings
from litecheck.tracing.trace_settings import TraceSettings

ARRAY = np.random.default_rng(0).uniform(-1, 1, (4, 8, 8, 3)).astype(np.float32)


@pytest.mark.parametrize("given", ["x.npy", Path("x.npy"), ["x.npy"], ("x.npy",)])
def test_one_path_is_a_source_as_several_are(given: Any) -> None:
    assert data_sources("convert", given) == ("x.npy",)
    assert ConversionSettings(data=given, evaluate=given).sources == ("x.npy",)
    assert TraceSettings(data=given).words == "--data x.npy"


@pytest.mark.parametrize("given", [3, [3], [[0.5]], {"x": 1}.values()])
def test_other_types_show_the_call(given: Any) -> None:
    with pytest.raises(TypeError, match=r"litecheck\.convert\(\.\.\., data='samples\.npz'\) or data=array"):
        data_sources("convert", given)


def test_a_mapping_is_an_error_with_the_command_to_save_it() -> None:
    with pytest.raises(
        TypeError, match=r"not dict: numpy\.savez\('samples\.npz', \*\*arrays\) and litecheck\.convert"
    ):
        data_sources("convert", {"image": np.zeros(1)})  # type: ignore[arg-type]


def test_one_text_is_a_pattern_as_several_are() -> None:
    assert words("convert", "keep", "ADD") == words("convert", "keep", ["ADD"]) == ("ADD",)
    assert ConversionSettings(keep="ADD").keep == ("ADD",)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"texts as keep, not int: litecheck\.convert\(\.\.\., keep="):
        ConversionSettings(keep=3)  # type: ignore[arg-type]


def test_an_array_gives_the_ranges_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "x.npy"
    np.save(file, ARRAY)
    records = [
        litecheck.convert(float_detector(), data=data, device="litecheck", agreement=False)
        for data in (ARRAY, file, str(file), [ARRAY])
    ]
    ranges = [[one.values for one in record.tensors] for record in records]
    assert ranges[0] == ranges[1] == ranges[2] == ranges[3]
    assert records[0].calibration is not None
    assert records[0].calibration.statistics.source == "4 samples of the array"
    with pytest.raises(litecheck.ConfigError, match="random:8 draws 8 random samples"):
        litecheck.convert(float_detector(), data="random", device="litecheck")

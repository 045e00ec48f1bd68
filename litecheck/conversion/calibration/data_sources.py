"""Sources of samples in the forms of the Python library: paths, arrays and samples, one or several."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.errors import wrong_type

DataSource = str | NDArray[Any] | CalibrationData
DataSources = DataSource | Path | Iterable[DataSource | Path]
_SOURCES = (str, os.PathLike, np.ndarray, CalibrationData)


def data_sources(function: str, given: DataSources) -> tuple[DataSource, ...]:
    """Return the sources as a tuple: a single path, array or set of samples counts as one. Raises TypeError.

    For example, "x.npy" and ["x.npy"] give ("x.npy",).
    """
    if isinstance(given, Mapping):
        call = f"numpy.savez('samples.npz', **arrays) and litecheck.{function}(..., data='samples.npz')"
        raise wrong_type(function, "paths or arrays as data", given, call)
    single = isinstance(given, _SOURCES) or not isinstance(given, Iterable)
    several: list[Any] = [given] if single else list(given)  # type: ignore[arg-type]
    for one in several:
        if not isinstance(one, _SOURCES):
            call = f"litecheck.{function}(..., data='samples.npz') or data=array, with the samples along the first axis"
            raise wrong_type(function, "paths or arrays as data", one, call)
    return tuple(os.fspath(one) if isinstance(one, os.PathLike) else one for one in several)


def words(function: str, name: str, given: str | Iterable[str]) -> tuple[str, ...]:
    """Return texts as a tuple; a single text counts as one. Raises TypeError. Example: "ADD" gives ("ADD",)."""
    several = (given,) if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    for one in several:
        if not isinstance(one, str):
            raise wrong_type(
                function, f"texts as {name}", one, f"litecheck.{function}(..., {name}=('CONV_2D',))"
            )
    return several

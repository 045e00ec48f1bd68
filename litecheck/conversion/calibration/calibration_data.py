"""Calibration data: .npz and .npy files, folders of them or of images, scripts, random values; read sample by sample."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from litecheck.conversion.calibration.array_data import archives, one_array, one_by_one
from litecheck.conversion.calibration.dataset import CalibrationData, DataOptions
from litecheck.conversion.calibration.image_files import IMAGES
from litecheck.errors import ConfigError
from litecheck.files import files_in
from litecheck.model.types import Model
from litecheck.summary_text import counted

_ARRAYS = (".npz", ".npy")


def open_data(
    path: str | Path | None,
    model: Model,
    *,
    random: int | None = None,
    seed: int = 0,
    options: DataOptions | None = None,
) -> CalibrationData:
    """Return the samples of a path, or ``random`` drawn samples without a path.

    A .npz file has an array for each input, with a leading axis of samples. A folder has such .npz files, .npy files of
    one sample each (a folder for each input if there are several; files with the same name belong together), or images. A
    Python file defines ``get_calibration_data()``. Raises ConfigError, also while samples are read.
    """
    chosen = options or DataOptions()
    if path is None:
        if not random:
            raise ConfigError("no calibration data; give a file or folder of samples, or ask for random ones")
        from litecheck.conversion.calibration.random_data import random_data

        return random_data(model, random, seed, chosen.signature)
    if random:
        raise ConfigError("calibration data and random samples: give one of them")
    place = Path(path)
    if not place.exists():
        raise ConfigError(f"{path}: no such file or folder")
    found = _of_path(place, model, chosen)
    if found.count == 0:
        raise ConfigError(f"{path}: holds no samples")
    if chosen.preprocessing and not _holds_images(place):
        raise ConfigError(
            f"--preprocessing {chosen.preprocessing} is for images; {path} holds arrays, which are fed as they are"
        )
    return limited(found, chosen.most)


def _of_path(place: Path, model: Model, options: DataOptions) -> CalibrationData:
    if place.suffix == ".py":
        from litecheck.conversion.calibration.script import script_data

        return script_data(place, model, options)
    if place.is_dir():
        return _folder(place, model, options)
    if place.suffix == ".npz":
        return archives([place], str(place), model, options)
    if place.suffix == ".npy":
        return one_array(place, model, options)
    raise ConfigError(f"{place}: calibration data are .npz, .npy, a folder, or a Python file")


def _holds_images(place: Path) -> bool:
    """Return True if a path is read as a folder of images."""
    suffixes = {file.suffix.lower() for file in files_in(place)} if place.is_dir() else set()
    return bool(suffixes & set(IMAGES)) and ".npz" not in suffixes


def limited(data: CalibrationData, most: int | None) -> CalibrationData:
    """Return at most this many samples of the data."""
    if most is None or (data.count is not None and data.count <= most):
        return data
    words = f"the first {counted(most, 'sample')} of {data.described}"
    count = None if data.count is None else most
    return CalibrationData(lambda: islice(data.read(), most), words, count, data.warnings)


def _folder(place: Path, model: Model, options: DataOptions) -> CalibrationData:
    files = files_in(place)
    packed = [file for file in files if file.suffix == ".npz"]
    if packed:
        return archives(packed, str(place), model, options)
    images = [file for file in files if file.suffix.lower() in IMAGES]
    if images:
        from litecheck.conversion.calibration.images import image_data

        return image_data(images, place, model, options)
    if any(file.suffix == ".npy" or file.is_dir() for file in files):
        return one_by_one(place, model, options)
    raise ConfigError(f"{place}: holds no samples (looked for {' '.join((*_ARRAYS, *IMAGES))})")

"""Calibration data: .npz and .npy files, folders of them or of images, scripts, random values; read sample by sample."""

from __future__ import annotations

import os
from collections.abc import Collection
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.calibration.array_data import archives, array_samples, one_array, one_by_one
from litecheck.conversion.calibration.dataset import CalibrationData, DataOptions
from litecheck.conversion.calibration.image_files import IMAGES
from litecheck.errors import ConfigError, InputError
from litecheck.files import files_in
from litecheck.model.types import Model
from litecheck.quantizer.array_files import read_tensor
from litecheck.quantizer.npy import arrays_in, npz_header
from litecheck.spelling import similar_file
from litecheck.summary_text import count_of

_ARRAYS = (".npz", ".npy")
#: Levels of folders below a folder of images.
_DEPTH = 3


def open_data(
    path: str | Path | NDArray[Any] | None,
    model: Model,
    *,
    random: int | None = None,
    seed: int = 0,
    options: DataOptions | None = None,
) -> CalibrationData:
    """Return the samples of a path or array, or ``random`` drawn samples without a path.

    A .npz file has an array for each input, with a leading axis of samples. A folder has such .npz files, .npy files of
    one sample each (a folder for each input if there are several; files with the same name belong together), or images,
    also in a folder for each class. A Python file defines ``get_calibration_data()``. Raises ConfigError, also while
    samples are read.
    """
    chosen = options or DataOptions()
    if path is None:
        if not random:
            raise ConfigError("no calibration data; give a file or folder of samples, or ask for random ones")
        from litecheck.conversion.calibration.random_data import random_data

        return random_data(model, random, seed, chosen.signature)
    if random:
        raise ConfigError("calibration data and random samples: give one of them")
    if isinstance(path, np.ndarray):
        return limit_samples(array_samples(path, "the array", model, chosen), chosen.most)
    place = Path(path)
    if not os.path.exists(place):
        hint = "; random:8 draws 8 random samples" if place.name == "random" else similar_file(path)
        raise InputError(f"{path}: no such file or folder{hint}")
    found = _open_path(place, model, chosen)
    if found.count == 0:
        raise InputError(f"{path}: holds no samples")
    if chosen.preprocessing and not takes_preprocessing(place):
        raise ConfigError(
            f"--preprocessing {chosen.preprocessing} is for images and uint8 arrays; {path} holds arrays of other types, "
            "which are fed as they are"
        )
    return limit_samples(found, chosen.most)


def _open_path(place: Path, model: Model, options: DataOptions) -> CalibrationData:
    if place.suffix == ".py":
        from litecheck.conversion.calibration.script import script_data

        return script_data(place, model, options)
    if os.path.isdir(place):
        return _folder(place, model, options)
    if place.suffix == ".npz":
        return archives([place], str(place), model, options)
    if place.suffix == ".npy":
        return one_array(place, model, options)
    raise InputError(
        f"{place}: calibration data are .npz, .npy, a folder of these or of images, or a Python file"
    )


def _image_files(place: Path, depth: int = _DEPTH) -> list[Path]:
    """Return the images of a folder or, without any, of its folders; none if the folder has arrays.

    Folders are classes, from which images are taken in turn, so that the first samples are from all classes.
    """
    files = files_in(place) if os.path.isdir(place) else []
    suffixes = {file.suffix.lower() for file in files}
    if ".npz" in suffixes:
        return []
    if suffixes & set(IMAGES) or suffixes & set(_ARRAYS) or not depth:
        return [file for file in files if file.suffix.lower() in IMAGES]
    classes = [_image_files(folder, depth - 1) for folder in files if os.path.isdir(folder)]
    return [image for turn in zip_longest(*classes) for image in turn if image is not None]


def takes_preprocessing(source: object) -> bool:
    """Return True if ``--preprocessing`` applies to a source of samples: images, uint8 arrays, or a script."""
    if isinstance(source, str | Path):
        return bool(_image_files(Path(source))) or _holds_bytes(Path(source))
    return isinstance(source, np.ndarray) and source.dtype == np.uint8


def _holds_bytes(place: Path) -> bool:
    """Return True if a path has uint8 arrays, or is a script, whose arrays are not known before it runs."""
    if os.path.isdir(place):
        return any(_holds_bytes(file) for file in files_in(place))
    if place.suffix == ".npz":
        return any(npz_header(str(place), key).dtype == "uint8" for key in arrays_in(place))
    return place.suffix == ".py" or (
        place.suffix == ".npy" and read_tensor(str(place)).values.dtype == "uint8"
    )


def limit_samples(data: CalibrationData, most: int | None) -> CalibrationData:
    """Return at most this many samples of the data."""
    if most is None or (data.count is not None and data.count <= most):
        return data
    words = f"the first {count_of(most, 'sample')} of {data.description}"
    count = None if data.count is None else most
    return CalibrationData(lambda: islice(data.iterate(), most), words, count, data.warnings)


def spread_samples(total: int | None, left_out: Collection[int], most: int) -> frozenset[int]:
    """Return the numbers of at most ``most`` evenly spread samples; the first samples if their number is not known.

    Example: 4 of 64 samples without sample 16 are 0, 15, 32 and 48; of an unknown number, they are 0, 1, 2 and 3.
    """
    usual = [n for n in range(most + len(left_out) if total is None else total) if n not in left_out]
    if len(usual) <= most:
        return frozenset(usual)
    count = most if total is None else len(usual)
    return frozenset(usual[n * count // most] for n in range(most))


def select_samples(data: CalibrationData, numbers: Collection[int]) -> CalibrationData:
    """Return the samples of these numbers, read once and held in memory."""
    read = enumerate(islice(data, max(numbers, default=-1) + 1))
    chains = [chain for number, chain in read if number in numbers]
    words = f"{count_of(len(chains), 'sample')} of {data.description}"
    return CalibrationData(lambda: iter(chains), words, len(chains), data.warnings)


def exclude_samples(data: CalibrationData, numbers: Collection[int]) -> CalibrationData:
    """Return all samples but those of these numbers."""
    if not numbers:
        return data
    count = None if data.count is None else data.count - len(numbers)
    return CalibrationData(
        lambda: (chain for n, chain in enumerate(data.iterate()) if n not in numbers),
        data.description,
        count,
        data.warnings,
    )


def _folder(place: Path, model: Model, options: DataOptions) -> CalibrationData:
    files = files_in(place)
    packed = [file for file in files if file.suffix == ".npz"]
    if packed:
        return archives(packed, str(place), model, options)
    if images := _image_files(place):
        from litecheck.conversion.calibration.images import image_data

        return image_data(images, place, model, options)
    if any(file.suffix == ".npy" or os.path.isdir(file) for file in files):
        return one_by_one(place, model, options)
    raise InputError(f"{place}: holds no samples (looked for {' '.join((*_ARRAYS, *IMAGES))})")

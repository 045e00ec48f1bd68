"""Calibration data from arrays: .npz files, .npy files, folders of them, read part by part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.convert.calibration.dataset import CalibrationData, DataOptions
from litecheck.convert.calibration.samples import Chain, chained, fitting, input_names
from litecheck.errors import ConfigError
from litecheck.model.types import Model
from litecheck.quantizer.arrays import read
from litecheck.quantizer.npy import arrays_in, npz_header, npz_rows
from litecheck.reference.engine.entry import EntryPoint, entry
from litecheck.report import counted


def archives(files: Sequence[Path], described: str, model: Model, options: DataOptions) -> CalibrationData:
    """.npz files one behind the other, each with an axis of samples."""
    lengths = [length for file in files for length in _lengths(file, model, options)]

    def chains() -> Iterator[Chain]:
        for file in files:
            yield from _of_archive(file, model, options)

    return CalibrationData(chains, f"{counted(sum(lengths), _noun(options))} of {described}", sum(lengths))


def _noun(options: DataOptions) -> str:
    return "sequence" if options.sequences else "sample"


def _lengths(file: Path, model: Model, options: DataOptions) -> Iterator[int]:
    """How many chains a file has for each signature. Raises ConfigError where the arrays of inputs disagree."""
    for where, named in input_names(str(file), model, options.signature, list(arrays_in(file))).items():
        point = entry(model, where)
        lengths = {}
        for key, name in named.items():
            shape = npz_header(str(file), key).shape
            fit = fitting(str(file), point, name, shape, options.sequences)
            lengths[key] = shape[0] if fit.lead else 1
        if len(set(lengths.values())) > 1:
            words = ", ".join(f"{key} {length}" for key, length in lengths.items())
            raise ConfigError(f"{file}: arrays of different numbers of samples: {words}")
        yield from list(lengths.values())[:1]


def _of_archive(file: Path, model: Model, options: DataOptions) -> Iterator[Chain]:
    for where, named in input_names(str(file), model, options.signature, list(arrays_in(file))).items():
        point = entry(model, where)
        fittings, parts = [], []
        for key, name in named.items():
            shape = npz_header(str(file), key).shape
            fittings.append(fitting(str(file), point, name, shape, options.sequences))
            whole = (read(f"{file}:{key}").values for _ in range(1))
            parts.append(npz_rows(str(file), key) if fittings[-1].lead else whole)
        for number, rows in enumerate(zip(*parts, strict=True)):
            yield chained(fittings, f"{file}, sample {number}", rows, where)


def one_array(file: Path, model: Model, options: DataOptions) -> CalibrationData:
    """One .npy file with an axis of samples, for a model of one input."""
    values = read(str(file)).values
    ((where, named),) = input_names(str(file), model, options.signature, ["0"]).items()
    fit = fitting(str(file), entry(model, where), named["0"], values.shape, options.sequences)
    rows = values if fit.lead else values[np.newaxis]

    def chains() -> Iterator[Chain]:
        for number, row in enumerate(rows):
            yield chained([fit], f"{file}, sample {number}", [row], where)

    return CalibrationData(chains, f"{counted(len(rows), _noun(options))} of {file}", len(rows))


def one_by_one(place: Path, model: Model, options: DataOptions) -> CalibrationData:
    """A folder of .npy files, a sample or a sequence each; or one such folder for each input."""
    folders = [folder for folder in sorted(place.iterdir()) if folder.is_dir() and any(folder.glob("*.npy"))]
    keys = {folder.name: folder for folder in folders} or {"0": place}
    ((where, named),) = input_names(str(place), model, options.signature, list(keys)).items()
    names = {key: sorted(file.name for file in keys[key].glob("*.npy")) for key in named}
    first, *others = names.values()
    for key, other in zip(list(names)[1:], others, strict=True):
        if other != first:
            odd = sorted(set(first) ^ set(other))[0]
            raise ConfigError(f"{place}: {odd} is not there for every input, see {keys[key]}")
    point = entry(model, where)

    def chains() -> Iterator[Chain]:
        for file in first:
            arrays = {name: read(str(keys[key] / file)).values for key, name in named.items()}
            yield _of_arrays(str(place / file), point, arrays, options)

    return CalibrationData(chains, f"{counted(len(first), _noun(options))} of {place}", len(first))


def _of_arrays(
    source: str, point: EntryPoint, arrays: Mapping[str, NDArray[Any]], options: DataOptions
) -> Chain:
    """The sample, or the sequence, of a file for each input."""
    if not options.sequences:
        fits = [fitting(source, point, name, a.shape, False, single=True) for name, a in arrays.items()]
        return chained(fits, source, list(arrays.values()), options.signature)
    shapes = {name: (1, *values.shape) for name, values in arrays.items()}
    fits = [fitting(source, point, name, shape, True) for name, shape in shapes.items()]
    return chained(fits, source, list(arrays.values()), options.signature)

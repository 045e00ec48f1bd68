"""Calibration data from arrays: .npz files, .npy files, and folders of them, read in parts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.calibration.dataset import CalibrationData, DataOptions
from litecheck.conversion.calibration.samples import Chain, Fitting, fitting, input_names, make_chain
from litecheck.errors import ConfigError, InputError
from litecheck.files import files_in
from litecheck.model.types import Model
from litecheck.quantizer.array_files import read_tensor
from litecheck.quantizer.npy import arrays_in, npz_header, npz_rows, read_npz
from litecheck.reference.engine.entry_point import EntryPoint, entry
from litecheck.summary_text import count_of


def archives(files: Sequence[Path], described: str, model: Model, options: DataOptions) -> CalibrationData:
    """Return the samples of .npz files in order. Each array has an axis of samples."""
    parts = [part for file in files for part in _parts(file, model, options)]
    count = sum(part.length for part in parts)
    used = dict.fromkeys(key for part in parts for key in part.fits)
    others = any(len(arrays_in(part.file)) > len(part.fits) for part in parts)
    which = f" ({', '.join(used)})" if others else ""

    def chains() -> Iterator[Chain]:
        for part in parts:
            yield from part.chains()

    return CalibrationData(chains, f"{count_of(count, _noun(options))} of {described}{which}", count)


def _noun(options: DataOptions) -> str:
    return "sequence" if options.sequences else "sample"


@dataclass(frozen=True, slots=True)
class ArchivePart:
    """The samples of a .npz file for an entry point: the fitting of its arrays by key, and the number of samples."""

    file: Path
    signature: str | None
    fits: Mapping[str, Fitting]
    length: int

    def chains(self) -> Iterator[Chain]:
        """Yield the samples, each read when it is needed."""
        rows = [self._rows(key, fit) for key, fit in self.fits.items()]
        for number, parts in enumerate(zip(*rows, strict=True)):
            yield make_chain(list(self.fits.values()), f"{self.file}, sample {number}", parts, self.signature)

    def _rows(self, key: str, fit: Fitting) -> Iterator[NDArray[Any]]:
        return npz_rows(str(self.file), key) if fit.lead else iter([read_npz(str(self.file), key)])


def _parts(file: Path, model: Model, options: DataOptions) -> Iterator[ArchivePart]:
    """Yield the parts of a file for each entry point. Raises ConfigError if arrays have different numbers of samples."""
    shapes = {key: npz_header(str(file), key).shape for key in arrays_in(file)}
    for where, named in _match_inputs(str(file), model, options, shapes).items():
        fits = {
            key: fitting(
                str(file), entry(model, where), name, shapes[key], options.sequences, scaling=options.scaling
            )
            for key, name in named.items()
        }
        lengths = {key: shapes[key][0] if fit.lead else 1 for key, fit in fits.items()}
        if len(set(lengths.values())) > 1:
            words = ", ".join(f"{key} {length}" for key, length in lengths.items())
            raise InputError(f"{file}: arrays of different numbers of samples: {words}")
        yield ArchivePart(file, where, fits, min(lengths.values()))


def _match_inputs(
    source: str, model: Model, options: DataOptions, shapes: Mapping[str, tuple[int, ...]]
) -> Mapping[str | None, Mapping[str, str]]:
    """Return the input of each array, by signature. Raises ConfigError.

    If the model has one input and no array has its name, the only array that fits is used. Other arrays in the file, such
    as labels, are ignored.
    """
    try:
        return input_names(source, model, options.signature, list(shapes))
    except ConfigError:
        inputs = [name for name, _ in entry(model, options.signature).inputs]
        fit = [key for key in shapes if inputs and _fits(source, model, options, inputs[0], shapes[key])]
        if len(inputs) != 1 or len(fit) != 1:
            raise
        return {options.signature: {fit[0]: inputs[0]}}


def _fits(source: str, model: Model, options: DataOptions, name: str, shape: tuple[int, ...]) -> bool:
    try:
        fitting(source, entry(model, options.signature), name, shape, options.sequences)
    except ConfigError:
        return False
    return True


def one_array(file: Path, model: Model, options: DataOptions) -> CalibrationData:
    """Return the samples of a .npy file with an axis of samples, for a model with one input."""
    return array_samples(read_tensor(str(file)).values, str(file), model, options)


def array_samples(values: NDArray[Any], source: str, model: Model, options: DataOptions) -> CalibrationData:
    """Return the samples of an array with an axis of samples, for a model with one input."""
    ((where, named),) = input_names(source, model, options.signature, ["0"]).items()
    fit = fitting(
        source, entry(model, where), named["0"], values.shape, options.sequences, scaling=options.scaling
    )
    rows = values if fit.lead else values[np.newaxis]

    def chains() -> Iterator[Chain]:
        for number, row in enumerate(rows):
            yield make_chain([fit], f"{source}, sample {number}", [row], where)

    return CalibrationData(chains, f"{count_of(len(rows), _noun(options))} of {source}", len(rows))


def one_by_one(place: Path, model: Model, options: DataOptions) -> CalibrationData:
    """Return the samples of a folder of .npy files, each a sample or a sequence, or of such a folder for each input."""
    folders = [folder for folder in files_in(place) if os.path.isdir(folder) and _arrays_in(folder)]
    keys = {folder.name: folder for folder in folders} or {"0": place}
    ((where, named),) = input_names(str(place), model, options.signature, list(keys)).items()
    names = {key: _arrays_in(keys[key]) for key in named}
    first, *others = names.values()
    for key, other in zip(list(names)[1:], others, strict=True):
        if other != first:
            odd = sorted(set(first) ^ set(other))[0]
            raise InputError(f"{place}: {odd} is not there for every input, see {keys[key]}")
    point = entry(model, where)

    def chains() -> Iterator[Chain]:
        for file in first:
            arrays = {name: read_tensor(str(keys[key] / file)).values for key, name in named.items()}
            yield _read_samples(str(place / file), point, arrays, where, options)

    return CalibrationData(chains, f"{count_of(len(first), _noun(options))} of {place}", len(first))


def _arrays_in(folder: Path) -> list[str]:
    return [file.name for file in files_in(folder) if file.suffix == ".npy"]


def _read_samples(
    source: str,
    point: EntryPoint,
    arrays: Mapping[str, NDArray[Any]],
    signature: str | None,
    options: DataOptions,
) -> Chain:
    """Return the sample, or the sequence, of a file for each input."""
    # A file has a single sequence: an axis of sequences would have length 1.
    sequences = options.sequences
    shapes = {name: (1,) * sequences + values.shape for name, values in arrays.items()}
    single = not sequences
    fits = [
        fitting(source, point, name, shape, sequences, single, options.scaling)
        for name, shape in shapes.items()
    ]
    return make_chain(fits, source, list(arrays.values()), signature)

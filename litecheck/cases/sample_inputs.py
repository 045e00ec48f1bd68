"""Calibration sets as inputs: .npz files, folders of them, or a script that exposes ``get_calibration_data``."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from litecheck.arrays import Array
from litecheck.cases.inputs import quantize_input
from litecheck.errors import ConfigError
from litecheck.files import files_in
from litecheck.input_shapes import shape_mismatch
from litecheck.processes.child import ChildProcess, exit_name
from litecheck.processes.python import python_command
from litecheck.quantizer.array_files import read_tensor
from litecheck.quantizer.npy import arrays_in
from litecheck.reference.engine.entry_point import EntryPoint
from litecheck.spelling import similar_file

Sample = Mapping[str, Array]

#: Time limit of a calibration script in seconds.
PATIENCE = 600.0


def samples(path: str, point: EntryPoint, signature: str | None = None, most: int = 16) -> tuple[Sample, ...]:
    """Return at most ``most`` samples for an entry point, stored values by the names of its inputs.

    Real values of integer inputs are quantized with the input's scale and zero point. Positions (``0``, ``arr_0``) also
    name inputs. An array with one dimension more than its input, or with a longer first dimension, has several samples.
    Raise ConfigError for an array that fits no input.
    """
    place = Path(path)
    if not os.path.exists(place):
        raise ConfigError(f"{path}: no such file or folder{similar_file(path)}")
    found: list[Sample] = []
    for source, arrays in _read(place, signature, most):
        for sample in _separate_samples(source, point, arrays):
            if len(found) < most:
                found.append(sample)
    if not found:
        raise ConfigError(f"{path}: holds no samples (looked for .npz and .npy)")
    return tuple(found)


def _read(place: Path, signature: str | None, most: int) -> Iterator[tuple[str, Sample]]:
    if place.suffix == ".py":
        with tempfile.TemporaryDirectory(prefix="litecheck-") as folder:
            _run_script(place, folder, signature, most)
            for file in sorted(Path(folder).glob("*.npz")):
                yield str(place), _arrays(file)
        return
    files = [f for f in files_in(place) if f.suffix in (".npz", ".npy")] if os.path.isdir(place) else [place]
    for file in files[:most]:
        yield str(file), _arrays(file)


def _arrays(file: Path) -> Sample:
    if file.suffix == ".npy":
        return {"0": read_tensor(str(file)).values}
    if file.suffix != ".npz":
        raise ConfigError(f"{file}: is neither .npz, .npy, a folder nor a script")
    return {name: read_tensor(f"{file}:{name}").values for name in arrays_in(file)}


def _run_script(script: Path, folder: str, signature: str | None, most: int) -> None:
    command = python_command(
        "litecheck.cases.data_script:main", str(script), folder, signature or "", str(most)
    )
    with (
        tempfile.TemporaryFile() as log,
        ChildProcess(command, stderr=log) as child,
        child.time_limit(PATIENCE) as limit,
    ):
        code = child.process.wait()
        log.seek(0)
        words = log.read().decode("utf-8", "replace").strip().splitlines()
    if limit.exceeded:
        raise ConfigError(f"{script}: gave no data within {PATIENCE:.0f} s")
    if code:
        last = words[-1:] or [f"ended with {exit_name(code)}"]
        raise ConfigError(f"{script}: gave no data: {last[0]}")


def _separate_samples(source: str, point: EntryPoint, arrays: Sample) -> Iterator[Sample]:
    """Yield the complete samples of a file. Raise ConfigError if an input has no array."""
    by_input: dict[str, list[Array]] = {}
    names = [name for name, _ in point.inputs]
    for key, array in arrays.items():
        name = _input(source, key, names, point)
        by_input[name] = _split_samples(source, point, name, array)
    missing = [name for name in names if name not in by_input]
    if missing:
        raise ConfigError(f"{source}: has nothing for input {missing[0]!r}; it has {', '.join(arrays)}")
    for parts in zip(*by_input.values(), strict=False):
        yield dict(zip(by_input, parts, strict=True))


def _input(source: str, key: str, names: list[str], point: EntryPoint) -> str:
    tensors = {point.subgraph.tensors[index].name: name for name, index in point.inputs}
    if key in names:
        return key
    if key in tensors:
        return tensors[key]
    number = key.removeprefix("arr_")
    if number.isdecimal() and int(number) < len(names):
        return names[int(number)]
    raise ConfigError(f"{source}: there is no input {key!r}; there are {', '.join(names) or 'none'}")


def _split_samples(source: str, point: EntryPoint, name: str, array: Array) -> list[Array]:
    tensor = point.subgraph.tensors[dict(point.inputs)[name]]
    shape = tensor.shape_signature or tensor.shape
    if array.ndim == len(shape) + 1 and _fits_shape(array.shape[1:], shape):
        parts = list(array)
    elif _fits_shape(array.shape, shape):
        parts = [array]
    elif array.ndim == len(shape) and shape and shape[0] == 1 and _fits_shape(array.shape[1:], shape[1:]):
        parts = [array[n : n + 1] for n in range(len(array))]
    else:
        raise ConfigError(f"{source}: {shape_mismatch(name, array.shape, shape, ('N',))}")
    return [quantize_input(tensor, np.ascontiguousarray(part)) for part in parts]


def _fits_shape(given: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return len(given) == len(wanted) and all(w in (-1, g) for g, w in zip(given, wanted, strict=True))

"""Outputs in a folder or a .npz file: found by position or by name, as .npy or raw bytes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.devices.port import TooLargeError
from litecheck.errors import ConfigError
from litecheck.files import is_inside, open_file
from litecheck.model.stored_values import unpack
from litecheck.model.types import Model, Tensor
from litecheck.quantization import BITS
from litecheck.quantizer.array_files import read_tensor
from litecheck.quantizer.npy import arrays_in

_RAW = (".bin", ".raw")
#: Maximum size of an element in bytes: float64, if a device returns real values for integers.
_WIDEST = 8
#: Upper bound for the header of a .npy file, in bytes.
_HEADER = 1 << 12
#: Size in bytes up to which every file is read, because only the runtime knows the shapes of some outputs.
SMALL = 1 << 24


def check(name: str, size: int, tensor: Tensor, runs: int = 1) -> None:
    """Raise TooLargeError for a file of ``size`` bytes that is too large for ``runs`` outputs of the tensor."""
    most = max(SMALL, runs * _WIDEST * tensor.size + _HEADER)
    if size > most:
        shape = "x".join(map(str, tensor.shape)) or "scalar"
        wanted = f"{runs} times {tensor.dtype} {shape}" if runs > 1 else f"{tensor.dtype} {shape}"
        raise TooLargeError(f"{name} has {size:,} bytes; '{tensor.name}' is {wanted}, it is not read")


def check_file(file: Path, tensor: Tensor, runs: int = 1) -> None:
    """Check a file by its size on disk with :func:`check`. Raises TooLargeError and OSError."""
    check(file.name, file.stat().st_size, tensor, runs)


def outputs(model: Model) -> tuple[Tensor, ...]:
    """Return the output tensors of the model's entry point."""
    main = model.subgraphs[0]
    return tuple(main.tensors[index] for index in main.outputs)


def names_of(tensor: Tensor, position: int | None) -> tuple[str, ...]:
    """Return the possible names of an output: ``output_0`` for position 0, its tensor's name, and this name as a file name.

    For example, position 0 and ``a/b:0`` give ``output_0``, ``a/b:0`` and ``a_b_0``.
    """
    at = () if position is None else (f"output_{position}",)
    return tuple(dict.fromkeys((*at, tensor.name, file_name(tensor.name))))


def file_name(name: str) -> str:
    """Return a tensor's name as a file name, with ``_`` for unsuitable characters. Example: ``a/b:0`` gives ``a_b_0``."""
    return re.sub(r"[^\w.-]", "_", name)


def find_output(
    place: Path,
    tensor: Tensor,
    names: Iterable[str],
    prefix: str = "",
    runs: int | None = None,
    within: Path | None = None,
) -> NDArray[Any] | None:
    """Return an output from a folder or archive under the first name that is present, each with ``prefix``; None if
    absent.

    Raw bytes (.bin, .raw) get the tensor's type and shape (packed below eight bits). Bytes that do not fill the tensor
    stay flat, so that the wrong shape is visible. They get the tensor's type if the size is a multiple of its element,
    else uint8. Raises LitecheckError for files that cannot be read, and TooLargeError for files much larger than
    ``runs`` of the tensor. Links must not leave the folder ``within``.
    """
    names = [f"{prefix}{name}" for name in names]
    if place.suffix == ".npz":
        _check_inside(place, within)
        return _read_member(place, names, tensor, runs)
    for name in names:
        if name.startswith("/") or ".." in name.split("/"):
            continue
        with suppress(OSError, ValueError):  # a tensor's name may be invalid as a file name
            if os.path.isfile(file := place / f"{name}.npy"):
                _check_inside(file, within)
                if runs is not None:
                    check_file(file, tensor, runs)
                return read_tensor(str(file)).values
            for raw in (place / f"{name}{suffix}" for suffix in _RAW):
                if os.path.isfile(raw):
                    _check_inside(raw, within)
                    check_file(raw, tensor)
                    return _with_dtype(_read_bytes(raw), tensor)
    for archive in _archives(place):
        _check_inside(archive, within)
        values = _read_member(archive, names, tensor, runs)
        if values is not None:
            return values
    return None


def _check_inside(file: Path, folder: Path | None) -> None:
    if folder is not None and not is_inside(file, folder):
        raise ConfigError(f"{file}: the link leaves the folder {folder}: expected a file inside the folder")


def _read_bytes(file: Path) -> NDArray[np.uint8]:
    with open_file(file) as stream:
        return np.fromfile(stream, np.uint8)


def find_runs(place: Path, tensor: Tensor, names: Iterable[str], runs: int) -> list[NDArray[Any]] | None:
    """Return an output of several runs in a folder, None if there is no file.

    The runs are concatenated in one file (.npy with one more dimension, or raw bytes), or each has a file of any shape.
    The names of these files end in ``_run_0``, ``_run_1`` and so on. Raises ValueError for a file with a different
    number of runs, LitecheckError for an unreadable file.
    """
    names = tuple(names)
    if any("_run_" in file.name for file in place.iterdir()):
        separate = [
            find_output(place, tensor, [f"{name}_run_{n}" for name in names], runs=1) for n in range(runs)
        ]
        if any(values is not None for values in separate):
            return (
                None if any(values is None for values in separate) else [a for a in separate if a is not None]
            )
    for name in names:
        for raw in (place / f"{name}{suffix}" for suffix in _RAW):
            if os.path.isfile(raw):
                return _split_runs(raw, tensor, runs)
    values = find_output(place, tensor, names, runs=runs)
    if values is not None and (not values.ndim or len(values) != runs):
        raise ValueError(
            f"{names[0]} has shape {list(values.shape)}: the first dimension should be {runs} runs"
        )
    return None if values is None else list(values)


def count_written_runs(place: Path, tensor: Tensor) -> int:
    """Return the number of runs whose first output is complete in the files of a running program."""
    with suppress(OSError):
        raw = next((f for f in (place / f"output_0{suffix}" for suffix in _RAW) if os.path.isfile(f)), None)
        if raw is not None:
            return raw.stat().st_size // max(tensor.nbytes or 1, 1)
        return sum(f.name.startswith("output_0_run_") for f in place.iterdir())
    return 0


def _split_runs(file: Path, tensor: Tensor, runs: int) -> list[NDArray[Any]]:
    check_file(file, tensor, runs)
    size, each = file.stat().st_size, tensor.nbytes or 0
    if size % runs or size > 8 * runs * max(each, 1):
        raise ValueError(f"{file.name} has {size:,} bytes; {runs} runs of {each:,} bytes are {runs * each:,}")
    return [_with_dtype(row, tensor) for row in _read_bytes(file).reshape(runs, -1)]


def _archives(folder: Path) -> Iterator[Path]:
    """Yield the .npz files of a folder, by name."""
    with suppress(OSError):
        yield from sorted(p for p in folder.iterdir() if p.suffix == ".npz" and os.path.isfile(p))


def _read_member(
    archive: Path, names: Iterable[str], tensor: Tensor, runs: int | None
) -> NDArray[Any] | None:
    sizes: dict[str, int] = {}
    with suppress(ConfigError):  # the file is not an .npz archive
        sizes = {name: entry.file_size for name, entry in arrays_in(archive).items()}
    name = next((n for n in names if n in sizes), None)
    if name is None:
        return None
    if runs is not None:
        check(f"{archive.name}:{name}", sizes[name], tensor, runs)
    return read_tensor(f"{archive}:{name}").values


def _with_dtype(data: NDArray[np.uint8], tensor: Tensor) -> NDArray[Any]:
    if BITS.get(tensor.dtype, 8) < 8:
        if data.size == tensor.nbytes:
            return unpack(data, tensor.dtype, tensor.size).reshape(tensor.shape)
        signed = data if tensor.dtype.startswith("u") else data.view(np.int8)
        return signed.reshape(tensor.shape) if data.size == tensor.size else data
    with suppress(TypeError):
        dtype: np.dtype[Any] = np.dtype(tensor.dtype).newbyteorder("<")
        if data.size == tensor.nbytes:
            return data.view(dtype).reshape(tensor.shape)
        if data.size % dtype.itemsize == 0:
            return data.view(dtype)
    return data

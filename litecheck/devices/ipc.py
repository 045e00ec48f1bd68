"""Arrays passed between processes through a file: a line of JSON, then raw values. Reading executes no code."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import IO, Any, overload

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays, StackedRuns
from litecheck.devices.port import Job, Series

#: Alignment of values in bytes, so that views of them are aligned.
_ALIGNMENT = 64
_DTYPE = re.compile(r"[<|][biufc](1|2|4|8|16)")


class MessageError(ValueError):
    """Error for a file that is not a message: truncated, or written by another program."""


class StoredRuns(Sequence[Arrays]):
    """Runs with their arrays in a separate file. Each run is read when it is accessed, so that one run is in memory at
    a time."""

    def __init__(self, file: Path, described: Sequence[Sequence[tuple[str, Sequence[int], int]]]) -> None:
        """Store type, shape and position of the arrays of every run."""
        self._file, self._entries = file, described

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, at: int) -> Arrays: ...
    @overload
    def __getitem__(self, at: slice) -> StoredRuns: ...
    def __getitem__(self, at: Any) -> Any:
        found = self._entries[at]
        if isinstance(at, slice):
            return StoredRuns(self._file, found)
        return tuple(self._array(*one) for one in found)

    def _array(self, dtype: str, shape: Sequence[int], at: int) -> NDArray[Any]:
        size = prod(map(_check_length, shape))
        values: NDArray[Any] = np.fromfile(self._file, np.dtype(_check_dtype(dtype)), size, offset=at)
        if values.size != size:
            raise MessageError(f"{self._file.name}: cut short")
        return values.reshape(shape)

    def to_plain(self) -> dict[str, Any]:
        """Return the JSON description of these runs."""
        return {"file": str(self._file), "arrays": self._entries}

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> StoredRuns:
        """Return the runs that ``to_plain`` describes."""
        return cls(Path(plain["file"]), plain["arrays"])


class RunsFile:
    """File to which runs are appended, for :class:`StoredRuns`."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._entries: list[list[tuple[str, Sequence[int], int]]] = []

    @property
    def size(self) -> int:
        """Number of bytes written."""
        return self._file.tell()

    def add(self, run: Arrays) -> None:
        """Add one run. Raises OSError, and ValueError for arrays that do not contain numbers."""
        places: dict[int, tuple[str, Sequence[int], int]] = {}  # one array may be an input of two models
        for array in run:
            if id(array) not in places:
                values = _little_endian(array)
                places[id(array)] = values.dtype.str, values.shape, self.size
                self._file.write(np.ascontiguousarray(values).data if values.size else b"")
        self._entries.append([places[id(array)] for array in run])

    @property
    def runs(self) -> StoredRuns:
        """Runs written so far, readable after the file is closed."""
        return StoredRuns(Path(self._file.name), self._entries)


def write_message(path: Path, header: Mapping[str, Any], arrays: Sequence[NDArray[Any]]) -> None:
    """Write a message atomically. Raises OSError, and ValueError for arrays that do not contain numbers."""
    plain = [_little_endian(a) for a in arrays]
    facts = json.dumps({**header, "arrays": [[a.dtype.str, a.shape] for a in plain]}).encode()
    part = path.with_name(f"{path.name}.part")
    with open(part, "wb") as file:
        file.write(facts + b" " * (-(len(facts) + 1) % _ALIGNMENT) + b"\n")
        for array in plain:
            file.write(np.ascontiguousarray(array).data if array.size else b"")
            file.write(b"\0" * (-array.nbytes % _ALIGNMENT))
    os.replace(part, path)


def _little_endian(array: NDArray[Any]) -> NDArray[Any]:
    values = array.astype(array.dtype.newbyteorder("<"), copy=False)
    if not _DTYPE.fullmatch(values.dtype.str):
        raise ValueError(f"an array of {array.dtype} holds no numbers")
    return values


def read_message(path: Path) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Read the header and the arrays of a message (writable views of one block). Raises MessageError, OSError."""
    with open(path, "rb") as file:
        line = file.readline()
        block = np.fromfile(file, np.uint8)
    try:
        header = json.loads(line)
        described = [
            (np.dtype(_check_dtype(d)), tuple(map(_check_length, shape))) for d, shape in header.pop("arrays")
        ]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise MessageError(f"{path.name}: {error}") from None
    arrays, at = [], 0
    for dtype, shape in described:
        size = prod(shape) * dtype.itemsize
        if at + size > block.size:
            raise MessageError(f"{path.name}: cut short")
        arrays.append(block[at : at + size].view(dtype).reshape(shape))
        at += size + -size % _ALIGNMENT
    return header, arrays


def _check_dtype(dtype: Any) -> str:
    if not isinstance(dtype, str) or not _DTYPE.fullmatch(dtype):
        raise ValueError(f"type {str(dtype)[:20]!r}")
    return dtype


def _check_length(n: Any) -> int:
    if type(n) is not int or n < 0:
        raise ValueError(f"length {str(n)[:20]!r}")
    return n


def split(arrays: Sequence[NDArray[Any]], counts: Sequence[int]) -> tuple[tuple[NDArray[Any], ...], ...]:
    """Split arrays into consecutive groups of these sizes. Raises MessageError if the sizes do not add up.

    For example, sizes 1 and 2 split (a, b, c) into (a) and (b, c).
    """
    if sum(counts) != len(arrays) or any(n < 0 for n in counts):
        raise MessageError(f"{len(arrays)} arrays are not {'+'.join(map(str, counts))}")
    ends = np.cumsum([0, *counts])
    return tuple(tuple(arrays[a:b]) for a, b in pairwise(ends))


def pack_job(job: Job) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Return a job as header and arrays of a message: the model, the inputs of each run, the initial contents of series."""
    header, arrays = pack_runs(job.runs)
    arrays.insert(0, np.frombuffer(job.content, np.uint8))
    if job.lengths:
        starts = sorted((number, index) for number, start in job.starts.items() for index in start)
        header |= {"lengths": list(job.lengths), "starts": starts}
        arrays += [np.asarray(job.starts[number][index]) for number, index in starts]
    return header, arrays


def pack_runs(runs: Sequence[Arrays]) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Return runs as header and arrays of a message. Stored runs stay in their file, stacked runs stay stacked."""
    if isinstance(runs, StoredRuns):
        return {"stored": runs.to_plain()}, []
    if isinstance(runs, StackedRuns):
        return {"columns": len(runs.columns)}, list(runs.columns)
    return {"runs": list(map(len, runs))}, [np.asarray(a) for run in runs for a in run]


def unpack_runs(
    header: Mapping[str, Any], arrays: Sequence[NDArray[Any]]
) -> tuple[Sequence[Arrays], Sequence[NDArray[Any]]]:
    """Return the runs of :func:`pack_runs`, and the arrays after them. Raises MessageError for inconsistent numbers."""
    if "stored" in header:
        return StoredRuns.of(header["stored"]), arrays
    if "columns" not in header:
        count = sum(header["runs"])
        return split(arrays[:count], header["runs"]), arrays[count:]
    count = _check_length(header["columns"])
    columns = tuple(arrays[:count])
    lengths = {column.shape[:1] for column in columns}
    if len(columns) < count or len(lengths) != 1 or () in lengths:
        raise MessageError(f"{len(arrays)} arrays are not {count} columns of equal length")
    return StackedRuns(columns), arrays[count:]


def unpack_series(header: Mapping[str, Any], arrays: Sequence[NDArray[Any]]) -> tuple[Series, ...] | None:
    """Return the series of a job from its header and the arrays after the model; None if it has no series."""
    if "lengths" not in header:
        return None
    (runs, contents_of), lengths = unpack_runs(header, arrays), header["lengths"]
    starts: dict[int, dict[int, NDArray[Any]]] = {}
    for (number, index), contents in zip(header["starts"], contents_of, strict=True):
        starts.setdefault(number, {})[index] = contents
    ends = np.cumsum([0, *lengths])
    return tuple(Series(runs[a:b], starts.get(n, {})) for n, (a, b) in enumerate(pairwise(ends)))

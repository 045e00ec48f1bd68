"""numpy's .npy and .npz files, read without pickle. Every size that a file states is checked before memory is allocated."""

from __future__ import annotations

import os
import re
import stat
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from litecheck.documents import decode_json
from litecheck.errors import ConfigError, InputError, LitecheckError
from litecheck.files import open_file, reason

if TYPE_CHECKING:
    from pathlib import Path
    from zipfile import ZipFile, ZipInfo

#: Maximum compression ratio of Deflate. A member that claims a higher ratio states a wrong size.
_DEFLATE = 1100
_CHUNK = 1 << 24
#: Limit of a header's bytes. The header of a tensor is padded to 64 or 128 bytes.
_LONGEST_HEADER = 4096
#: Member of a .npz file with numbered entries: a JSON object from entry number to array name.
INDEX = "names.json"
_LARGEST_INDEX = 1 << 24
#: Maximum bytes of an array that is decompressed or comes from a pipe, whose memory the file size does not bound.
_UNPACKED_LIMIT = 1 << 31
_DESCR = re.compile(r"[<>=|]?(b1|[iu][1248]|f[248])")


class ArrayError(LitecheckError):
    """A file without a readable tensor, with the byte of the problem (None if the problem has no single byte)."""

    def __init__(self, file: str, offset: int | None, message: str) -> None:
        self.file = file
        self.offset = offset
        super().__init__(f"{file}: {'' if offset is None else f'byte {offset}: '}{message}")


def read_npy(file: str, stream: IO[bytes]) -> NDArray[Any]:
    """Read the array of an open .npy file, memory-mapped if the file is regular. Raise ArrayError."""
    dtype, shape, fortran = _header(file, stream)
    start = stream.tell() if stream.seekable() else 0
    needed = prod(shape) * dtype.itemsize
    status = os.fstat(stream.fileno())
    if not stat.S_ISREG(status.st_mode) or not needed:
        return _restore_order(
            _read_exactly(file, stream, _check_bytes(file, needed, _UNPACKED_LIMIT), start),
            dtype,
            shape,
            fortran,
        )
    if status.st_size != start + needed:
        raise ArrayError(file, start, f"{status.st_size - start:,} bytes of data, the header says {needed:,}")
    mapped = np.memmap(stream, np.uint8, "r", start, (needed,))
    return _restore_order(mapped, dtype, shape, fortran)


def _header(file: str, stream: IO[bytes]) -> tuple[np.dtype[Any], tuple[int, ...], bool]:
    """Read type, shape and order from a .npy header, which is a dictionary in Python syntax."""
    start = stream.read(8)
    if not start:
        raise ArrayError(file, None, "the file is empty")
    if start[:6] != b"\x93NUMPY" or len(start) < 8:
        raise ArrayError(file, 0, "no .npy file, it does not start as one")
    if start[6] not in (1, 2, 3):
        raise ArrayError(file, 6, f"version {start[6]}.{start[7]} of the format is not known")
    width = 2 if start[6] == 1 else 4
    length = int.from_bytes(stream.read(width), "little")
    if length > _LONGEST_HEADER:
        raise ArrayError(file, 8, f"a header of {length:,} bytes")
    at = 8 + width
    facts = _facts(stream.read(length))
    if facts is None or set(facts) != {"descr", "fortran_order", "shape"}:
        raise ArrayError(file, at, "the header is not a dictionary of descr, fortran_order and shape")
    descr, shape = facts["descr"], facts["shape"]
    if not isinstance(descr, str) or not _DESCR.fullmatch(descr):
        raise ArrayError(file, at, f"the type {str(descr)[:60]!r} is none of a tensor's")
    lengths = isinstance(shape, tuple) and len(shape) <= 32 and all(type(n) is int and n >= 0 for n in shape)
    # an array without elements can also be read row by row
    if not lengths or prod(n or 1 for n in shape) >= (2**60 if prod(shape) else 2**24):
        raise ArrayError(file, at, f"the shape {str(shape)[:60]} is none of a tensor's")
    return np.dtype(descr), shape, facts["fortran_order"] is True


def _facts(header: bytes) -> dict[Any, Any] | None:
    from ast import literal_eval

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            facts = literal_eval(header.decode("latin-1").strip())
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return facts if isinstance(facts, dict) else None


def _read_exactly(file: str, stream: IO[bytes], needed: int, start: int) -> NDArray[np.uint8]:
    """Read exactly ``needed`` bytes in pieces, so that memory grows with the data and not with the stated size."""
    pieces = bytearray()
    while piece := stream.read(min(_CHUNK, needed + 1 - len(pieces))):
        pieces += piece
        if len(pieces) > needed:
            raise ArrayError(
                file, start + needed, f"more than the {needed:,} bytes of data that it should hold"
            )
    if len(pieces) < needed:
        raise ArrayError(file, start, f"{len(pieces):,} bytes of data, the header says {needed:,}")
    return np.frombuffer(pieces, np.uint8)


def _check_bytes(file: str, needed: int, most: int) -> int:
    """Return ``needed``. Raise ArrayError if an array that is packed needs more bytes than ``most``."""
    if needed > most:
        raise ArrayError(
            file, None, f"the array is too large: got {needed:,} bytes, expected at most {most:,}"
        )
    return needed


def _restore_order(
    data: NDArray[np.uint8], dtype: np.dtype[Any], shape: tuple[int, ...], fortran: bool
) -> NDArray[Any]:
    values = data.view(dtype)
    values = values.reshape(shape[::-1]).T if fortran else values.reshape(shape)
    return values if dtype.isnative else values.astype(dtype.newbyteorder("="))


@dataclass(frozen=True, slots=True)
class NpyHeader:
    """The header of an array: type, shape, and Fortran order, in which values along the first axis are contiguous."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool


def read_npz(file: str, key: str | None) -> NDArray[Any]:
    """Return the array ``key`` of a .npz file, or its only array. Raise ArrayError and ConfigError."""
    with _member(file, key) as (where, stream, header, most):
        start = stream.tell()
        needed = _check_bytes(where, prod(header.shape) * header.dtype.itemsize, most)
        data = _read_exactly(where, stream, needed, start)
    return _restore_order(data, header.dtype, header.shape, header.fortran)


def npz_header(file: str, key: str | None) -> NpyHeader:
    """Return the header of an array of a .npz file without reading its values. Raise ArrayError and ConfigError."""
    with _member(file, key) as (_, _, header, _):
        return header


def npz_rows(file: str, key: str | None) -> Iterator[NDArray[Any]]:
    """Yield the slices of an array of a .npz file along its first axis, each read when it is needed.

    In Fortran order the slices are not contiguous, so the whole array is read. Raise ArrayError and ConfigError.
    """
    if npz_header(file, key).fortran:
        yield from read_npz(file, key)
        return
    with _member(file, key) as (where, stream, header, most):
        needed = _check_bytes(where, prod(header.shape[1:]) * header.dtype.itemsize, most)
        for number in range(header.shape[0]):
            piece = stream.read(needed)
            if len(piece) < needed:
                raise ArrayError(where, stream.tell(), f"ends in part {number} of {header.shape[0]}")
            data = np.frombuffer(piece, np.uint8)
            yield _restore_order(data, header.dtype, header.shape[1:], False)


@contextmanager
def _member(file: str, key: str | None) -> Iterator[tuple[str, IO[bytes], NpyHeader, int]]:
    """Open an array of a .npz file after its header. Yield name, stream, header and the limit of bytes in memory."""
    import zipfile
    import zlib

    try:
        with open_file(file) as opened, zipfile.ZipFile(opened) as archive:
            info = archive.getinfo(_entry(file, members(archive), key))
            if info.file_size > _DEFLATE * info.compress_size + _DEFLATE:
                raise ArrayError(file, info.header_offset, f"{info.filename} claims {info.file_size:,} bytes")
            with archive.open(info) as stream:
                where = f"{file}:{info.filename}"
                most = max(_UNPACKED_LIMIT, info.compress_size)
                yield where, stream, NpyHeader(*_header(where, stream)), most
    except OSError as error:
        raise InputError(f"{file}: cannot be read, {reason(error)}") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
        raise ArrayError(file, 0, f"no readable .npz, {error}") from error


def arrays_in(file: Path) -> dict[str, ZipInfo]:
    """Return the arrays of a .npz file by name, with their entries. Raise ConfigError for a file that is not .npz."""
    import zipfile

    try:
        with open_file(file) as opened, zipfile.ZipFile(opened) as archive:
            return {name: archive.getinfo(entry) for name, entry in members(archive).items()}
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise InputError(f"{file}: cannot be read as .npz, {error}") from error


def members(archive: ZipFile) -> dict[str, str]:
    """Return the arrays of an open .npz file: name to entry.

    An entry has the name of its array, unless the file has an index, as files of litecheck have. Raise ValueError for
    an index that is malformed or cannot be read.
    """
    import zlib

    entries = [name for name in archive.namelist() if name.endswith(".npy")]
    if INDEX not in archive.namelist():
        return {entry.removesuffix(".npy"): entry for entry in entries}
    try:
        with archive.open(INDEX) as stream:
            index = decode_json(stream.read(_LARGEST_INDEX), INDEX)
    except (zlib.error, EOFError, RuntimeError) as error:
        raise ValueError(f"{INDEX}: {error}") from None
    except ConfigError as error:
        raise ValueError(str(error)) from None
    if not isinstance(index, dict) or not all(isinstance(name, str) for name in index.values()):
        raise ValueError(f"{INDEX} is not an object of names")
    return {index.get(entry.removesuffix(".npy"), entry.removesuffix(".npy")): entry for entry in entries}


def _entry(file: str, known: dict[str, str], key: str | None) -> str:
    keys = list(known)
    if key is None and len(keys) == 1:
        return known[keys[0]]
    if key in known:
        return known[key]
    there = ", ".join(keys[:8]) + (" ..." if len(keys) > 8 else "") if keys else "no array"
    what = f"has no array {key!r}" if key is not None else "holds several arrays"
    raise ConfigError(f"{file}: {what if keys or key else 'holds no array'}; there is {there}")

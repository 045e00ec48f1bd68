"""Tensors in files: .npy, .npz, raw bytes and the constants of models. Every size that a file states is checked."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import ConfigError, InputError
from litecheck.files import atomic_write, open_file, reason
from litecheck.model.stored_values import pack, unpack
from litecheck.quantization import BITS
from litecheck.quantizer.npy import INDEX, ArrayError, read_npy, read_npz
from litecheck.spelling import similar_file

#: Bytes per write.
_CHUNK = 1 << 24
#: Maximum number of bytes read from a pipe.
_PIPED_LIMIT = 1 << 30
#: Types that raw bytes pack, and types that numpy has under the same name.
_PACKED = tuple(name for name, bits in BITS.items() if bits < 8)
_PLAIN = (
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
)  # fmt: skip
#: Suffixes of images, whose bytes are no values.
_IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".ppm", ".pgm", ".tif", ".tiff")
_MODEL = re.compile(r"\.(tflite|lite|tfl|task|litertlm):")


@dataclass(frozen=True, slots=True, eq=False)
class StoredTensor:
    """The values of a tensor and the name of their type. Types below 8 bits have one value per element as well."""

    values: NDArray[Any]
    dtype: str


def read_tensor(source: str, dtype: str | None = None, shape: tuple[int, ...] | None = None) -> StoredTensor:
    """Read a tensor from ``x.npy``, ``x.npz:KEY`` (``x.npz`` if it has one key), ``MODEL:TENSOR``, or raw bytes.

    Raw bytes need ``dtype``, and ``shape`` unless the tensor is one-dimensional. Types below 8 bits are packed, low
    bits first. For the other formats ``dtype`` may name a type that numpy lacks: int4 in int8, small floats in bytes.
    Files are memory-mapped where possible. Raise LitecheckError.
    """
    if is_constant(source):
        return _constant(source)
    file, key = _member(source)
    if key is not None or file.lower().endswith(".npz"):
        return _check_type(file, read_npz(file, key), dtype)
    try:
        with open_file(file, piped=True) as stream:
            if file.lower().endswith(".npy"):
                return _check_type(file, read_npy(file, stream), dtype)
            return _raw(file, stream, dtype, shape)
    except OSError as error:
        raise InputError(f"{file}: cannot be read, {reason(error)}") from error


def check_present(source: str) -> None:
    """Raise ConfigError if the file of a tensor that an option names does not exist."""
    if not is_constant(source) and not os.path.lexists(file := _member(source)[0]):
        raise ConfigError(f"{file}: no such file{similar_file(file)}")


def is_image(source: str) -> bool:
    """Return True if the suffix of a file is that of an image, which has no tensor."""
    return source.lower().endswith(_IMAGES)


def is_raw(source: str) -> bool:
    """Return True if ``read`` would read the file as raw bytes."""
    if os.path.isfile(source):
        return not source.lower().endswith((".npy", ".npz"))
    return not is_constant(source) and not _member(source)[0].lower().endswith((".npy", ".npz"))


def is_constant(source: str) -> bool:
    """Return True if the source is ``MODEL:TENSOR``."""
    return _MODEL.search(source.lower()) is not None and not os.path.isfile(source)


def _member(source: str) -> tuple[str, str | None]:
    """Split ``x.npz:key`` into file and key. An existing file whose name contains ``.npz:`` is not split."""
    at = source.lower().rfind(".npz:")
    if at < 0 or os.path.isfile(source):
        return source, None
    return source[: at + 4], source[at + 5 :]


def _check_type(file: str, values: NDArray[Any], dtype: str | None) -> StoredTensor:
    own = str(values.dtype.name)
    if dtype is None or dtype == own:
        return StoredTensor(values, own)
    if dtype in (*_PACKED, "uint2") and own in ("int8", "uint8"):
        return StoredTensor(values, dtype)
    kept = _numpy_type(dtype)
    if kept is not None and dtype not in _PLAIN and own == f"uint{8 * kept.itemsize}":
        return StoredTensor(values.view(kept), dtype)
    raise ArrayError(file, None, f"holds {own}, not {dtype}")


def _numpy_type(dtype: str) -> np.dtype[Any] | None:
    """Return numpy's type for a type of whole bytes, or None for an unknown name."""
    if dtype in _PLAIN:
        plain: np.dtype[Any] = np.dtype(dtype).newbyteorder("<")
        return plain
    from litecheck.quantizer.narrow_floats import ML_DTYPES, ml_dtype
    from litecheck.quantizer.onnx_types import type_name

    try:
        name = type_name(dtype)
    except ValueError:
        return None
    return ml_dtype(name) if name in ML_DTYPES else None


def _raw(file: str, stream: IO[bytes], dtype: str | None, shape: tuple[int, ...] | None) -> StoredTensor:
    if is_image(file):
        raise InputError(
            f"{file}: got an image, expected a tensor in .npy, .npz or raw bytes. Save its values with numpy"
        )
    if dtype is None and _MODEL.search(f"{file.lower()}:"):
        lists = f"'litecheck inspect {file} --tensors' lists all"
        raise ConfigError(f"{file}: got a model, expected a tensor: {file}:TENSOR; {lists}")
    if dtype is None:
        raise ConfigError(
            f"{file}: raw bytes need a type (--dtype), and a shape (--shape) unless they are flat"
        )
    kept = _numpy_type(dtype)
    if kept is None and dtype not in _PACKED:
        raise ConfigError(f"{file}: there is no type {dtype!r} of raw bytes")
    bits = kept.itemsize * 8 if kept else BITS[dtype]
    if stat.S_ISREG(os.fstat(stream.fileno()).st_mode) and os.fstat(stream.fileno()).st_size:
        data: NDArray[np.uint8] = np.memmap(stream, np.uint8, "r")
    else:
        data = np.frombuffer(stream.read(_PIPED_LIMIT + 1), np.uint8)
        if data.size > _PIPED_LIMIT:
            raise ArrayError(file, None, f"more than {_PIPED_LIMIT:,} bytes come from the pipe")
    if shape is None:
        shape = (data.size * 8 // bits,)
    count = prod(shape)
    if data.size != -(-count * bits // 8):
        words = "x".join(map(str, shape)) or "a scalar"
        needed = -(-count * bits // 8)
        raise ArrayError(file, None, f"{data.size:,} bytes; {dtype} {words} has {needed:,}")
    if kept is None:
        return StoredTensor(unpack(data, dtype, count).reshape(shape), dtype)
    if kept == np.bool_ and data.max(initial=0) > 1:
        at = int((data > 1).argmax())
        raise ArrayError(file, None, f"byte {at:,} is {data[at]}, expected 0 or 1 for bool")
    return StoredTensor(data.view(kept).reshape(shape), dtype)


def _constant(source: str) -> StoredTensor:
    from litecheck.model.stored_values import stored_integers
    from litecheck.quantizer.model_tensor import find_tensor

    _, tensor = find_tensor(source)
    values = stored_integers(tensor)
    if values is None:
        raise ConfigError(f"{source}: tensor '{tensor.name}' is not a constant with readable values")
    return StoredTensor(values, tensor.dtype)


def write(path: str, values: NDArray[Any], dtype: str) -> None:
    """Write a tensor to ``.npy``, or as raw bytes to a file with another suffix, atomically.

    A .npy file has one byte per value of a type below 8 bits, and the bytes of a small float. Raw bytes are
    little-endian, and packed below 8 bits. Raise ConfigError.
    """
    if path.lower().endswith(".npz"):
        raise ConfigError(f"{path}: one tensor is written to .npy or to a file of raw bytes")
    plain = values if values.dtype.kind in "biuf" else values.view(f"u{values.dtype.itemsize}")
    plain = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
    if path.lower().endswith(".npy"):
        atomic_write(path, _npy_pieces(plain))
    elif dtype in _PACKED:
        atomic_write(path, pack(plain, dtype).tobytes())
    else:
        atomic_write(path, _pieces(plain))


def write_all(path: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write several arrays to a ``.npz`` file atomically. Raise ConfigError.

    Names come from a model and may be unsafe file names. Example: ``../../x``. Entries are therefore named 0, 1, 2 ...,
    and names.json maps them to the array names that ``read`` accepts. The same arrays give the same bytes.
    """
    import json
    from io import BytesIO
    from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

    if not path.lower().endswith(".npz"):
        raise ConfigError(f"{path}: arrays with names are written to a .npz file, also a single array")
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        index = ZipInfo(INDEX)
        index.compress_type = ZIP_DEFLATED
        archive.writestr(index, json.dumps(dict(enumerate(arrays)), indent=1) + "\n")
        for number, values in enumerate(arrays.values()):
            member = ZipInfo(f"{number}.npy")
            member.compress_type = ZIP_DEFLATED
            with archive.open(member, "w", force_zip64=True) as stream:
                stream.writelines(_npy_pieces(values.astype(values.dtype.newbyteorder("<"), copy=False)))
    atomic_write(path, [file.getbuffer()])


def npy(values: NDArray[Any]) -> bytes:
    """Return the bytes of a .npy file with the values as little-endian numbers."""
    return b"".join(_npy_pieces(values))


def _npy_pieces(values: NDArray[Any]) -> Iterator[bytes]:
    from io import BytesIO

    from numpy.lib import format as npy

    header = BytesIO()
    facts = {"descr": npy.dtype_to_descr(values.dtype), "fortran_order": False, "shape": values.shape}
    npy.write_array_header_1_0(header, facts)
    yield header.getvalue()
    yield from _pieces(values)


def _pieces(values: NDArray[Any]) -> Iterator[bytes]:
    flat = np.ascontiguousarray(values).reshape(-1)
    step = max(1, _CHUNK // max(1, flat.itemsize))
    return (flat[i : i + step].tobytes() for i in range(0, flat.size, step))

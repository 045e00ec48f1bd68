"""The stored integers of a constant: typed views, and unpacking of types below eight bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.model.types import Tensor

_NUMPY = {
    "bool": "u1", "int8": "i1", "uint8": "u1", "int16": "<i2", "uint16": "<u2", "float16": "<f2",
    "int32": "<i4", "uint32": "<u4", "float32": "<f4", "int64": "<i8", "uint64": "<u8", "float64": "<f8",
    "complex64": "<c8", "complex128": "<c16",
}  # fmt: skip


def stored_integers(tensor: Tensor) -> NDArray[Any] | None:
    """A constant's values in its shape: a view into the file, unpacked copies for int4, uint4 and int2.

    None for tensors without data and for types numpy has no name for.
    """
    if tensor.data is None or tensor.sparsity is not None:
        return None
    if tensor.dtype in ("int4", "uint4", "int2"):
        return unpack(tensor.data, tensor.dtype, tensor.size).reshape(tensor.shape)
    if tensor.dtype not in _NUMPY:
        return None
    return tensor.data.view(_NUMPY[tensor.dtype]).reshape(tensor.shape)


def unpack(data: NDArray[np.uint8], dtype: str, count: int) -> NDArray[Any]:
    """``count`` packed values, one per byte: int4 and uint4 two, int2 four a byte, low bits first."""
    bits = 2 if dtype == "int2" else 4
    per_byte = 8 // bits
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    fields = (data[:, None] >> shifts) & np.uint8((1 << bits) - 1)
    flat: NDArray[np.uint8] = fields.reshape(len(data) * per_byte)[:count]
    if dtype == "uint4":
        return flat
    high = np.uint8(8 - bits)
    signed: NDArray[np.int8] = (flat << high).view(np.int8) >> np.int8(high)
    return signed


def pack(values: NDArray[Any], dtype: str) -> NDArray[np.uint8]:
    """The inverse of :func:`unpack`; the last byte is filled with zeros."""
    bits = 2 if dtype == "int2" else 4
    per_byte = 8 // bits
    flat = values.reshape(-1).astype(np.int64) & ((1 << bits) - 1)
    padded = np.zeros(-(-len(flat) // per_byte) * per_byte, np.int64)
    padded[: len(flat)] = flat
    shifts = np.arange(0, 8, bits)
    packed: NDArray[np.uint8] = (padded.reshape(-1, per_byte) << shifts).sum(axis=1).astype(np.uint8)
    return packed

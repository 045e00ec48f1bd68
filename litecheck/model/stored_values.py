"""Stored integers of a constant: typed views, types below eight bits unpacked, large arrays read in windows."""

from __future__ import annotations

import mmap
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.model.types import Tensor
from litecheck.quantization import BITS, INTEGER_RANGES

_NUMPY = {
    "bool": "u1", "int8": "i1", "uint8": "u1", "int16": "<i2", "uint16": "<u2", "float16": "<f2",
    "int32": "<i4", "uint32": "<u4", "float32": "<f4", "int64": "<i8", "uint64": "<u8", "float64": "<f8",
    "complex64": "<c8", "complex128": "<c16",
}  # fmt: skip


def stored_integers(tensor: Tensor) -> NDArray[Any] | None:
    """Return a constant's values in its shape: a view into the file; for int4, uint4 and int2 an unpacked copy.

    Return None for tensors without data and for types that numpy does not have.
    """
    if tensor.data is None or tensor.sparsity is not None:
        return None
    if tensor.dtype in ("int4", "uint4", "int2"):
        return unpack(tensor.data, tensor.dtype, tensor.size).reshape(tensor.shape)
    if tensor.dtype not in _NUMPY:
        return None
    return tensor.data.view(_NUMPY[tensor.dtype]).reshape(tensor.shape)


def same_bytes(one: Tensor, other: Tensor) -> bool:
    """Return True if two tensors store the same bytes, or if neither stores any."""
    if one.data is None or other.data is None:
        return one.data is other.data
    return np.array_equal(one.data, other.data)


def bytes_of(values: NDArray[Any]) -> NDArray[np.uint8]:
    """Return the bytes of a constant: the inverse of :func:`stored_integers` for types of whole bytes.

    For example, int32 258 gives the bytes 2, 1, 0, 0.
    """
    return np.frombuffer(values.astype(values.dtype.newbyteorder("<")).tobytes(), np.uint8)


def unpack(data: NDArray[np.uint8], dtype: str, count: int) -> NDArray[Any]:
    """Return ``count`` values, each in a byte. A packed byte has two int4 or uint4, or four int2, low bits first.

    For example, byte 0x1F unpacks to the int4 values -1 and 1.
    """
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
    """Return packed values, the inverse of :func:`unpack`; the last byte is filled with zeros.

    For example, int4 -1, 1 and 7 give the bytes 0x1F and 0x07.
    """
    bits = 2 if dtype == "int2" else 4
    per_byte = 8 // bits
    flat = values.reshape(-1).astype(np.int64) & ((1 << bits) - 1)
    padded = np.zeros(-(-len(flat) // per_byte) * per_byte, np.int64)
    padded[: len(flat)] = flat
    shifts = np.arange(0, 8, bits)
    packed: NDArray[np.uint8] = (padded.reshape(-1, per_byte) << shifts).sum(axis=1).astype(np.uint8)
    return packed


#: Bytes of a window: few enough to stay in a core's cache between two passes.
WINDOW = 4 << 20
_SCANNED = {"int8": "i1", "uint8": "u1", "int16": "<i2", "int32": "<i4", "int64": "<i8"}


def in_range(tensor: Tensor, low: int, high: int) -> bool:
    """Return True if every stored value of an integer constant is in ``low..high``; also for types without stored integers.

    A bound that the type implies is not tested: -127..127 takes a single reduction over int8 values.
    """
    least, most = INTEGER_RANGES.get(tensor.dtype, (low, high))
    # Windows stay in a cache between two reductions; a single one takes less time over the whole constant.
    window = sys.maxsize if low <= least or high >= most else WINDOW
    return all(
        (low <= least or values.min() >= low) and (high >= most or values.max() <= high)
        for _, values in _read_windows(tensor, window)
    )


def out_of_range(tensor: Tensor, low: int, high: int) -> tuple[int, int, int]:
    """Return the number of stored values outside ``low..high``, the flat index of the first, and an extreme value.

    The extreme is the smallest value if any is below ``low``, else the largest; (0, -1, low) if no value is outside.
    For example, [3, -128, 5, -128] and -127..127 give (2, 1, -128).
    """
    count, first, smallest, largest = 0, -1, low, high
    for start, values in _read_windows(tensor):
        outside = (values < low) | (values > high)
        found = int(np.count_nonzero(outside))
        if found and first < 0:
            first = start + int(np.argmax(outside))
        count += found
        smallest, largest = min(smallest, int(values.min())), max(largest, int(values.max()))
    return count, first, smallest if smallest < low or largest <= high else largest


def extremes(tensor: Tensor) -> tuple[int, int] | None:
    """Return the smallest and largest stored value of an integer constant, or None if it has no values.

    For example, [[3, -5], [7, 0]] gives (-5, 7).
    """
    data = tensor.data
    if data is not None and tensor.dtype in _SCANNED and tensor.sparsity is None and 0 < len(data) <= WINDOW:
        whole = data.view(_SCANNED[tensor.dtype])
        return int(whole.min()), int(whole.max())
    found = [(int(values.min()), int(values.max())) for _, values in _read_windows(tensor) if values.size]
    return (min(low for low, _ in found), max(high for _, high in found)) if found else None


def signed_sums(
    tensor: Tensor, layout: tuple[int, int, int], zero: int = 0
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return the sums of positive and of negative differences to ``zero`` of a constant, along the middle of three
    dimensions.

    ``layout`` is the shape as (outer, summed, inner); both sums have the shape (outer, inner). Return None if the
    constant does not have that many integers. For example, [[3, -5], [7, 0]] with layout (2, 2, 1) gives 3 and 7 above
    0, -5 and 0 below.
    """
    outer, summed, inner = layout
    bits, data = BITS.get(tensor.dtype, 0), tensor.data
    if data is None or tensor.sparsity is not None or not (tensor.dtype in _SCANNED or bits in (2, 4)):
        return None
    if min(layout) < 0 or outer * summed * inner * bits > len(data) * 8:
        return None
    if not summed * inner:
        return np.zeros((outer, inner), np.int64), np.zeros((outer, inner), np.int64)
    above = np.zeros((outer, inner), np.int64)
    below = np.zeros((outer, inner), np.int64)
    rows, middle = max(1, WINDOW // (summed * inner)), min(summed, max(1, WINDOW // inner))
    for row in range(0, outer, rows):
        for at in range(0, summed, middle):
            shape = (min(rows, outer - row), min(middle, summed - at), inner)
            values = _read_elements(tensor, row * summed * inner + at * inner, shape)
            centered = values.astype(np.int64) - zero if zero else values
            positive = np.maximum(centered, 0).sum(axis=1, dtype=np.int64)
            above[row : row + shape[0]] += positive
            below[row : row + shape[0]] += centered.sum(axis=1, dtype=np.int64) - positive
    return above, below


def _read_elements(tensor: Tensor, begin: int, shape: tuple[int, int, int]) -> NDArray[Any]:
    """Return consecutive values from flat index ``begin`` on, in the given shape."""
    assert tensor.data is not None
    bits, count = BITS[tensor.dtype], shape[0] * shape[1] * shape[2]
    first = begin * bits // 8
    part = tensor.data[first : -(-(begin + count) * bits // 8)]
    if bits >= 8:
        return part.view(_SCANNED[tensor.dtype]).reshape(shape)
    skipped = begin - first * 8 // bits
    return unpack(part, tensor.dtype, skipped + count)[skipped:].reshape(shape)


def _read_windows(tensor: Tensor, window: int = WINDOW) -> Iterator[tuple[int, NDArray[Any]]]:
    """Yield (index of the first element, elements) of each window of ``window`` bytes, fewer for types below eight bits."""
    data = tensor.data
    if data is None or tensor.sparsity is not None or not len(data):
        return
    bits = BITS.get(tensor.dtype, 0)
    if tensor.dtype not in _SCANNED and tensor.dtype not in ("int4", "uint4", "int2"):
        return
    window = window if bits >= 8 else WINDOW // 8
    for at in range(0, len(data), window):
        part = data[at : at + window]
        start = at * 8 // bits
        if bits < 8:
            yield start, unpack(part, tensor.dtype, min(len(part) * 8 // bits, tensor.size - start))
        else:
            yield start, part.view(_SCANNED[tensor.dtype])


def release(view: NDArray[Any]) -> None:
    """Tell the system that the mapped pages of a view of at least 1 MiB are not needed at present."""
    if view.nbytes < 1 << 20 or not hasattr(mmap, "MADV_DONTNEED"):
        return
    base: Any = view
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, memoryview):  # numpy wraps a buffer of frombuffer
        base = base.obj
    if isinstance(base, mmap.mmap):
        whole = np.frombuffer(base, np.uint8)
        offset = view.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
        page = mmap.PAGESIZE
        begin = offset // page * page
        base.madvise(mmap.MADV_DONTNEED, begin, offset + view.nbytes - begin)

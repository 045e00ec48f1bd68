"""DENSIFY: makes sparse constants dense. Sparse constants store only values that are not 0."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from litecheck.flatbuffer.table import Table
from litecheck.model.types import Tensor
from litecheck.reference.compute_limits import reserve
from litecheck.reference.registry import densifies, kernel
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, Operand, OutputSpec, RunError

#: Member of DimensionType for a list of stored positions; member 0 stores all positions.
CSR = 1


@kernel("DENSIFY", "int8", "float16", "float32")
def densify(input: Operand, output: OutputSpec) -> Array:
    """output = the constant with stored zeros, independent of the zero point. The operand is already dense.

    Source: tflite/kernels/densify.cc, internal/utils/sparsity_format_converter.cc.
    """
    return input.data


@densifies("DENSIFY")
def make_dense(tensor: Tensor) -> Array | None:
    """Return a sparse constant as a dense array. Raises RunError if positions and values do not match."""
    if tensor.sparsity is None or tensor.data is None or tensor.dtype not in NUMPY_TYPES:
        return None
    values = tensor.data.view(NUMPY_TYPES[tensor.dtype])
    reserve(tensor.shape, values.itemsize, f"sparse tensor {tensor.index} '{tensor.name}'")
    out = np.zeros(tensor.shape, values.dtype)
    try:
        at = places(tensor.sparsity, out.ndim)
        if len(at[0]) > len(values):
            raise ValueError(f"{len(at[0])} places for {len(values)} values")
        out[tuple(at)] = values[: len(at[0])]
    except (IndexError, KeyError, ValueError) as error:
        raise RunError(
            f"the sparse tensor {tensor.index} '{tensor.name}' does not unfold, {error}"
        ) from error
    return out


def places(sparsity: Table, rank: int) -> list[NDArray[np.int64]]:
    """Return the positions of the stored values, in their order: for each dimension an index of each value.

    Levels are nested in ``traversal_order``: first the dimensions, counted in blocks, then the dimensions within a
    block, by ``block_map``. A dense level has all its positions; a sparse level lists them, in one segment per parent.
    """
    order = _ints(sparsity, "traversal_order")
    levels = sparsity.get("dim_metadata", ())
    path, found = np.zeros(1, np.int64), np.zeros((0, 1), np.int64)
    for level in levels:
        start, count = _children(level, path)
        reserve((int(count.sum()), len(levels) + 4), 8, "indices of a sparse tensor")
        parent = np.repeat(np.arange(len(path)), count)
        path = np.arange(len(parent)) + np.repeat(start - np.cumsum(count) + count, count)
        index = _ints(level, "array_indices")[path] if level.get("format", 0) == CSR else path - start[parent]
        found = np.vstack([found[:, parent], index])
    made = [found[int(np.flatnonzero(order == dimension)[0])] for dimension in range(rank)]
    for level, block in enumerate(order[rank:] - rank, rank):
        dimension = int(_ints(sparsity, "block_map")[block])
        size = int(levels[int(order[rank + block])].get("dense_size", 0))
        made[dimension] = made[dimension] * size + found[level]
    return made


def _children(level: Table, path: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first child of each parent, and the number of children."""
    if level.get("format", 0) == CSR:
        segments = _ints(level, "array_segments")
        return segments[path], segments[path + 1] - segments[path]
    size = int(level.get("dense_size", 0))
    return path * size, np.full(len(path), size)


def _ints(table: Table, name: str) -> NDArray[np.int64]:
    """Return a vector of integers, which the schema may store in a separate table."""
    given = table.get(name, ())
    return np.asarray(given.get("values", ()) if isinstance(given, Table) else given, np.int64)

"""DENSIFY: expands sparse constants, which store only the values that are not 0."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from litecheck.flatbuffer.table import Table
from litecheck.model.types import Tensor
from litecheck.reference.compute_limits import reserve
from litecheck.reference.registry import densifies, kernel
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, Operand, OutputSpec, RunError

#: Member of DimensionType that lists the places that are taken; member 0 takes all.
CSR = 1


@kernel("DENSIFY", "int8", "float16", "float32")
def densify(input: Operand, output: OutputSpec) -> Array:
    """The constant with its zeros; the operand comes unfolded. Stored 0, whatever the zero point says.

    Source: tflite/kernels/densify.cc, internal/utils/sparsity_format_converter.cc.
    """
    return input.data


@densifies("DENSIFY")
def densified(tensor: Tensor) -> Array | None:
    """Return a sparse constant expanded. Raises RunError if positions and values do not match."""
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

    Levels nest in ``traversal_order``: first the dimensions, counted in blocks, then those within a block, of which
    ``block_map`` says the dimension. A dense level takes all its places; a sparse level lists them, from segment to
    segment of its parents.
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
    """The first child of each parent, and how many there are."""
    if level.get("format", 0) == CSR:
        segments = _ints(level, "array_segments")
        return segments[path], segments[path + 1] - segments[path]
    size = int(level.get("dense_size", 0))
    return path * size, np.full(len(path), size)


def _ints(table: Table, name: str) -> NDArray[np.int64]:
    """A vector of integers, which may be a table of its own."""
    given = table.get(name, ())
    return np.asarray(given.get("values", ()) if isinstance(given, Table) else given, np.int64)

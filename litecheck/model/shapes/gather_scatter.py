"""Shapes of operators that read and write by index: gather, scatter, lookup, segment sums, one-hot."""

from __future__ import annotations

from itertools import pairwise

from litecheck.model.shapes.call import Call, Shape, ShapeError, Shapes
from litecheck.model.shapes.dimensions import (
    at_least,
    axis_within,
    check_rank,
    differ,
    either,
    elements,
    row,
    shape_text,
    single,
    unknown,
)


def gather(call: Call) -> Shapes:
    """Return the input's shape with ``axis`` replaced by the dimensions of the indices.

    The first ``batch_dims`` dimensions of the input and the indices are equal and occur once.
    """
    source, indices = call.shape("input"), call.shape("indices")
    if source is None or indices is None:
        return (None,)
    axis = axis_within(int(call.option("axis")), len(source), None)
    batch = int(call.option("batch_dims"))
    if not -len(indices) <= batch <= len(indices):
        raise ShapeError(None, f"batch_dims is {batch}, the indices have {len(indices)} dimensions")
    batch = batch + len(indices) if batch < 0 else batch
    if batch > axis or batch >= len(source):
        raise ShapeError(None, f"batch_dims is {batch}, behind axis {axis}")
    if any(map(differ, source[:batch], indices[:batch])):
        raise ShapeError(
            "indices",
            f"the first {batch} dimensions of {shape_text(source)} and {shape_text(indices)} are not equal",
        )
    _check_indices(call, source[axis])
    shared = tuple(map(either, source[:batch], indices[:batch]))
    return ((*shared, *source[batch:axis], *indices[batch:], *source[axis + 1 :]),)


def _check_indices(call: Call, length: int | None) -> None:
    values = call.values("indices")
    if values is None or length is None or not values.size:
        return
    low, high = int(values.min()), int(values.max())
    if low < 0 or high >= length:
        found = f"index {low if low < 0 else high} is outside a length of {length}"
        raise ShapeError("indices", found, "index_values")


def gather_nd(call: Call) -> Shapes:
    """Return [..., the input's dimensions from k on] for indices [..., k]."""
    source, indices = at_least(call, "input", 1), at_least(call, "indices", 1)
    if source is None or indices is None or indices[-1] is None:
        return (None,)
    depth = indices[-1]
    if depth > len(source):
        raise ShapeError("indices", f"an index has {depth} parts, the input {len(source)} dimensions")
    _check_index_vectors(call, source, depth)
    return ((*indices[:-1], *source[depth:]),)


def _check_index_vectors(call: Call, source: Shape, depth: int) -> None:
    values = call.values("indices")
    if values is None or not values.size or not depth:
        return
    if values.size % depth:
        raise ShapeError("indices", f"there are {values.size} numbers for indices of {depth} parts")
    points = values.reshape(-1, depth)
    for at in range(depth):
        length, low, high = source[at], int(points[:, at].min()), int(points[:, at].max())
        if low < 0 or (length is not None and high >= length):
            raise ShapeError(
                "indices",
                f"index {low if low < 0 else high} is outside dimension {at} of {shape_text(source)}",
                "index_values",
            )


def scatter_nd(call: Call) -> Shapes:
    """Return the shape in ``shape``. For indices [..., k], updates are [..., the dimensions of ``shape`` from k on]."""
    indices, updates = at_least(call, "indices", 1), at_least(call, "updates", 1)
    check_rank(call, "shape", 1)
    number, wanted = elements(call, "shape"), row(call, "shape")
    if wanted is None:
        return (unknown(number),)
    if any(dim < 0 for dim in wanted):
        raise ShapeError("shape", f"the shape is {wanted}, with negative lengths")
    if indices is not None and indices[-1] is not None:
        depth, outer = indices[-1], indices[:-1]
        if depth > len(wanted):
            raise ShapeError("indices", f"an index has {depth} parts, the shape {len(wanted)} dimensions")
        expected = (*outer, *wanted[depth:])
        if updates is not None and (len(updates) != len(expected) or any(map(differ, updates, expected))):
            raise ShapeError(
                "updates", f"the updates are {shape_text(updates)}, {shape_text(expected)} wanted"
            )
        _check_index_vectors(call, tuple(wanted), depth)
    return (tuple(wanted),)


def embedding_lookup(call: Call) -> Shapes:
    """Return [n, ...] for indices [n] and table [rows, ...], of at least rank 2."""
    indices, table = check_rank(call, "indices", 1), at_least(call, "table", 2)
    if table is None:
        return (None,)
    _check_indices(call, table[0])
    return (((indices or (None,))[0], *table[1:]),)


def hashtable_lookup(call: Call) -> Shapes:
    """Return [n, ...] and [n] for indices [n]: a table entry for each index, and whether the key exists."""
    indices, keys = check_rank(call, "indices", 1), check_rank(call, "keys", 1)
    table = at_least(call, "table", 1)
    number = (indices or (None,))[0]
    if table is None:
        return (None, (number,))
    if keys is not None and differ(keys[0], table[0]):
        raise ShapeError("keys", f"there are {keys[0]} keys for {table[0]} values")
    return ((number, *table[1:]), (number,))


def one_hot(call: Call) -> Shapes:
    """Return the indices' shape with a dimension of length ``depth`` inserted at ``axis`` (-1: at the end)."""
    indices, depth = call.shape("indices"), single(call, "depth")
    single(call, "on_value")
    single(call, "off_value")
    if indices is None:
        return (None,)
    axis = int(call.option("axis"))
    if not -1 <= axis <= len(indices):
        raise ShapeError(None, f"axis {axis} is outside a result of {len(indices) + 1} dimensions")
    if depth is not None and depth < 0:
        raise ShapeError("depth", f"depth is {depth}")
    at = len(indices) if axis == -1 else axis
    return ((*indices[:at], depth, *indices[at:]),)


def sparse_to_dense(call: Call) -> Shapes:
    """Return the shape in ``output_shape``. Each value has an index vector with one entry per output dimension."""
    indices, values = call.shape("indices"), check_rank(call, "values", 0, 1)
    check_rank(call, "output_shape", 1)
    single(call, "default_value")
    number, wanted = elements(call, "output_shape"), row(call, "output_shape")
    if indices is not None:
        if len(indices) > 2:
            raise ShapeError("indices", f"the indices have {len(indices)} dimensions, at most 2 wanted")
        points = indices[0] if indices else 1
        if values and differ(values[0], points):
            raise ShapeError("values", f"there are {values[0]} values for {points} indices")
        parts = indices[1] if len(indices) == 2 else 1
        if differ(parts, number):
            raise ShapeError("indices", f"an index has {parts} parts, the output {number} dimensions")
    if wanted is None:
        return (unknown(number),)
    if any(dim < 0 for dim in wanted):
        raise ShapeError("output_shape", f"the output shape is {wanted}, with negative lengths")
    if indices is not None and elements(call, "indices"):
        _check_index_vectors(call, tuple(wanted), len(wanted))
    return (tuple(wanted),)


def segment_sum(call: Call) -> Shapes:
    """Return [last segment id + 1, ...] for input [n, ...] and n ascending segment ids."""
    source, ids = at_least(call, "input", 1), check_rank(call, "segment_ids", 1)
    if source is None:
        return (None,)
    if ids is not None and differ(ids[0], source[0]):
        raise ShapeError("segment_ids", f"there are {ids[0]} segment ids for {source[0]} rows")
    values = row(call, "segment_ids")
    if values is None:
        return ((None, *source[1:]),)
    if values and (values[0] != 0 or any(b - a not in (0, 1) for a, b in pairwise(values))):
        found = f"the segment ids {values[:8]} do not rise by one from 0"
        raise ShapeError("segment_ids", found, "index_values")
    return ((values[-1] + 1 if values else 0, *source[1:]),)


def unsorted_segment(call: Call) -> Shapes:
    """Return [``num_segments``, ...]: it replaces the dimensions that the segment ids share with the input.

    Segment ids must be below ``num_segments``.
    """
    source, ids = call.shape("input"), call.shape("segment_ids")
    stated = check_rank(call, "num_segments", 0, 1)
    number = single(call, "num_segments")
    if source is None or ids is None or stated is None:
        return (None,)
    if len(ids) > len(source) or any(map(differ, ids, source)):
        raise ShapeError(
            "segment_ids", f"the segment ids are {shape_text(ids)}, the input {shape_text(source)}"
        )
    values = call.values("segment_ids")
    highest = int(values.max()) if values is not None and values.size else -1
    if number is not None and (number < 0 or highest >= number):
        raise ShapeError("num_segments", f"num_segments is {number}, the highest segment id {highest}")
    return ((number, *source[len(ids) :]),)


__all__ = [
    "embedding_lookup", "gather", "gather_nd", "hashtable_lookup", "one_hot", "scatter_nd", "segment_sum",
    "sparse_to_dense", "unsorted_segment",
]  # fmt: skip

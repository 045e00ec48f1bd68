"""Operators that select and place stored values by index: slices, gathers, pads, one-hot."""

from __future__ import annotations

from typing import Any

import numpy as np

from litecheck.reference.compute_limits import check_time, reserve
from litecheck.reference.kernels.movement import ANY, ints, option, reserve_padded
from litecheck.reference.registry import kernel
from litecheck.reference.runtime_tensors import Array, Operand, Options, OutputSpec, RunError


@kernel("SLICE", *ANY)
def slice_(input: Operand, begin: Operand, size: Operand, output: OutputSpec) -> Array:
    """output = ``size`` elements from ``begin`` on along each dimension; -1 takes all remaining elements. Source:
    slice.cc."""
    for name, numbers in (("begin", ints(begin)), ("size", ints(size))):
        if len(numbers) != input.data.ndim:
            raise RunError(f"{name} has {len(numbers)} numbers for an input of {input.data.ndim} dimensions")
    window = tuple(
        slice(b, n if s < 0 else b + s) for b, s, n in zip(ints(begin), ints(size), input.shape, strict=True)
    )
    return np.asarray(input.data[window], order="C")


@kernel("STRIDED_SLICE", *ANY)
def strided_slice(
    input: Operand, begin: Operand, end: Operand, strides: Operand, output: OutputSpec, options: Options
) -> Array:
    """output = elements from ``begin`` to below ``end`` in steps; masks ignore a begin or end, add or remove a dimension.

    A masked begin is 0 even if its dimension is removed. ``ellipsis_mask`` keeps all dimensions that are not given. With
    ``offset``, end counts from the first index, and ``end_mask`` is ignored. Source: strided_slice.cc,
    strided_slice_logic.h.

    For example, begin 4, end 0 and stride -2 of (1, 2, 3, 4, 5) give (5, 3).
    """
    names = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
    masks = {name: int(option(options, f"{name}_mask")) for name in names}
    first, last, step = ints(begin), ints(end), ints(strides)
    named = sum(not masks["new_axis"] >> i & 1 and not masks["ellipsis"] >> i & 1 for i in range(len(first)))
    index: list[Any] = []
    at = 0
    for i, (a, b, s) in enumerate(zip(first, last, step, strict=True)):
        if masks["ellipsis"] >> i & 1:
            index += [slice(None)] * (input.data.ndim - named)
            at += input.data.ndim - named
        elif masks["new_axis"] >> i & 1:
            index.append(None)
        elif masks["shrink_axis"] >> i & 1:
            index.append(0 if masks["begin"] >> i & 1 else a)
            at += 1
        else:
            begins, ends = masks["begin"] >> i & 1, masks["end"] >> i & 1
            if option(options, "offset", False):
                begins, ends = 0, 0
                a = slice(None if masks["begin"] >> i & 1 else a, None, s).indices(input.shape[at])[0]
                s, b, ends = (s, a + b, int(a + b < 0)) if b * s > 0 else (1, a, 0)
            index.append(slice(None if begins else a, None if ends else b, s))
            at += 1
    made: Array = input.data[tuple(index)].copy()
    return made


@kernel("GATHER", *ANY)
def gather(input: Operand, indices: Operand, output: OutputSpec, options: Options) -> Array:
    """output = slices along ``axis`` by index; the first ``batch_dims`` dimensions are paired. Source: gather.cc.

    For example, indices (2, 0) of (3, 7, 9, 1) give (9, 3).
    """
    x, at = input.data, indices.data
    batch = int(option(options, "batch_dims")) % max(at.ndim + 1, 1)
    axis = int(option(options, "axis")) % x.ndim
    _check_indices(at, x.shape[axis])
    shape = (*x.shape[:axis], *at.shape[batch:], *x.shape[axis + 1 :])
    reserve(shape, 2 * x.itemsize)
    if not batch:
        return np.take(x, at, axis)
    rows = int(np.prod(x.shape[:batch]))
    if not rows:
        return np.zeros(shape, x.dtype)
    each = zip(x.reshape(rows, *x.shape[batch:]), at.reshape(rows, *at.shape[batch:]), strict=True)
    parts = []
    for part, places in each:
        check_time()
        parts.append(np.take(part, places, axis - batch))
    stacked = np.stack(parts)
    return stacked.reshape(*x.shape[:batch], *stacked.shape[1:])


def _check_indices(indices: Array, length: int) -> None:
    if indices.size and (indices.min() < 0 or indices.max() >= length):
        raise RunError(f"an index lies outside the {length} slices there are")


@kernel("GATHER_ND", *ANY)
def gather_nd(input: Operand, indices: Operand, output: OutputSpec) -> Array:
    """output = elements or slices, one for each index vector. Source: gather_nd.cc."""
    at = np.moveaxis(indices.data, -1, 0)
    for position, length in zip(at, input.shape, strict=False):
        _check_indices(position, length)
    reserve((*at.shape[1:], *input.shape[len(at) :]), 2 * input.data.itemsize)
    return np.asarray(input.data[tuple(at)], order="C")


@kernel("SCATTER_ND", *ANY, type_role="updates")
def scatter_nd(indices: Operand, updates: Operand, shape: Operand, output: OutputSpec) -> Array:
    """output = stored zeros (not zero points) with updates added at the indices. Source: scatter_nd.cc."""
    reserve(ints(shape), updates.data.itemsize)
    out = np.zeros(ints(shape), updates.data.dtype)
    at = np.moveaxis(indices.data, -1, 0)
    for position, length in zip(at, out.shape, strict=False):
        _check_indices(position, length)
    np.add.at(out, tuple(at), updates.data)
    return out


@kernel("PAD", *ANY)
def pad(input: Operand, paddings: Operand, output: OutputSpec) -> Array:
    """output = input with a border of real zeros, the output's zero point. Source: pad.cc.

    For example, (1, 2) with zero point -5 and paddings (1, 1) gives (-5, 1, 2, -5).
    """
    return _add_border(input.data, paddings, constant_values=output.zero_point)


@kernel("PADV2", *ANY)
def pad_v2(input: Operand, paddings: Operand, constant_values: Operand, output: OutputSpec) -> Array:
    """output = input with a border of a stored value. Source: pad.cc."""
    return _add_border(input.data, paddings, constant_values=constant_values.data.reshape(-1)[0])


@kernel("MIRROR_PAD", *ANY)
def mirror_pad(input: Operand, paddings: Operand, output: OutputSpec, options: Options) -> Array:
    """output = input with a border that mirrors it, without (REFLECT, 0) or with (SYMMETRIC, 1) the edge. Source:
    mirror_pad.cc.

    For example, REFLECT of (1, 2, 3) by (2, 0) gives (3, 2, 1, 2, 3).
    """
    return _add_border(input.data, paddings, mode="symmetric" if option(options, "mode") else "reflect")


def _add_border(x: Array, paddings: Operand, **border: Any) -> Array:
    """Return an array with a border, as numpy.pad; a scalar has none."""
    if paddings.data.size != 2 * x.ndim:
        raise RunError(f"paddings has {paddings.data.size} values for {x.ndim} dimensions")
    widths = paddings.data.reshape(-1, 2).tolist()
    reserve_padded(x, widths)
    return np.pad(x, widths, **border) if x.ndim else x.copy()


@kernel("DILATE", *ANY)
def dilate(input: Operand, dilations: Operand, padding_value: Operand, output: OutputSpec) -> Array:
    """output = elements ``dilations`` apart along each dimension, a stored value between them. Source: dilate.cc."""
    steps = ints(dilations)
    sizes = [max(0, (n - 1) * d + 1) for n, d in zip(input.shape, steps, strict=True)]
    reserve(sizes, padding_value.data.itemsize)
    out = np.full(sizes, padding_value.data.reshape(-1)[0])
    out[tuple(slice(None, None, d) for d in steps)] = input.data
    return out


@kernel("DYNAMIC_UPDATE_SLICE", *ANY)
def dynamic_update_slice(
    input: Operand, update: Operand, start_indices: Operand, output: OutputSpec
) -> Array:
    """output = input with a box overwritten by the update; the start is moved so that it fits. Source:
    dynamic_update_slice.cc."""
    out: Array = np.array(input.data)
    sizes = zip(ints(start_indices), update.shape, input.shape, strict=True)
    window = tuple(slice(a := min(max(start, 0), n - u), a + u) for start, u, n in sizes)
    out[window] = update.data
    return out


@kernel("ONE_HOT", *ANY, type_role="on_value")
def one_hot(
    indices: Operand,
    depth: Operand,
    on_value: Operand,
    off_value: Operand,
    output: OutputSpec,
    options: Options,
) -> Array:
    """output = ``on_value`` where the position along ``axis`` is the index, else ``off_value``. Source: one_hot.cc."""
    axis, n = int(option(options, "axis")), ints(depth)[0]
    axis = indices.data.ndim if axis == -1 else axis
    for elements in (1, indices.data.size):
        reserve((elements, n), 8)
    position = np.arange(n).reshape([-1 if i == axis else 1 for i in range(indices.data.ndim + 1)])
    hot = np.expand_dims(indices.data, axis) == position
    made: Array = np.where(hot, on_value.data.reshape(-1)[0], off_value.data.reshape(-1)[0])
    return made


@kernel("TOPK_V2", *ANY)
def topk_v2(input: Operand, k: Operand, values: OutputSpec, indices: OutputSpec) -> tuple[Array, Array]:
    """outputs = the k largest values along the last dimension, in order, and their indices; of equal values the first.
    Source: topk_v2.cc.

    For example, 2 of (3, 7, 7, 1) are (7, 7) at (1, 2).
    """
    count = ints(k)[0]
    wide = input.data.astype(np.int64) if input.data.dtype.kind in "iub" else input.data
    order = np.argsort(-wide, axis=-1, kind="stable")[..., :count]
    return np.take_along_axis(input.data, order, -1), order


@kernel("UNIQUE", *ANY)
def unique(input: Operand, output: OutputSpec, indices: OutputSpec) -> tuple[Array, Array]:
    """outputs = distinct values in the order of their first occurrence, and each element's index among them. Source:
    unique.cc.

    For example, (5, 3, 5) gives (5, 3) and (0, 1, 0).
    """
    distinct, first, where = np.unique(input.data.reshape(-1), return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return distinct[order], place[where.reshape(-1)]


@kernel("MATRIX_DIAG", *ANY)
def matrix_diag(diagonal: Operand, output: OutputSpec) -> Array:
    """output = matrices of stored zeros with the given diagonal. Source: matrix_diag.cc."""
    n = diagonal.shape[-1]
    reserve((*diagonal.shape, n), diagonal.data.itemsize)
    out = np.zeros((*diagonal.shape, n), diagonal.data.dtype)
    out[..., np.arange(n), np.arange(n)] = diagonal.data
    return out


@kernel("MATRIX_SET_DIAG", *ANY)
def matrix_set_diag(input: Operand, diagonal: Operand, output: OutputSpec) -> Array:
    """output = input with another diagonal. Source: matrix_set_diag.cc."""
    out: Array = input.data.copy()
    n = diagonal.shape[-1]
    out[..., np.arange(n), np.arange(n)] = diagonal.data
    return out


@kernel("SPARSE_TO_DENSE", *ANY, type_role="values")
def sparse_to_dense(
    indices: Operand, output_shape: Operand, values: Operand, default_value: Operand, output: OutputSpec
) -> Array:
    """output = ``default_value`` with values at the indices. Source: sparse_to_dense.cc."""
    reserve(ints(output_shape), values.data.itemsize)
    out = np.full(ints(output_shape), default_value.data.reshape(-1)[0], values.data.dtype)
    at = indices.data.reshape(-1, out.ndim) if indices.data.ndim else indices.data.reshape(1, 1)
    out[tuple(at.T)] = values.data
    return out


@kernel("EMBEDDING_LOOKUP", "int8", "int4", "float32", type_role="table")
def embedding_lookup(indices: Operand, table: Operand, output: OutputSpec) -> Array:
    """output = rows by index; rows of a quantized table become float32, scale times stored value, or are rounded to float16.

    The scale is that of the table, of the row, or of the block of the row. Source: embedding_lookup.cc, EvalHybrid and
    EvalBlockwise.
    """
    _check_indices(indices.data, table.shape[0])
    reserve((indices.data.size, *table.shape[1:]), 12)
    rows: Array = table.data[indices.data.reshape(-1)]
    if table.dtype == "float32" or output.dtype not in ("float32", "float16"):
        return rows
    scales = _row_scales(table)
    own = scales[indices.data.reshape(-1)] if len(scales) > 1 else np.repeat(scales, len(rows), axis=0)
    wide: Array = rows.astype(np.float32).reshape(*own.shape, -1) * own[..., None]
    return wide.reshape(rows.shape)


def _row_scales(table: Operand) -> Array:
    """Return the scales of the blocks of each row, (rows, blocks); (1, 1) for a scale of the whole table."""
    if table.quantization.details is None:
        return table.quantization.scale.reshape(-1, 1)
    size = table.data.size // max(len(table.data), 1)
    if table.blocks is None or not table.blocks.data.size or table.blocks.data.size % len(table.data):
        raise RunError("blockwise rows without a scale for each block")
    scales: Array = table.blocks.data.reshape(len(table.data), -1).astype(np.float32)
    if size % scales.shape[1]:
        raise RunError(f"{scales.shape[1]} blocks do not divide a row of {size} values")
    return scales

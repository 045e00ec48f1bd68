"""Layouts: operands and options of an operator from the values of its geometric factors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

import numpy as np

from litecheck.cases.geometry.covering_array import Row
from litecheck.cases.geometry.layout import (
    Layout,
    activation_option,
    at_rank,
    factor_values,
    image,
    integers,
    runtime,
    smaller,
    steering,
    weight,
)
from litecheck.cases.geometry.move_layouts import (
    broadcasting,
    diagonal,
    expanding,
    filling,
    inner_padding,
    mirroring,
    new_diagonal,
    packing,
    picking_places,
    ranking,
    reversing,
    scattering,
    selecting,
    slopes,
    space_blocks,
    spacing,
    splitting,
    tiling,
    uneven_splitting,
    unpacking,
    updating,
)
from litecheck.cases.geometry.stride_layout import striding
from litecheck.cases.geometry.sum_layouts import (
    batch_matmul,
    convolution,
    depthwise,
    matmul,
    pool,
    transposed_convolution,
)
from litecheck.model.build import Option


def binary(row: Row) -> Layout:
    """Return two operands: one side or both are broadcast along some dimensions, one is constant, or both are the same
    tensor."""
    shape = image(row)
    side, _, along = row["broadcast"].partition(" ")
    if side == "both":
        _, lhs, rhs = at_rank(row, shape, *(smaller(shape, name) for name in along.split()))
        return Layout({"lhs": runtime(lhs), "rhs": runtime(rhs)}, activation_option(row), prod(shape))
    constant, _, along = along.partition(" ") if along.startswith("constant") else ("", "", along)
    full, less = at_rank(row, shape, smaller(shape, along))
    small = weight(*less) if constant else runtime(less)
    pair = (small, runtime(full)) if side == "lhs" else (runtime(full), small)
    return Layout(
        {"lhs": pair[0], "rhs": pair[1]}, activation_option(row), prod(full), aliased=side == "same"
    )


def rows(row: Row) -> Layout:
    """Return rows of length ``depth`` as a tensor of rank ``rank``; ``3 images`` has three images of all rows."""
    count, depth = integers(row, "rows", "depth")
    shape = {
        "1": (depth,),
        "2": (count, depth),
        "3": (1, count, depth),
        "4": (count, 1, 2, depth),
        "3 images": (3, count, depth),
    }[row["rank"]]
    return Layout({"input": runtime(shape)}, {}, prod(shape))


def reduction(row: Row) -> Layout:
    """Return a reduction of an image along some axes."""
    shape = image(row)
    operands = {"input": runtime(shape), "axis": steering(list(factor_values(row, "axes")))}
    return Layout(operands, {"keep_dims": row["keep_dims"] == "yes"}, prod(shape))


def search(row: Row) -> Layout:
    """Return an image and the axis along which the largest element is searched."""
    shape = integers(row, "batch", "lines", "width", "channels")
    return Layout({"input": runtime(shape), "axis": steering(int(row["axis"]))}, {}, prod(shape))


def concatenation(row: Row) -> Layout:
    """Return operands of different lengths along one axis: ``4 equal`` of one length, ``2 same`` twice a tensor."""
    shape, axis = image(row), int(row["axis"])
    count, _, alike = row["count"].partition(" ")
    longer = [0 if alike else n % 3 for n in range(int(count))]
    at = axis % len(shape)
    shapes = [(*shape[:at], shape[at] + more, *shape[at + 1 :]) for more in longer]
    return Layout(
        {"values": runtime(*shapes)}, {"axis": axis}, sum(map(prod, shapes)), aliased=alike == "same"
    )


def resize(row: Row) -> Layout:
    """Return an image and its new size."""
    shape, size = image(row), integers(row, "new_height", "new_width")
    options: dict[str, Option] = {
        "align_corners": row["grid"] == "corners",
        "half_pixel_centers": row["grid"] == "half-pixels",
    }
    return Layout(
        {"input": runtime(shape), "size": steering(size)}, options, shape[0] * prod(size) * shape[3]
    )


def padding(row: Row) -> Layout:
    """Return an image with padding before and after each dimension; PADV2 pads with 0."""
    shape = image(row)
    pads = [list(factor_values(row, name)) for name in ("pad_n", "pad_h", "pad_w", "pad_c")]
    return Layout({"input": runtime(shape), "paddings": steering(pads)}, {}, prod(shape))


def transposition(row: Row) -> Layout:
    """Return the last dimensions of an image and their permutation; a fifth dimension of 2 follows the height."""
    batch, height, width, channels = image(row)
    order = factor_values(row, "order")
    shape = (
        (batch, height, 2, width, channels)
        if len(order) == 5
        else (batch, height, width, channels)[-len(order) :]
    )
    return Layout({"input": runtime(shape), "perm": steering(order)}, {}, prod(shape))


def picking(row: Row) -> Layout:
    """Return slices of a tensor, picked by indices along an axis; the last slice comes first."""
    outer, length, inner, count, axis = integers(row, "outer", "length", "inner", "count", "axis")
    shape = ((length, outer, inner), (outer, length, inner), (outer, inner, length))[axis % 3]
    indices = (length - 1 - np.arange(count) * 7 % length).reshape(-1, *(() if count % 2 else (2,)))
    return Layout(
        {"input": runtime(shape), "indices": steering(indices)},
        {"axis": axis},
        outer * inner * max(length, count),
    )


def section(row: Row) -> Layout | None:
    """Return an image and its part from ``begin``, up to the end or to one element before."""
    shape, begin = image(row), factor_values(row, "begin")
    less = int(row["end"] == "early")
    sizes = [n - b - less * (n - b > 1) for n, b in zip(shape, begin, strict=True)]
    if min(sizes) < 1:
        return None
    given = [-1] * len(sizes) if row["end"] == "open" else sizes
    return Layout(
        {"input": runtime(shape), "begin": steering(list(begin)), "size": steering(given)}, {}, prod(shape)
    )


def reshaping(row: Row) -> Layout:
    """Return elements in one shape and a new one: a row, a column, one dimension, or two rows of an even number."""
    count = int(row["elements"])
    shapes = {
        "row": (1, count),
        "column": (count, 1),
        "flat": (count,),
        "rows": (2, count // 2) if count % 2 == 0 else (count,),
    }
    new = list(shapes[row["to"]])
    return Layout({"input": runtime(shapes[row["from"]]), "shape": steering(new)}, {"new_shape": new}, count)


def squeezing(row: Row) -> Layout:
    """Return an image of one row or column, and the dimensions of 1 to remove."""
    count, removed = int(row["elements"]), list(factor_values(row, "removed"))
    kept = [n for n in range(4) if n not in {axis % 4 for axis in removed}]
    shape = [2 - count % 2 if n in kept else 1 for n in range(4)]
    shape[kept[-1]] = count
    return Layout({"input": runtime(tuple(shape))}, {"squeeze_dims": removed}, prod(shape))


def depth_blocks(row: Row) -> Layout:
    """Return an image of a number of blocks in each direction."""
    batch, rows_, columns, channels, block = integers(row, "batch", "rows", "columns", "channels", "block")
    shape = (batch, rows_ * block, columns * block, channels)
    return Layout({"input": runtime(shape)}, {"block_size": block}, prod(shape))


def _batch_blocks(row: Row) -> tuple[list[int], list[list[int]], list[int]]:
    """Return block sizes, padding or crops, and the size of the image with padding."""
    blocks, before = list(factor_values(row, "block")), factor_values(row, "before")
    sides = [n * b for n, b in zip(integers(row, "rows", "columns"), blocks, strict=True)]
    return blocks, [[b, int(row["after"])] for b in before], sides


def to_batch(row: Row) -> Layout | None:
    """Return an image whose blocks become images."""
    blocks, pads, sides = _batch_blocks(row)
    image = [n - sum(pad) for n, pad in zip(sides, pads, strict=True)]
    if min(image) < 1:
        return None
    shape = (int(row["batch"]), *image, int(row["channels"]))
    operands = {"input": runtime(shape), "block_shape": steering(blocks), "paddings": steering(pads)}
    return Layout(operands, {}, prod(shape))


def to_space(row: Row) -> Layout | None:
    """Return images that become blocks of larger images."""
    blocks, crops, sides = _batch_blocks(row)
    if min(n - sum(crop) for n, crop in zip(sides, crops, strict=True)) < 1:
        return None
    shape = (int(row["batch"]) * prod(blocks), *integers(row, "rows", "columns", "channels"))
    operands = {"input": runtime(shape), "block_shape": steering(blocks), "crops": steering(crops)}
    return Layout(operands, {}, prod(shape))


#: Layouts by the name in ``rules/geometry.yaml``.
LAYOUTS: Mapping[str, Callable[[Row], Layout | None]] = {
    f.__name__: f
    for f in (
        convolution, depthwise, transposed_convolution, pool, matmul, batch_matmul, binary, rows, reduction, search,
        concatenation, resize, padding, transposition, picking, section, reshaping, squeezing, depth_blocks, to_batch,
        to_space, packing, unpacking, splitting, uneven_splitting, mirroring, expanding, filling, striding, space_blocks,
        picking_places, scattering, selecting, tiling, broadcasting, ranking, reversing, updating, slopes, diagonal,
        new_diagonal, spacing, inner_padding,
    )
}  # fmt: skip

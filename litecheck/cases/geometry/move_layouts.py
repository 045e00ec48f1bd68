"""Layouts of operators that move data: stacks, parts, padding and blocks."""

from __future__ import annotations

from math import prod

import numpy as np

from litecheck.cases.geometry.covering_array import Row
from litecheck.cases.geometry.layout import (
    Layout,
    factor_values,
    image,
    integers,
    runtime,
    smaller,
    steering,
    weight,
)


def packing(row: Row) -> Layout:
    """Return several tensors to stack along a new axis, or the same tensor several times."""
    shape = integers(row, "height", "width", "channels")
    count, _, same = row["count"].partition(" ")
    options = {"values_count": int(count), "axis": int(row["axis"])}
    return Layout(
        {"values": runtime(*[shape] * int(count))}, options, int(count) * prod(shape), aliased=bool(same)
    )


def unpacking(row: Row) -> Layout | None:
    """Return an image and the axis of its slices, at most 9 of them."""
    shape, axis = image(row), int(row["axis"])
    if shape[axis] > 9:
        return None
    options = {"num": shape[axis], "axis": axis}
    return Layout({"input": runtime(shape)}, options, prod(shape), results=shape[axis])


def splitting(row: Row) -> Layout:
    """Return an image whose part of equal sizes have the shape of the factors."""
    shape, count, axis = list(image(row)), int(row["count"]), int(row["axis"])
    shape[axis] *= count
    operands = {"axis": steering(axis), "input": runtime(tuple(shape))}
    return Layout(operands, {"num_splits": count}, prod(shape), results=count)


def uneven_splitting(row: Row) -> Layout:
    """Return an image and sizes of its parts, each longer by 1; the size of an ``open`` last part is -1."""
    shape, count, axis = list(image(row)), int(row["count"]), int(row["axis"])
    sizes = [shape[axis] + n for n in range(count)]
    shape[axis] = sum(sizes)
    given = [*sizes[:-1], -1] if row["last"] == "open" else sizes
    operands = {"input": runtime(tuple(shape)), "size_splits": steering(given), "axis": steering(axis)}
    return Layout(operands, {"num_splits": count}, prod(shape), results=count)


def mirroring(row: Row) -> Layout | None:
    """Return an image with mirrored padding; None if the padding exceeds the image."""
    shape = image(row)
    pads = [[0, 0], *(list(factor_values(row, name)) for name in ("pad_h", "pad_w", "pad_c"))]
    if any(max(pad) > n - (row["mode"] == "REFLECT") for pad, n in zip(pads, shape, strict=True)):
        return None
    operands = {"input": runtime(shape), "paddings": steering(pads)}
    return Layout(operands, {"mode": row["mode"]}, prod(shape))


def expanding(row: Row) -> Layout:
    """Return an image and the place of a new dimension of 1."""
    shape = integers(row, "height", "width", "channels")
    return Layout({"input": runtime(shape), "axis": steering(int(row["axis"]))}, {}, prod(shape))


def filling(row: Row) -> Layout:
    """Return a shape and the value that fills it."""
    shape = image(row)
    return Layout({"dims": steering(list(shape)), "value": runtime(())}, {}, prod(shape))


def space_blocks(row: Row) -> Layout:
    """Return an image whose channels become blocks of a larger image."""
    batch, rows, columns, channels, block = integers(row, "batch", "rows", "columns", "channels", "block")
    shape = (batch, rows, columns, channels * block**2)
    return Layout({"input": runtime(shape)}, {"block_size": block}, prod(shape))


def _places(shape: tuple[int, ...], count: int) -> list[list[int]]:
    """Return distinct places of leading dimensions, the last place first."""
    numbers = prod(shape) - 1 - np.arange(count) * 7 % prod(shape)
    return [list(map(int, place)) for place in zip(*np.unravel_index(numbers, shape), strict=True)]


def picking_places(row: Row) -> Layout | None:
    """Return an image and places in its first ``indexed`` dimensions; None for more places than there are."""
    shape, count, indexed = image(row), int(row["count"]), int(row["indexed"])
    if count > prod(shape[:indexed]):
        return None
    operands = {"input": runtime(shape), "indices": steering(_places(shape[:indexed], count))}
    return Layout(operands, {}, prod(shape) + count * prod(shape[indexed:]))


def scattering(row: Row) -> Layout | None:
    """Return updates, their places in the first ``indexed`` dimensions, and the shape of the output."""
    shape, count, indexed = image(row), int(row["count"]), int(row["indexed"])
    if count > prod(shape[:indexed]) or prod(shape[:indexed]) % 7 == 0:
        return None
    operands = {
        "indices": steering(_places(shape[:indexed], count)),
        "updates": runtime((count, *shape[indexed:])),
        "shape": steering(list(shape)),
    }
    return Layout(operands, {}, prod(shape))


def selecting(row: Row) -> Layout:
    """Return a condition and two sides; ``broadcast`` lists smaller ones, each with the dimensions that it has."""
    shape = image(row)
    operands = dict.fromkeys(("condition", "on_true", "on_false"), runtime(shape))
    words = row["broadcast"].split()
    less = {
        role: runtime(smaller(shape, along)) for role, along in zip(words[::2], words[1::2], strict=False)
    }
    return Layout({**operands, **less}, {}, prod(shape))


def tiling(row: Row) -> Layout:
    """Return an image and its number of copies along each dimension."""
    shape, copies = image(row), factor_values(row, "copies")
    return Layout(
        {"input": runtime(shape), "multiples": steering(list(copies))}, {}, prod(shape) * prod(copies)
    )


def broadcasting(row: Row) -> Layout:
    """Return a smaller tensor and the shape that it is broadcast to."""
    shape = image(row)
    return Layout(
        {"input": runtime(smaller(shape, row["along"])), "shape": steering(list(shape))}, {}, prod(shape)
    )


def ranking(row: Row) -> Layout | None:
    """Return rows and the number of their largest elements."""
    count, depth = integers(row, "rows", "depth")
    most = depth if row["largest"] == "all" else int(row["largest"])
    if most > depth:
        return None
    return Layout({"input": runtime((count, depth)), "k": steering(most)}, {}, count * depth)


def reversing(row: Row) -> Layout:
    """Return an image and the axis that is reversed."""
    shape = image(row)
    return Layout({"input": runtime(shape), "axis": steering([int(row["axis"])])}, {}, prod(shape))


def updating(row: Row) -> Layout:
    """Return an image and a part to replace; the runtime moves a part beyond the image back into the image."""
    shape, start = image(row), list(factor_values(row, "start"))
    part = tuple(max(1, n // 2) for n in shape)
    operands = {"input": runtime(shape), "update": runtime(part), "start_indices": steering(start)}
    return Layout(operands, {}, prod(shape))


def slopes(row: Row) -> Layout:
    """Return an image and its slopes: of each channel, one for all, or of each element."""
    shape = image(row)
    sizes = {"channels": (1, 1, shape[3]), "one": (1, 1, 1), "elements": shape[1:]}
    return Layout({"input": runtime(shape), "alpha": weight(*sizes[row["slopes"]])}, {}, prod(shape))


def diagonal(row: Row) -> Layout:
    """Return the diagonals of square matrices."""
    shape = integers(row, "batch", "channels")
    return Layout({"diagonal": runtime(shape)}, {}, prod(shape) * shape[1])


def new_diagonal(row: Row) -> Layout:
    """Return matrices and their new diagonals."""
    batch, width, channels = integers(row, "batch", "width", "channels")
    operands = {
        "input": runtime((batch, width, channels)),
        "diagonal": runtime((batch, min(width, channels))),
    }
    return Layout(operands, {}, batch * width * channels)


def spacing(row: Row) -> Layout:
    """Return an image and the distances that its elements get; the gaps are padded."""
    shape, steps = image(row), factor_values(row, "steps")
    operands = {"input": runtime(shape), "dilations": steering(list(steps)), "padding_value": weight()}
    return Layout(operands, {}, prod(shape) * prod(steps))


def inner_padding(row: Row) -> Layout | None:
    """Return an image with padding before, after and between elements; a negative number removes elements."""
    shape = image(row)
    low, high, between = (factor_values(row, name) for name in ("low", "high", "between"))
    sizes = [n + a + b + (n - 1) * c for n, a, b, c in zip(shape, low, high, between, strict=True)]
    if min(sizes) < 1:
        return None
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    options = {
        name: np.array(values, np.int64) for name, values in zip(names, (low, high, between), strict=True)
    }
    return Layout({"input": runtime(shape), "padding_value": weight()}, options, prod(sizes))

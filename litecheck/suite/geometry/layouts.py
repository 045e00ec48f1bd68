"""Layouts: operands and options of an operator from the values of its geometric factors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from litecheck.model.build import Option
from litecheck.suite.case_templates import TemplateOperand
from litecheck.suite.geometry.covering import Row

Operands = Mapping[str, tuple[TemplateOperand, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Operands, options, and the cost: multiplications, or elements of inputs without any.

    If ``aliased``, the first tensor is all operands of its shape.
    """

    operands: Operands
    options: Mapping[str, Option]
    cost: int
    aliased: bool = False


def _fed(*shapes: tuple[int, ...]) -> tuple[TemplateOperand, ...]:
    return tuple(TemplateOperand(shape) for shape in shapes)


def _weight(*shape: int) -> tuple[TemplateOperand, ...]:
    return (TemplateOperand(shape, constant=True),)


def _steering(values: object) -> tuple[TemplateOperand, ...]:
    array = np.asarray(values)
    return (TemplateOperand(array.shape, array, constant=True),)


def _whole(row: Row, *names: str) -> tuple[int, ...]:
    return tuple(int(row[name]) for name in names)


def _listed(row: Row, name: str) -> tuple[int, ...]:
    return tuple(map(int, row[name].split()))


def _window(row: Row, kernel: tuple[int, ...]) -> tuple[dict[str, Option], int] | None:
    """Return the options of a window and the number of its positions; None if it exceeds the image."""
    height, width, *strides = _whole(row, "height", "width", "stride_h", "stride_w")
    dilations = _whole(row, "dilation_h", "dilation_w") if "dilation_h" in row else (1, 1)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    if row["padding"] == "VALID":
        sides = [n - r + 1 for n, r in zip((height, width), reach, strict=True)]
        if min(sides) < 1:
            return None
    else:
        sides = [height, width]
    counts = [-(-n // s) for n, s in zip(sides, strides, strict=True)]
    options: dict[str, Option] = {"padding": row["padding"], "stride_h": strides[0], "stride_w": strides[1]}
    if "dilation_h" in row:
        options |= {"dilation_h_factor": dilations[0], "dilation_w_factor": dilations[1]}
    return options, prod(counts)


def convolution(row: Row) -> Layout | None:
    """Return a convolution with ``outputs`` filters, in ``groups``."""
    batch, height, width, channels, outputs, groups = _whole(
        row, "batch", "height", "width", "channels", "outputs", "groups"
    )
    kernel = _listed(row, "kernel")
    window = _window(row, kernel)
    if window is None:
        return None
    operands = {
        "input": _fed((batch, height, width, channels * groups)),
        "weight": _weight(outputs * groups, *kernel, channels),
        "bias": _weight(outputs * groups),
    }
    return Layout(operands, window[0], batch * window[1] * outputs * groups * prod(kernel) * channels)


def depthwise(row: Row) -> Layout | None:
    """Return a depthwise convolution with ``multiplier`` outputs for each channel."""
    batch, height, width, channels, multiplier = _whole(
        row, "batch", "height", "width", "channels", "multiplier"
    )
    kernel = _listed(row, "kernel")
    window = _window(row, kernel)
    if window is None:
        return None
    outputs = channels * multiplier
    operands = {
        "input": _fed((batch, height, width, channels)),
        "weight": _weight(1, *kernel, outputs),
        "bias": _weight(outputs),
    }
    return Layout(
        operands, {**window[0], "depth_multiplier": multiplier}, batch * window[1] * outputs * prod(kernel)
    )


def pool(row: Row) -> Layout | None:
    """Return a pooling window."""
    shape = _whole(row, "batch", "height", "width", "channels")
    kernel = _listed(row, "kernel")
    window = _window(row, kernel)
    if window is None:
        return None
    options = {**window[0], "filter_height": kernel[0], "filter_width": kernel[1]}
    return Layout({"input": _fed(shape)}, options, shape[0] * window[1] * shape[3] * prod(kernel))


def matmul(row: Row) -> Layout:
    """Return a fully connected layer."""
    batch, depth, units = _whole(row, "batch", "depth", "units")
    operands = {"input": _fed((batch, depth)), "weight": _weight(units, depth), "bias": _weight(units)}
    return Layout(operands, {}, batch * depth * units)


def binary(row: Row) -> Layout:
    """Return two operands: one side is broadcast along some dimensions or constant, or both are the same tensor."""
    shape = _whole(row, "batch", "height", "width", "channels")
    side, _, along = row["broadcast"].partition(" ")
    smaller = {
        "element": (1,),
        "channels": shape[3:],
        "rows": (1, 1, shape[2], shape[3]),
        "column": (shape[0], shape[1], 1, 1),
    }.get(along, shape)
    small = _weight(*smaller) if along == "constant" else _fed(smaller)
    pair = (small, _fed(shape)) if side == "lhs" else (_fed(shape), small)
    return Layout({"lhs": pair[0], "rhs": pair[1]}, {}, prod(shape), aliased=side == "same")


def rows(row: Row) -> Layout:
    """Return rows of a depth, in so many dimensions."""
    count, depth, rank = _whole(row, "rows", "depth", "rank")
    shape = {1: (depth,), 2: (count, depth), 3: (1, count, depth), 4: (count, 1, 2, depth)}[rank]
    return Layout({"input": _fed(shape)}, {}, prod(shape))


def reduction(row: Row) -> Layout:
    """Return a reduction of an image along some axes."""
    shape = _whole(row, "batch", "height", "width", "channels")
    operands = {"input": _fed(shape), "axis": _steering(list(_listed(row, "axes")))}
    return Layout(operands, {"keep_dims": row["keep_dims"] == "yes"}, prod(shape))


def search(row: Row) -> Layout:
    """Return an image and the axis along which the largest element is searched."""
    shape = _whole(row, "batch", "lines", "width", "channels")
    return Layout({"input": _fed(shape), "axis": _steering(int(row["axis"]))}, {}, prod(shape))


def concatenation(row: Row) -> Layout:
    """Return operands of different lengths along one axis, or ``count`` times the same tensor."""
    shape, axis = _whole(row, "batch", "height", "width", "channels"), int(row["axis"])
    count, _, same = row["count"].partition(" ")
    longer = [0 if same else n % 3 for n in range(int(count))]
    at = axis % len(shape)
    shapes = [(*shape[:at], shape[at] + more, *shape[at + 1 :]) for more in longer]
    return Layout({"values": _fed(*shapes)}, {"axis": axis}, sum(map(prod, shapes)), aliased=bool(same))


def resize(row: Row) -> Layout:
    """Return an image and its new size."""
    shape, size = _whole(row, "batch", "height", "width", "channels"), _whole(row, "new_height", "new_width")
    options: dict[str, Option] = {
        "align_corners": row["grid"] == "corners",
        "half_pixel_centers": row["grid"] == "half-pixels",
    }
    return Layout({"input": _fed(shape), "size": _steering(size)}, options, shape[0] * prod(size) * shape[3])


def padding(row: Row) -> Layout:
    """Return an image with padding before and after each dimension; PADV2 pads with 0."""
    shape = _whole(row, "batch", "height", "width", "channels")
    pads = [list(_listed(row, name)) for name in ("pad_n", "pad_h", "pad_w", "pad_c")]
    return Layout({"input": _fed(shape), "paddings": _steering(pads)}, {}, prod(shape))


def transposition(row: Row) -> Layout:
    """Return the last dimensions of an image and their permutation; a fifth dimension of 2 is behind the height."""
    batch, height, width, channels = _whole(row, "batch", "height", "width", "channels")
    order = _listed(row, "order")
    shape = (
        (batch, height, 2, width, channels)
        if len(order) == 5
        else (batch, height, width, channels)[-len(order) :]
    )
    return Layout({"input": _fed(shape), "perm": _steering(order)}, {}, prod(shape))


def picking(row: Row) -> Layout:
    """Return slices of a tensor, picked by indices along an axis; the last slice comes first."""
    outer, length, inner, count, axis = _whole(row, "outer", "length", "inner", "count", "axis")
    shape = {0: (length, outer, inner), 1: (outer, length, inner), -1: (outer, inner, length)}[axis]
    indices = (length - 1 - np.arange(count) * 7 % length).reshape(-1, *(() if count % 2 else (2,)))
    return Layout(
        {"input": _fed(shape), "indices": _steering(indices)},
        {"axis": axis},
        outer * inner * max(length, count),
    )


def section(row: Row) -> Layout | None:
    """Return an image and its part from ``begin``, up to the end or to one element before."""
    shape, begin = _whole(row, "batch", "height", "width", "channels"), _listed(row, "begin")
    less = int(row["end"] == "early")
    sizes = [n - b - less * (n - b > 1) for n, b in zip(shape, begin, strict=True)]
    if min(sizes) < 1:
        return None
    given = [-1] * len(sizes) if row["end"] == "open" else sizes
    return Layout(
        {"input": _fed(shape), "begin": _steering(list(begin)), "size": _steering(given)}, {}, prod(shape)
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
    return Layout({"input": _fed(shapes[row["from"]]), "shape": _steering(new)}, {"new_shape": new}, count)


def squeezing(row: Row) -> Layout:
    """Return an image of one row or column, and the dimensions of 1 to remove."""
    count, removed = int(row["elements"]), list(_listed(row, "removed"))
    shape = [1 if n in removed else 2 - count % 2 for n in range(4)]
    shape[next(n for n in (3, 2, 1, 0) if n not in removed)] = count
    return Layout({"input": _fed(tuple(shape))}, {"squeeze_dims": removed}, prod(shape))


def depth_blocks(row: Row) -> Layout:
    """Return an image of a number of blocks in each direction."""
    batch, rows_, columns, channels, block = _whole(row, "batch", "rows", "columns", "channels", "block")
    shape = (batch, rows_ * block, columns * block, channels)
    return Layout({"input": _fed(shape)}, {"block_size": block}, prod(shape))


def _batch_blocks(row: Row) -> tuple[list[int], list[list[int]], list[int]]:
    """Return block sizes, padding or crops, and the size of the image with padding."""
    blocks, before = list(_listed(row, "block")), _listed(row, "before")
    sides = [n * b for n, b in zip(_whole(row, "rows", "columns"), blocks, strict=True)]
    return blocks, [[b, int(row["after"])] for b in before], sides


def to_batch(row: Row) -> Layout | None:
    """Return an image whose blocks become images."""
    blocks, pads, sides = _batch_blocks(row)
    image = [n - sum(pad) for n, pad in zip(sides, pads, strict=True)]
    if min(image) < 1:
        return None
    shape = (int(row["batch"]), *image, int(row["channels"]))
    operands = {"input": _fed(shape), "block_shape": _steering(blocks), "paddings": _steering(pads)}
    return Layout(operands, {}, prod(shape))


def to_space(row: Row) -> Layout | None:
    """Return images that become blocks of larger images."""
    blocks, crops, sides = _batch_blocks(row)
    if min(n - sum(crop) for n, crop in zip(sides, crops, strict=True)) < 1:
        return None
    shape = (int(row["batch"]) * prod(blocks), *_whole(row, "rows", "columns", "channels"))
    operands = {"input": _fed(shape), "block_shape": _steering(blocks), "crops": _steering(crops)}
    return Layout(operands, {}, prod(shape))


#: Layouts by the name in ``rules/suite/geometry.yaml``.
LAYOUTS: Mapping[str, Callable[[Row], Layout | None]] = {
    f.__name__: f
    for f in (
        convolution, depthwise, pool, matmul, binary, rows, reduction, search, concatenation, resize, padding,
        transposition, picking, section, reshaping, squeezing, depth_blocks, to_batch, to_space,
    )
}  # fmt: skip

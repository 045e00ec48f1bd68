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
    """Operands, options, and the cost: multiplications, or elements of inputs without any."""

    operands: Operands
    options: Mapping[str, Option]
    cost: int


def _fed(*shapes: tuple[int, ...]) -> tuple[TemplateOperand, ...]:
    return tuple(TemplateOperand(shape) for shape in shapes)


def _weight(*shape: int) -> tuple[TemplateOperand, ...]:
    return (TemplateOperand(shape, constant=True),)


def _steering(values: object) -> tuple[TemplateOperand, ...]:
    array = np.asarray(values)
    return (TemplateOperand(array.shape, array, constant=True),)


def _whole(row: Row, *names: str) -> tuple[int, ...]:
    return tuple(int(row[name]) for name in names)


def _window(row: Row, kernel: tuple[int, int]) -> tuple[dict[str, Option], int] | None:
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
    kernel = _whole(row, "kernel_h", "kernel_w")
    window = _window(row, (kernel[0], kernel[1]))
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
    kernel = _whole(row, "kernel_h", "kernel_w")
    window = _window(row, (kernel[0], kernel[1]))
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
    kernel = _whole(row, "kernel_h", "kernel_w")
    window = _window(row, (kernel[0], kernel[1]))
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
    """Return two operands, of which one side is broadcast along some dimensions."""
    shape = _whole(row, "batch", "height", "width", "channels")
    side, _, along = row["broadcast"].partition(" ")
    smaller = {
        "": shape,
        "element": (1,),
        "channels": shape[3:],
        "rows": (1, 1, shape[2], shape[3]),
        "column": (shape[0], shape[1], 1, 1),
    }[along]
    pair = (smaller, shape) if side == "lhs" else (shape, smaller)
    return Layout({"lhs": _fed(pair[0]), "rhs": _fed(pair[1])}, {}, prod(shape))


def rows(row: Row) -> Layout:
    """Return rows of a depth, in so many dimensions."""
    count, depth, rank = _whole(row, "rows", "depth", "rank")
    shape = {1: (depth,), 2: (count, depth), 3: (1, count, depth), 4: (count, 1, 2, depth)}[rank]
    return Layout({"input": _fed(shape)}, {}, prod(shape))


def reduction(row: Row) -> Layout:
    """Return a reduction of an image along some axes."""
    shape = _whole(row, "batch", "height", "width", "channels")
    axes = [int(axis) for axis in row["axes"].split()]
    operands = {"input": _fed(shape), "axis": _steering(axes)}
    return Layout(operands, {"keep_dims": row["keep_dims"] == "yes"}, prod(shape))


def concatenation(row: Row) -> Layout:
    """Return operands of different lengths along one axis."""
    shape, (count, axis) = _whole(row, "batch", "height", "width", "channels"), _whole(row, "count", "axis")
    shapes = [(*shape[:axis], shape[axis] + n % 3, *shape[axis + 1 :]) for n in range(count)]
    return Layout({"values": _fed(*shapes)}, {"axis": axis}, sum(map(prod, shapes)))


def resize(row: Row) -> Layout:
    """Return an image and its new size."""
    shape, size = _whole(row, "batch", "height", "width", "channels"), _whole(row, "new_height", "new_width")
    options: dict[str, Option] = {
        "align_corners": row["grid"] == "corners",
        "half_pixel_centers": row["grid"] == "half-pixels",
    }
    return Layout({"input": _fed(shape), "size": _steering(size)}, options, shape[0] * prod(size) * shape[3])


def padding(row: Row) -> Layout:
    """Return an image with padding before and after each dimension."""
    shape = _whole(row, "batch", "height", "width", "channels")
    pads = [[int(n) for n in row[name].split()] for name in ("pad_h", "pad_w", "pad_c")]
    return Layout({"input": _fed(shape), "paddings": _steering([[0, 0], *pads])}, {}, prod(shape))


def transposition(row: Row) -> Layout:
    """Return an image and a permutation of its dimensions."""
    shape = _whole(row, "batch", "height", "width", "channels")
    order = [int(axis) for axis in row["order"].split()]
    return Layout({"input": _fed(shape), "perm": _steering(order)}, {}, prod(shape))


#: Layouts by the name in ``rules/suite/geometry.yaml``.
LAYOUTS: Mapping[str, Callable[[Row], Layout | None]] = {
    f.__name__: f
    for f in (
        convolution, depthwise, pool, matmul, binary, rows, reduction, concatenation, resize, padding, transposition,
    )
}  # fmt: skip

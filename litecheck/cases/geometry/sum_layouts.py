"""Layouts of sums and windows: convolutions, products of matrices, pooling."""

from __future__ import annotations

from math import prod

from litecheck.cases.geometry.covering_array import Row
from litecheck.cases.geometry.layout import (
    Layout,
    activation_option,
    factor_values,
    has_small_sums,
    integers,
    runtime,
    steering,
    weight,
)
from litecheck.model.build import Option


def _window(row: Row, kernel: tuple[int, ...]) -> tuple[dict[str, Option], int] | None:
    """Return the options of a window and the number of its positions; None if it exceeds the image."""
    height, width, *strides = integers(row, "height", "width", "stride_h", "stride_w")
    dilations = integers(row, "dilation_h", "dilation_w") if "dilation_h" in row else (1, 1)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    if row["padding"] == "VALID":
        sides = [n - r + 1 for n, r in zip((height, width), reach, strict=True)]
        if min(sides) < 1:
            return None
    else:
        sides = [height, width]
    counts = [-(-n // s) for n, s in zip(sides, strides, strict=True)]
    options: dict[str, Option] = {"padding": row["padding"], "stride_h": strides[0], "stride_w": strides[1]}
    options |= activation_option(row)
    if "dilation_h" in row:
        options |= {"dilation_h_factor": dilations[0], "dilation_w_factor": dilations[1]}
    return options, prod(counts)


def convolution(row: Row) -> Layout | None:
    """Return a convolution with ``outputs`` filters, in ``groups``."""
    batch, height, width, channels, outputs, groups = integers(
        row, "batch", "height", "width", "channels", "outputs", "groups"
    )
    kernel = factor_values(row, "kernel")
    window = _window(row, kernel)
    if window is None:
        return None
    operands = {
        "input": runtime((batch, height, width, channels * groups)),
        "weight": weight(outputs * groups, *kernel, channels),
        "bias": weight(outputs * groups),
    }
    cost = batch * window[1] * outputs * groups * prod(kernel) * channels
    return Layout(operands, window[0], cost, small_sums=has_small_sums(row))


def depthwise(row: Row) -> Layout | None:
    """Return a depthwise convolution with ``multiplier`` outputs for each channel."""
    batch, height, width, channels, multiplier = integers(
        row, "batch", "height", "width", "channels", "multiplier"
    )
    kernel = factor_values(row, "kernel")
    window = _window(row, kernel)
    if window is None:
        return None
    outputs = channels * multiplier
    operands = {
        "input": runtime((batch, height, width, channels)),
        "weight": weight(1, *kernel, outputs),
        "bias": weight(outputs),
    }
    options, cost = {**window[0], "depth_multiplier": multiplier}, batch * window[1] * outputs * prod(kernel)
    return Layout(operands, options, cost, small_sums=has_small_sums(row))


def transposed_convolution(row: Row) -> Layout:
    """Return a transposed convolution. Example: width 6 with stride 2 gives 12 columns, without padding 13 for 3 x 3."""
    batch, channels, outputs = integers(row, "batch", "channels", "outputs")
    sides, strides, kernel = (
        integers(row, "height", "width"), integers(row, "stride_h", "stride_w"), factor_values(row, "kernel"),
    )  # fmt: skip
    same = row["padding"] == "SAME"
    made = [
        n * s if same else (n - 1) * s + max(k, s) for n, s, k in zip(sides, strides, kernel, strict=True)
    ]
    operands = {
        "output_shape": steering([batch, *made, outputs]),
        "weight": weight(outputs, *kernel, channels),
        "input": runtime((batch, *sides, channels)),
        "bias": weight(outputs),
    }
    options: dict[str, Option] = {"padding": row["padding"], "stride_h": strides[0], "stride_w": strides[1]}
    options |= activation_option(row)
    cost = batch * prod(sides) * channels * outputs * prod(kernel)
    return Layout(operands, options, cost, small_sums=has_small_sums(row))


def batch_matmul(row: Row) -> Layout:
    """Return products of matrices, each turned or not; ``shared`` is one right matrix for all batches."""
    batch, rows_, depth, columns = integers(row, "batch", "rows", "depth", "columns")
    left, right = (row["turned"] in (side, "both") for side in ("lhs", "rhs"))
    lhs, rhs = ((depth, rows_) if left else (rows_, depth)), ((columns, depth) if right else (depth, columns))
    small = (
        weight(*rhs)
        if row["weights"] == "constant"
        else runtime((1 if row["weights"] == "shared" else batch, *rhs))
    )
    operands = {"lhs": runtime((batch, *lhs)), "rhs": small}
    cost = batch * rows_ * depth * columns
    return Layout(operands, {"adj_x": left, "adj_y": right}, cost, small_sums=has_small_sums(row))


def pool(row: Row) -> Layout | None:
    """Return a pooling window."""
    shape = integers(row, "batch", "height", "width", "channels")
    kernel = factor_values(row, "kernel")
    window = _window(row, kernel)
    if window is None:
        return None
    options = {**window[0], "filter_height": kernel[0], "filter_width": kernel[1]}
    return Layout({"input": runtime(shape)}, options, shape[0] * window[1] * shape[3] * prod(kernel))


def matmul(row: Row) -> Layout:
    """Return a fully connected layer. ``rank`` 3 or 4 keeps the dimensions of the input; ``4 flat`` drops them.

    Example: a batch of 12 and a depth of 16 is (12, 16) of rank 2, (4, 3, 16) of rank 3, and (2, 2, 3, 16) of rank 4.
    """
    batch, depth, units = integers(row, "batch", "depth", "units")
    rank, _, flat = row.get("rank", "2").partition(" ")
    shape = {"2": (batch, depth), "3": (batch // 3, 3, depth), "4": (batch // 6, 2, 3, depth)}[rank]
    operands = {"input": runtime(shape), "weight": weight(units, depth), "bias": weight(units)}
    options = {**activation_option(row), "keep_num_dims": rank != "2" and not flat}
    return Layout(operands, options, batch * depth * units, small_sums=has_small_sums(row))

"""Pooling: AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D over (batch, height, width, channel)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from litecheck.reference.backends import ALL_BACKENDS, XNNPACK, BackendSet
from litecheck.reference.compute_limits import check_time
from litecheck.reference.numerics.fused_activation import activation_bounds, clamp_real, stored_bounds
from litecheck.reference.numerics.pooled_means import ROUND, count_covered, pooled_means
from litecheck.reference.numerics.windows import Axis, axes, pad_image
from litecheck.reference.registry import Variants, kernel
from litecheck.reference.runtime_tensors import Array, Operand, Options, OutputSpec, RunError

_QUANTIZED = ("int8", "uint8", "int16")


def _axes(input: Operand, options: Options) -> tuple[Axis, Axis]:
    """Return the windows over height and width."""
    if input.data.ndim != 4 or options is None:
        raise RunError(f"pooling needs options and 4 dimensions, not {input.data.ndim}")
    taps = int(options.get("filter_height", 0)), int(options.get("filter_width", 0))
    if min(*taps, int(options.get("stride_h", 0)), int(options.get("stride_w", 0))) < 1:
        raise RunError("a filter or stride of 0 slides nowhere")
    return axes(input.shape, taps, options)


def _taps(axis: Axis) -> Iterator[slice]:
    """Yield, for each element of the filter, the slice of padded positions that it covers in all windows."""
    for at in range(axis.kernel):
        check_time()
        yield slice(at, at + (axis.out - 1) * axis.stride + 1 if axis.out else 0, axis.stride)


def _slide(x: Array, rows: Axis, columns: Axis, combine: np.ufunc) -> Array:
    """Return combine() over every window of a padded image, first along the height, then along the width."""
    tall = _slide_along(x, 1, rows, combine)
    return _slide_along(tall, 2, columns, combine)


def _slide_along(x: Array, dimension: int, axis: Axis, combine: np.ufunc) -> Array:
    whole = (slice(None),) * dimension
    if axis.out == 1:
        window = (*whole, slice(axis.kernel))
        return np.asarray(combine.reduce(x[window], dimension, keepdims=True))
    first, *others = ((*whole, tap) for tap in _taps(axis))
    total = x[first].copy()
    for other in others:
        combine(total, x[other], out=total)
    return np.asarray(total)


def _slide_in_order(x: Array, rows: Axis, columns: Axis) -> Array:
    """Return sums over every window of a padded image, added row by row, because float32 sums depend on the order."""
    total = np.zeros((x.shape[0], rows.out, columns.out, x.shape[3]), x.dtype)
    for row in _taps(rows):
        for column in _taps(columns):
            total += x[:, row, column]
    return total


@kernel("AVERAGE_POOL_2D", *_QUANTIZED, round=tuple(ROUND))
def average_pool_2d(input: Operand, output: OutputSpec, options: Options, variants: Variants) -> Array:
    """output = the mean of the input elements in each window (padding does not count), then the activation.

    The sum of stored integers divided by their number, rounded; input and output share a quantization.
    Source: tflite/kernels/internal/reference/integer_ops/pooling.h.

    For example, a window of 1, 2, 3, 5 with equal scales gives 3: 2.75 rounded.
    """
    rows, columns = _axes(input, options)
    wide = np.int32 if rows.kernel * columns.kernel < 1 << 16 else np.int64
    total = _slide(pad_image(input.data, rows, columns, 0, wide), rows, columns, np.add)
    return pooled_means(total, rows, columns, variants["round"], stored_bounds(options, output))


@kernel("AVERAGE_POOL_2D", "float32")
def average_pool_2d_float(input: Operand, output: OutputSpec, options: Options) -> Array:
    """output = the mean of the elements in each window, summed in float32 row by row. Source: tflite/kernels/pooling.cc."""
    rows, columns = _axes(input, options)
    total = _slide_in_order(pad_image(input.data, rows, columns, 0, np.float32), rows, columns)
    return clamp_real(total / count_covered(rows, columns).astype(np.float32), options)


@kernel("MAX_POOL_2D", *_QUANTIZED, "float32", bounds=("half-away", "half-even"))
def max_pool_2d(
    input: Operand,
    output: OutputSpec,
    options: Options,
    variants: Variants,
    backends: BackendSet = ALL_BACKENDS,
) -> Array:
    """output = the largest stored value in each window, then the activation, whose bounds are rounded half away.

    ``bounds: half-even`` is XNNPACK's rounding, if XNNPACK runs the operator. Source: tflite/kernels/pooling.cc.
    """
    rows, columns = _axes(input, options)
    kind = input.data.dtype
    lowest = np.finfo(kind).min if kind.kind == "f" else np.iinfo(kind).min
    largest = _slide(pad_image(input.data, rows, columns, lowest, kind), rows, columns, np.maximum)
    if output.dtype == "float32":
        return clamp_real(largest, options)
    bounded = any(map(math.isfinite, activation_bounds(options)))
    half_even = bounded and variants["bounds"] == "half-even" and XNNPACK in backends
    return np.asarray(np.clip(largest, *stored_bounds(options, output, half_even)))


@kernel("L2_POOL_2D", "float32")
def l2_pool_2d(input: Operand, output: OutputSpec, options: Options) -> Array:
    """output = the root of the mean square of the elements in each window. Source: tflite/kernels/pooling.cc."""
    rows, columns = _axes(input, options)
    squares = _slide_in_order(pad_image(input.data * input.data, rows, columns, 0, np.float32), rows, columns)
    return clamp_real(np.sqrt(squares / count_covered(rows, columns).astype(np.float32)), options)

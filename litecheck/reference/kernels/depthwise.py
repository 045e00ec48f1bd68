"""DEPTHWISE_CONV_2D: a convolution of each channel with separate filters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from litecheck.reference.compute_limits import check_time, reserve
from litecheck.reference.kernels.hybrid import (
    asymmetric,
    flat,
    scale_sums,
    subtract_zero_points,
    weight_matrix,
)
from litecheck.reference.numerics.fused_activation import clamp_real
from litecheck.reference.numerics.integer_matmul import LARGEST, Weights, as_signed, signed_operand, weights
from litecheck.reference.numerics.numba_loops import NumbaLoops, numba_loops
from litecheck.reference.numerics.parametric_rescale import PARAMETRIC
from litecheck.reference.numerics.requantize import QUANTIZED, WIDE, Rescaling, layer
from litecheck.reference.numerics.rescale import rescalings
from litecheck.reference.numerics.windows import Axis, axes, pad_image
from litecheck.reference.registry import Variants, kernel, step
from litecheck.reference.runtime_tensors import Array, Operand, Options, OutputSpec, RunError

#: Sums per block: 0.5 MB of float32, because each sum is read and written once for every tap.
BLOCK = 1 << 17

#: Function that fills the sums of some output rows: (batch, first row of the padded image, sums).
AddUp = Callable[[int, int, Array], None]


@kernel(
    "DEPTHWISE_CONV_2D",
    *QUANTIZED,
    requantize=step(
        rescalings("double"), "int64_sums", "declined", "uint8", parametric=PARAMETRIC, int64_sums=WIDE
    ),
)
def depthwise_conv_2d(
    input: Operand,
    weight: Operand,
    bias: Operand | None,
    output: OutputSpec,
    options: Options,
    variants: Variants,
) -> Array:
    """out[n, y, x, d*m + k] = bias[c] + sum over taps of weight[0, i, j, d*m + k] * input[n, y*s + i, x*s + j, d].

    1. acc = sum (w - zw) * (q - z) + bias, int32 (int64 for int16); padding is z.
    2. Rescale by input scale * weight scale[c] / output scale, with a float64 product (float32 for uint8).
    3. Add the output zero point, clamp to type and fused activation.

    input (n, h, w, d), weight (1, kh, kw, d * m), bias (channels,). m, the depth multiplier, follows from the shapes.
    A weight zero point is used for uint8 only; LiteRT ignores it for other types.
    Source: tflite/kernels/depthwise_conv.cc, internal/reference/integer_ops/depthwise_conv.h.
    """
    kind, zero = signed_operand(input)
    unsigned = input.dtype == "uint8"

    def filters() -> Weights:
        stored = as_signed(weight.data).reshape(-1, weight.shape[3])
        return weights(stored.T, signed_operand(weight)[1] if unsigned else 0, LARGEST[kind])

    rescaling = Rescaling("DEPTHWISE_CONV_2D", variants["requantize"], unsigned, input.dtype != "int16")
    made = layer((input, weight, bias), output, options, zero, rescaling, filters)
    taps = made.filters.matrix.T
    rows, columns = axes(input.shape, (weight.shape[1], weight.shape[2]), options)
    reserve((input.shape[0], rows.out, columns.out, weight.shape[3]), 2)
    stored = _repeat_channels(as_signed(input.data), weight.shape[3])
    image = pad_image(stored, rows, columns, zero, stored.dtype)
    out = np.empty((input.shape[0], rows.out, columns.out, weight.shape[3]), made.rescale.dtype)
    for index, sums in blocks(image, taps, rows, columns):
        made.rescale(sums, made.offset, out[index])
    return out


def _repeat_channels(x: Array, channels: int) -> Array:
    """Return the image with every channel repeated by its number of filters."""
    depth = x.shape[3]
    if not depth or channels % depth:
        raise RunError(f"{channels} filters do not divide among {depth} input channels")
    reserve((*x.shape[:3], channels), x.itemsize, "repeated channels")
    return x if channels == depth else np.repeat(x, channels // depth, axis=3)


def blocks(image: Array, taps: Array, rows: Axis, columns: Axis) -> Iterator[tuple[tuple[int, slice], Array]]:
    """Yield sums of products for some output rows: ((batch, slice of rows), sums of shape (rows, columns * channels)).

    ``taps`` has shape (kernel_h * kernel_w, channels) and the type of the sums, which represents the image's values exactly.
    """
    width = columns.out * image.shape[3]
    if not rows.out * width:
        return
    height = min(rows.out, max(1, BLOCK // max(1, width)))
    sums = np.zeros((height, width), taps.dtype)
    loops = numba_loops(len(image) * rows.out * width)
    add_up = (
        _add_by_pixel(loops, image, taps, rows, columns) if loops else _add_by_tap(image, taps, rows, columns)
    )
    for n in range(len(image)):
        for y in range(0, rows.out, height):
            check_time()
            part = sums[: rows.out - y]
            add_up(n, y * rows.stride, part)
            yield (n, slice(y, y + height)), part


def _add_by_tap(image: Array, taps: Array, rows: Axis, columns: Axis) -> AddUp:
    """Return a function that adds all taps at once to each output row, along the whole row.

    With a stride, the columns of the image are first grouped by their remainder, so that the inputs of a tap are
    contiguous in memory. Only taps with the same remainder are then added at once.
    """
    kernels = taps.reshape(rows.kernel, columns.kernel, -1)
    reserve((rows.kernel, columns.kernel, columns.out, kernels.shape[2]), taps.itemsize, "repeated filters")
    apart = columns.stride // math.gcd(columns.stride, columns.dilation)
    phases = []
    for j in range(min(apart, columns.kernel)):
        start, phase = divmod(j * columns.dilation, columns.stride)
        phases.append(
            (image[:, :, phase :: columns.stride], start, np.tile(kernels[:, j::apart], columns.out))
        )

    def add_up(n: int, first: int, sums: Array) -> None:
        last = first + (len(sums) - 1) * rows.stride + (rows.kernel - 1) * rows.dilation + 1
        for at, (remainder_columns, start, tap) in enumerate(phases):
            contiguous = np.ascontiguousarray(remainder_columns[n, first:last], taps.dtype)
            seen = _tap_inputs(
                contiguous, start, (len(sums), *tap.shape), rows, apart * columns.dilation // columns.stride
            )
            if at:
                sums += np.einsum("yijk,ijk->yk", seen, tap)
            else:
                np.einsum("yijk,ijk->yk", seen, tap, out=sums)

    return add_up


def _tap_inputs(image: Array, start: int, shape: tuple[int, ...], rows: Axis, apart: int) -> Array:
    """Return a view (out rows, taps down, taps across, columns * channels) of the inputs of each tap.

    Adjacent taps are ``apart`` columns apart; the first tap begins at column ``start``.
    """
    down, across, item = image.strides
    strides = down * rows.stride, down * rows.dilation, across * apart, item
    view: Array = np.ndarray(shape, image.dtype, image, start * across, strides)
    return view


def _add_by_pixel(loops: NumbaLoops, image: Array, taps: Array, rows: Axis, columns: Axis) -> AddUp:
    """Return a function that adds all taps of each pixel in a compiled loop."""
    channels = image.shape[3]
    kernels = np.ascontiguousarray(taps).reshape(rows.kernel, columns.kernel, channels)
    down, across = (rows.stride, rows.dilation), (columns.stride, columns.dilation)

    def add_up(n: int, first: int, sums: Array) -> None:
        pixels = sums.reshape(len(sums), columns.out, channels)
        loops.depthwise(image[n], kernels, first, down, across, pixels)

    return add_up


@kernel("DEPTHWISE_CONV_2D", "float32")
def depthwise_conv_2d_float(
    input: Operand, weight: Operand, bias: Operand | None, output: OutputSpec, options: Options
) -> Array:
    """output = the depthwise convolution in float32; it equals a runtime's except for the order of additions.

    For int8 weights, each image is quantized asymmetrically first; XNNPACK does not run these operators. Source:
    tflite/kernels/depthwise_conv.cc, EvalHybridPerChannel.
    """
    channels = weight.shape[3]
    rows, columns = axes(input.shape, (weight.shape[1], weight.shape[2]), options)
    reserve((input.shape[0], rows.out, columns.out, channels), 12)
    out = np.empty((input.shape[0], rows.out, columns.out, channels), np.float32)
    if weight.dtype == "float32":
        image = pad_image(_repeat_channels(input.data, channels), rows, columns, 0, np.float32)
        for index, sums in blocks(image, weight.data.reshape(-1, channels), rows, columns):
            out[index] = sums.reshape(out[index].shape)
        return clamp_real(out if bias is None else out + bias.data, options)
    if weight.dtype != "int8":
        raise RunError(f"no kernel for float32 activations under {weight.dtype} weights")
    taps = weight_matrix(weight, -1).T
    images, scale = subtract_zero_points(flat(input.data), asymmetric)
    image = pad_image(_repeat_channels(images.reshape(input.shape), channels), rows, columns, 0, taps.dtype)
    for (n, y), sums in blocks(image, taps, rows, columns):
        out[n, y] = scale_sums(sums.reshape(out[n, y].shape), scale[n], weight, bias)
    return clamp_real(out, options)

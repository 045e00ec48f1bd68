"""CONV_2D: convolution with filters, also in groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from litecheck.reference.backends import ALL_BACKENDS, XNNPACK, BackendSet
from litecheck.reference.compute_limits import check_time, reserve
from litecheck.reference.kernels.hybrid import (
    DYNAMIC,
    flat,
    products,
    scale_sums,
    subtract_zero_points,
    weight_matrix,
)
from litecheck.reference.numerics.fused_activation import clamp_real
from litecheck.reference.numerics.integer_matmul import LARGEST, Weights, as_signed, signed_operand, weights
from litecheck.reference.numerics.parametric_rescale import PARAMETRIC
from litecheck.reference.numerics.requantize import (
    BIASES,
    QUANTIZED,
    SUMS,
    WIDE,
    PreparedLayer,
    Rescaling,
    layer,
    rescales_int64,
)
from litecheck.reference.numerics.rescale import rescalings
from litecheck.reference.numerics.windows import Axis, axes, pad_image, windows
from litecheck.reference.registry import Variants, kernel, step
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, Operand, Options, OutputSpec, RunError

#: Elements of the patch matrix per multiplication: 1 MB of float32, as large as the products, for a second-level cache.
BLOCK = 1 << 18


@kernel(
    "CONV_2D",
    *QUANTIZED,
    requantize=step(
        rescalings("double"),
        *BIASES,
        *SUMS,
        "grouped",
        parametric=PARAMETRIC,
        **dict.fromkeys(BIASES, rescalings("double")),
        int64_sums=WIDE,
    ),
)
def conv_2d(
    input: Operand,
    weight: Operand,
    bias: Operand | None,
    output: OutputSpec,
    options: Options,
    variants: Variants,
) -> Array:
    """out[n, y, x, c] = bias[c] + sum over taps and depth of weight[c, i, j, d] * input[n, y*s + i, x*s + j, d].

    1. acc = sum (w - zw) * (q - z) + bias, int32 (int64 for int16); padding is z.
    2. Rescale by input scale * weight scale[c] / output scale, with a float64 product (float32 for uint8).
    3. Add the output zero point, clamp to type and fused activation.

    input (n, h, w, d * groups), weight (channels, kh, kw, d), bias (channels,) in units of input scale * weight scale.
    Source: tflite/kernels/conv.cc, internal/reference/integer_ops/conv.h, internal/reference/conv.h.

    For example, inputs (10, 20) of scale 0.1 and weights (3, -1) of scale 0.5 give 1 with output scale 0.5.
    """
    kind, zero = signed_operand(input)

    def filters() -> Weights:
        return weights(
            as_signed(weight.data).reshape(weight.shape[0], -1), signed_operand(weight)[1], LARGEST[kind]
        )

    variant = variants["requantize"]
    int64 = rescales_int64(input, options, variant)
    rescaling = Rescaling("CONV_2D", variant, input.dtype == "uint8", not int64)
    made = layer((input, weight, bias), output, options, zero, rescaling, filters)
    return convolve(as_signed(input.data), zero, made, weight.shape, options)


def convolve(x: Array, zero: int, made: PreparedLayer, shape: tuple[int, ...], options: Options) -> Array:
    """Return the stored outputs of a convolution with filters of ``shape`` (channels, kh, kw, depth of a group)."""
    rows, columns = axes(x.shape, (shape[1], shape[2]), options)
    reserve((x.shape[0], rows.out, columns.out, shape[0]), 2)
    image = pad_image(x, rows, columns, zero, x.dtype)
    out = np.empty((x.shape[0], rows.out, columns.out, shape[0]), made.rescale.dtype)
    for index, sums in blocks(image, made.filters.matrix, shape, rows, columns, exact=True):
        made.rescale(sums, made.offset, out[index])
    return out


def blocks(
    image: Array, matrix: Array, shape: tuple[int, ...], rows: Axis, columns: Axis, exact: bool = False
) -> Any:
    """Yield sums of products for some output rows: ((batch, slice of rows), sums of shape (pixels, channels)).

    With ``exact`` sums, which do not depend on the block size, several small images form one block: batch is a slice.
    """
    channels, kernel_h, kernel_w, depth = shape
    groups = image.shape[3] // depth if depth else 1
    if not channels or groups * depth != image.shape[3] or channels % groups:
        raise RunError(
            f"{image.shape[3]} input channels do not divide among {channels} filters of depth {depth}"
        )
    view = windows(image, rows, columns)
    taps = kernel_h * kernel_w * depth
    height = max(1, BLOCK // max(1, columns.out * max(taps, channels)))
    many = max(1, height // max(1, rows.out)) if exact else 1
    reserve((min(height, rows.out), columns.out, taps + channels), 2 * matrix.itemsize, "windows")
    pixels = min(many, len(image)) * min(height, rows.out) * columns.out
    room = np.empty((pixels, channels), matrix.dtype)
    gathered = np.empty((pixels, taps), matrix.dtype)
    per = channels // groups
    for n in range(0, len(image), many):
        for y in range(0, rows.out, height):
            check_time()
            part = view[n : n + many, y : y + height]
            sums = room[: part.shape[0] * part.shape[1] * columns.out]
            for g in range(groups):
                patches = gathered[: len(sums)]
                np.copyto(patches.reshape(*part.shape[:-1], depth), part[..., g * depth : (g + 1) * depth])
                np.matmul(patches, matrix[g * per : (g + 1) * per].T, out=sums[:, g * per : (g + 1) * per])
            yield (slice(n, n + many) if exact else n, slice(y, y + height)), sums


@kernel("CONV_2D", "float32", dynamic=("by-scales", "xnnpack"))
def conv_2d_float(
    input: Operand, weight: Operand, bias: Operand | None, output: OutputSpec, options: Options, variants: Variants,
    backends: BackendSet = ALL_BACKENDS,
) -> Array:  # fmt: skip
    """output = the convolution in float32; it equals a runtime's except for the order of additions.

    For int8 or int4 weights, the input is quantized first, see :func:`hybrid`.
    """
    if weight.dtype in ("int8", "int4"):
        return clamp_real(
            hybrid(input, weight, bias, options, _dynamic(input, weight, variants, backends)), options
        )
    if weight.dtype != "float32":
        raise RunError(f"no kernel for float32 activations under {weight.dtype} weights")
    rows, columns = axes(input.shape, (weight.shape[1], weight.shape[2]), options)
    reserve((input.shape[0], rows.out, columns.out, weight.shape[0]), 12)
    image = pad_image(input.data, rows, columns, 0, np.float32)
    out = np.empty((input.shape[0], rows.out, columns.out, weight.shape[0]), NUMPY_TYPES[output.dtype])
    matrix = weight.data.reshape(weight.shape[0], -1)
    for index, sums in blocks(image, matrix, weight.shape, rows, columns):
        out[index] = sums.reshape(out[index].shape)
    return clamp_real(out if bias is None else out + bias.data, options)


def hybrid(input: Operand, weight: Operand, bias: Operand | None, options: Options, variant: str) -> Array:
    """Return a convolution of images that are quantized individually.

    XNNPACK quantizes pixels individually if the convolution is a matrix product (a single filter of 1 channel is none).
    LiteRT quantizes asymmetrically for per-channel filter scales or groups, else symmetrically. Source:
    tflite/kernels/conv.cc, EvalHybrid and EvalHybridPerChannel.
    """
    rows, columns = axes(input.shape, (weight.shape[1], weight.shape[2]), options)
    reserve((input.shape[0], rows.out, columns.out, weight.shape[0]), 12)
    out = np.empty((input.shape[0], rows.out, columns.out, weight.shape[0]), np.float32)
    pointwise = (rows.kernel, columns.kernel, rows.stride, columns.stride) == (1, 1, 1, 1)
    product = input.shape[3] == weight.shape[3] and (weight.shape[0], weight.shape[3]) != (1, 1)
    if variant == "xnnpack" and pointwise and product:
        pixels = input.data.reshape(-1, input.shape[3])
        return products(pixels, weight, bias, DYNAMIC[variant]).reshape(out.shape)
    matrix = weight_matrix(weight)
    images, scale = subtract_zero_points(flat(input.data), DYNAMIC[variant])
    image = pad_image(images.reshape(input.shape), rows, columns, 0, matrix.dtype)
    for (n, y), sums in blocks(image, matrix, weight.shape, rows, columns):
        out[n, y] = scale_sums(sums, scale[n], weight, bias).reshape(out[n, y].shape)
    return out


def _dynamic(input: Operand, weight: Operand, variants: Variants, backends: BackendSet) -> str:
    """Return the quantization of activations: ``xnnpack`` if XNNPACK runs the operator and the arithmetic selects it.

    Otherwise ``asymmetric`` for unequal weight scales or several groups, else ``symmetric``.
    """
    if variants["dynamic"] == "xnnpack" and XNNPACK in backends:
        return "xnnpack"
    scales = weight.quantization.scale
    own = bool((scales != scales[:1]).any()) or input.shape[3] != weight.shape[3]
    return "asymmetric" if own else "symmetric"

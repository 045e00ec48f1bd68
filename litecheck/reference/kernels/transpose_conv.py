"""TRANSPOSE_CONV: every input pixel adds its product with the filter to the output."""

from __future__ import annotations

import numpy as np

from litecheck.reference.compute_limits import check_time, reserve
from litecheck.reference.numerics.fused_activation import clamp_real
from litecheck.reference.numerics.integer_matmul import LARGEST, as_signed, signed_operand, weights
from litecheck.reference.numerics.parametric_rescale import PARAMETRIC
from litecheck.reference.numerics.requantize import QUANTIZED, SUMS, WIDE, requantizer, rescales_int64
from litecheck.reference.numerics.rescale import Scales, rescalings
from litecheck.reference.numerics.windows import axis
from litecheck.reference.registry import Variants, kernel, step
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, Operand, Options, OutputSpec, RunError


@kernel(
    "TRANSPOSE_CONV",
    *QUANTIZED,
    type_role="input",
    requantize=step(
        rescalings("double"),
        *SUMS,
        parametric=PARAMETRIC,
        int64_sums=WIDE,
        uint8=(*rescalings("double"), "double-by-sixteen"),
    ),
)
def transpose_conv(
    output_shape: Operand, weight: Operand, input: Operand, bias: Operand | None, output: OutputSpec, options: Options,
    variants: Variants,
) -> Array:  # fmt: skip
    """out[n, y*s + i - top, x*s + j - left, c] sums weight[c, i, j, d] * input[n, y, x, d]; then bias[c] is added.

    top (and left, with the width) is 0 for VALID, and max(0, (ceil(h / s) - 1) * s + kh - h) // 2 for SAME and the height h
    of output_shape. Example: h = 12, s = 2 and kh = 4 give 1.

    1. acc = sum (w - zw) * (q - z) + bias, int32 (int64 for int16); positions outside the output are ignored.
    2. Rescale by input scale * weight scale[c] / output scale, with a float64 product (float32 for uint8).
    3. Add the output zero point, clamp to type and fused activation.

    output_shape is (n, h, w, channels), weight (channels, kh, kw, d), bias (channels,). A weight zero point is used for
    uint8 only. ``double-by-sixteen`` rounds half up in full vectors of sixteen consecutive outputs of any channel, and
    half away from zero in the remaining outputs.
    Source: tflite/kernels/transpose_conv.cc, internal/reference/integer_ops/transpose_conv.h.

    For example, inputs (10, 20) of scale 0.1, weights (1, 2) of scale 0.5 and stride 2 give (10, 20, 20, 40) with output
    scale 0.05.
    """
    kind, zero = signed_operand(input)
    unsigned = input.dtype == "uint8"
    stored = as_signed(weight.data).reshape(weight.shape[0], -1)
    filters = weights(stored, signed_operand(weight)[1] if unsigned else 0, LARGEST[kind] + abs(zero))
    offset = filters.offset(bias, 0)
    centered = as_signed(input.data).astype(filters.matrix.dtype) - filters.matrix.dtype.type(zero)
    sums = _scatter_products(
        centered, filters.matrix.reshape(weight.shape), _output_shape(output_shape), options
    )
    scales = Scales.of(input, weight, output, weight.shape[0])
    wrap = not rescales_int64(input, options, variants["requantize"]) and filters.wraps(offset)
    out = np.empty(sums.shape, NUMPY_TYPES[output.dtype])
    by_sixteen = variants["requantize"] == "double-by-sixteen"
    variant = "double-half-up" if by_sixteen else variants["requantize"]
    requantizer(variant, scales, output, options, narrow=unsigned, wrap=wrap)(sums, offset, out)
    if by_sixteen:
        tail = np.empty_like(out)
        requantizer("double", scales, output, options, narrow=unsigned, wrap=wrap)(sums, offset, tail)
        left_over = slice(out.size // 16 * 16, None)
        out.reshape(-1)[left_over] = tail.reshape(-1)[left_over]
    return out


def _output_shape(output_shape: Operand) -> tuple[int, int, int, int]:
    if output_shape.data.size != 4:
        raise RunError(f"output_shape holds {output_shape.data.size} numbers, not 4")
    n, height, width, channels = (int(v) for v in output_shape.data.reshape(-1))
    return n, height, width, channels


def _scatter_products(x: Array, filters: Array, wanted: tuple[int, int, int, int], options: Options) -> Array:
    """Return sums of products, C-contiguous of shape ``wanted``: a matrix product, then a shifted addition per tap."""
    n, height, width, channels = wanted
    _, kernel_h, kernel_w, depth = filters.shape
    get = options.get if options is not None else lambda _, default: default
    padding, down, across = int(get("padding", 0)), int(get("stride_h", 0)), int(get("stride_w", 0))
    top = axis(height, kernel_h, down, 1, padding).before
    left = axis(width, kernel_w, across, 1, padding).before
    _, rows, columns, _ = x.shape
    reach_h = max((rows - 1) * down + kernel_h, top + height)
    reach_w = max((columns - 1) * across + kernel_w, left + width)
    reserve((n, reach_h, reach_w, channels), 4 * x.itemsize)
    room = np.zeros((n, reach_h, reach_w, channels), x.dtype)
    pixels = x.reshape(-1, depth)
    for i in range(kernel_h):
        for j in range(kernel_w):
            check_time()
            stamp = (pixels @ filters[:, i, j].T).reshape(n, rows, columns, channels)
            room[:, i : i + (rows - 1) * down + 1 : down, j : j + (columns - 1) * across + 1 : across] += (
                stamp
            )
    return np.ascontiguousarray(room[:, top : top + height, left : left + width])


@kernel("TRANSPOSE_CONV", "float32", type_role="input")
def transpose_conv_float(
    output_shape: Operand,
    weight: Operand,
    input: Operand,
    bias: Operand | None,
    output: OutputSpec,
    options: Options,
) -> Array:
    """output = the transposed convolution in float32; it equals a runtime's except for the order of additions."""
    if weight.dtype != "float32":
        raise RunError(f"no kernel for float32 activations under {weight.dtype} weights")
    out = _scatter_products(input.data, weight.data, _output_shape(output_shape), options)
    return clamp_real(out if bias is None else out + bias.data, options)

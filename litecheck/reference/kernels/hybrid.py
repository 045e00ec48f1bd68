"""Products of float32 activations and integer weights: the activations are quantized at run time, row by row.

A row is a vector in FULLY_CONNECTED and BATCH_MATMUL, an image in convolutions.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from litecheck.reference.numerics.fixedpoint import round_half_away
from litecheck.reference.numerics.integer_matmul import weights
from litecheck.reference.runtime_tensors import Array, Operand, Options, RunError

#: Largest magnitude of an int8 value less a zero point.
REACH = 255

#: Rows of float32 -> (stored int8, scale of each row, zero point of each row).
Dynamic = Callable[[NDArray[np.float32]], tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.int64]]]


def symmetric(x: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.int64]]:
    """Quantize rows with scale max |x| / 127 and zero point 0, rounded half away. A row of zeros has scale 1.

    Source: tflite/kernels/internal/reference/portable_tensor_utils.cc, PortableSymmetricQuantizeFloats.
    """
    reach = np.abs(x).max(axis=1, initial=0.0).astype(np.float32)
    some = np.where(reach > 0, reach, np.float32(127))
    stored = round_half_away(x * (np.float32(127) / some)[:, None]).clip(-127, 127).astype(np.int8)
    return stored, some / np.float32(127), np.zeros(len(x), np.int64)


def asymmetric(x: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.int64]]:
    """Quantize rows with scale (max - min) / 255, including 0 in the range; the zero point comes from the closer end.

    x / scale is rounded half away before the zero point is added, as in vector code; portable code rounds the sum.
    Source: tflite/kernels/internal/optimized/neon_tensor_utils.cc, NeonAsymmetricQuantizeFloats.
    """
    low = np.minimum(x.min(axis=1, initial=0.0), 0).astype(np.float32)
    high = np.maximum(x.max(axis=1, initial=0.0), 0).astype(np.float32)
    flat, wide = low == high, (high - low).astype(np.float64) / 255
    wide = np.where(flat, 1.0, wide)
    from_low, from_high = -128 - low / wide, 127 - high / wide
    closer = 128 + np.abs(low / wide) < 127 + np.abs(high / wide)
    zero = np.where(flat, 0, round_half_away(np.where(closer, from_low, from_high)).clip(-128, 127)).astype(
        np.int64
    )
    scale = wide.astype(np.float32)
    steps = round_half_away(x * (np.float32(1) / scale)[:, None]) + zero[:, None]
    return steps.clip(-128, 127).astype(np.int8), scale, zero


def xnnpack(x: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.int64]]:
    """Quantize rows as :func:`asymmetric`, but in float32 and half to even. Source: XNNPACK, src/packq and
    src/qs8-convert."""
    low = np.minimum(x.min(axis=1, initial=0.0), 0).astype(np.float32)
    high = np.maximum(x.max(axis=1, initial=0.0), 0).astype(np.float32)
    factor = np.where(
        low == high, np.float32(1), np.float32(255) / np.where(low == high, np.float32(1), high - low)
    )
    from_low, from_high = np.float32(-128) - low * factor, np.float32(127) - high * factor
    closer = np.float32(-128) + low * factor + np.float32(127) + high * factor > 0
    zero = np.rint(np.where(closer, from_low, from_high)).clip(-128, 127).astype(np.int64)
    stored = (np.rint(x * factor[:, None]) + zero[:, None]).clip(-128, 127).astype(np.int8)
    return stored, (np.float32(1) / factor).astype(np.float32), zero


#: Quantizations of rows by the name in arithmetic files; see :func:`dynamic` for ``as-asked``.
DYNAMIC: dict[str, Dynamic] = {"symmetric": symmetric, "asymmetric": asymmetric, "xnnpack": xnnpack}


def dynamic(variant: str, options: Options) -> Dynamic:
    """Return the quantization of rows in a variant: ``as-asked`` is symmetric unless asymmetric_quantize_inputs is set."""
    if variant == "as-asked":
        asymmetric_inputs = options is not None and options.get("asymmetric_quantize_inputs", False)
        variant = "asymmetric" if asymmetric_inputs else "symmetric"
    return DYNAMIC[variant]


def subtract_zero_points(
    x: NDArray[np.float32], quantize: Dynamic
) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Return rows less their zero points, integers of magnitude up to ``REACH``, and the scale of each row."""
    stored, scale, zero = quantize(x)
    return stored - zero.astype(np.int16)[:, None], scale


def flat(x: Array) -> Array:
    """Return an array as rows, one for each element of its first dimension, which may be empty."""
    return x.reshape(len(x), math.prod(x.shape[1:]))


def weight_matrix(weight: Operand, axis: int = 0) -> Array:
    """Return the weights as (channels, depth), channels along ``axis``, in a float type with exact sums over the depth."""

    def make() -> Array:
        stored = np.moveaxis(weight.data, axis, 0)
        return weights(flat(stored), 0, REACH).matrix

    return weight.once("hybrid", make)


def scale_sums(
    sums: Array, scale: np.float32 | NDArray[np.float32], weight: Operand, bias: Operand | None
) -> Array:
    """Return sums * (row scale * weight scale) + bias, in float32. Channels are the last dimension of ``sums``."""
    out: Array = sums.astype(np.float32) * (scale * weight.quantization.scale.astype(np.float32))
    return out if bias is None else out + bias.data


def products(x: NDArray[np.float32], weight: Operand, bias: Operand | None, quantize: Dynamic) -> Array:
    """Return out[n, c] = bias[c] + scale[n] * weight scale[c] * sum of (q[n] - zero[n]) * w[c], float32 (rows, units).

    The sums are exact; the scaling and the bias are float32.
    """
    matrix = weight_matrix(weight)
    rows, scale = subtract_zero_points(x, quantize)
    return scale_sums(rows.astype(matrix.dtype) @ matrix.T, scale[:, None], weight, bias)


def block_products(x: NDArray[np.float32], weight: Operand, bias: Operand | None, variant: str) -> Array:
    """Return :func:`products` for weights with a scale for each block of the depth, float32 (rows, units).

    Rows are quantized ``asymmetric``, independent of the options. With ``xnnpack``, they are quantized as in XNNPACK,
    and the weight scales are rounded to bfloat16. A weight times its scale is exact in float32; the sums are rounded.
    Source: tflite/kernels/fully_connected.cc, EvalBlockwise4Bit; XNNPACK, qd8-f32-qb4w.
    """

    def real() -> NDArray[np.float32]:
        scales = _block_scales(weight).astype(np.float32)
        scales = bfloat16(scales) if variant == "xnnpack" else scales
        blocks: NDArray[np.float32] = weight.data.reshape(*scales.shape, -1) * scales[..., None]
        return blocks.reshape(weight.shape)

    rows, scale = subtract_zero_points(x, DYNAMIC[variant])
    out: NDArray[np.float32] = (rows.astype(np.float32) @ weight.once(("blocks", variant), real).T) * scale[
        :, None
    ]
    return out if bias is None else out + bias.data


def _block_scales(weight: Operand) -> Array:
    """Return the scales, of shape (units, blocks)."""
    units, depth = weight.shape[-2:]
    if weight.blocks is None or weight.blocks.data.size % max(units, 1):
        raise RunError("blockwise weights without a scale for each block")
    scales = weight.blocks.data.reshape(units, -1)
    if not scales.size or depth % scales.shape[1]:
        raise RunError(f"{scales.shape[1]} blocks do not divide a depth of {depth}")
    return scales


def bfloat16(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return float32 values rounded to eight significant bits, half to even. Example: 1.01 gives 1.0078125."""
    bits = x.view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).view(np.float32)

"""BATCH_MATMUL: products of two matrices, each constant or computed."""

from __future__ import annotations

import math

import numpy as np

from litecheck.reference.backends import ALL_BACKENDS, XNNPACK, BackendSet
from litecheck.reference.compute_limits import reserve
from litecheck.reference.kernels.hybrid import REACH, dynamic, scale_sums, subtract_zero_points
from litecheck.reference.numerics.fixedpoint import Ints, wrap32
from litecheck.reference.numerics.integer_matmul import EXACT, LARGEST
from litecheck.reference.numerics.parametric_rescale import PARAMETRIC
from litecheck.reference.numerics.requantize import WIDE, requantizer
from litecheck.reference.numerics.rescale import Scales, rescalings
from litecheck.reference.registry import Variants, kernel, step
from litecheck.reference.runtime_tensors import Array, Operand, Options, OutputSpec, RunError

#: Variants without ``double-by-eight``, which depends on channels.
_ROUNDINGS = tuple(name for name in rescalings("double") if name != "double-by-eight")


@kernel(
    "BATCH_MATMUL",
    "int8",
    "int16",
    requantize=step(_ROUNDINGS, "int64_sums", "declined", parametric=PARAMETRIC, int64_sums=WIDE),
    multiplier=step(("float32",), "int64_sums", int64_sums=("float32", "float64")),
)
def batch_matmul(
    lhs: Operand, rhs: Operand, output: OutputSpec, options: Options, variants: Variants
) -> Array:
    """out[..., i, j] = sum over k of lhs[..., i, k] * rhs[..., k, j]; leading dimensions broadcast.

    1. acc = sum (l - zl) * (r - zr), int32 (int64 for int16); an int32 output is sum l * r, without zero points.
    2. Rescale by lhs scale * rhs scale / output scale; the product of the scales is in the width of ``multiplier``,
       float32 for int8. rhs may have a scale for each column.
    3. Add the output zero point, clamp to the type.

    adj_x and adj_y transpose the last two dimensions of lhs and rhs first.
    Source: tflite/kernels/batch_matmul.cc, internal/reference/batch_matmul.h.
    """
    left, right = _matrices(lhs, rhs, options)
    if output.dtype == "int32":
        return wrap32(_products(left, right, LARGEST[lhs.dtype], LARGEST[rhs.dtype])).astype(np.int32)
    sums = _products(left, right, LARGEST[lhs.dtype], LARGEST[rhs.dtype])
    if rhs.zero_point:
        sums -= rhs.zero_point * left.sum(axis=-1, dtype=np.int64)[..., None]
    if lhs.zero_point:
        sums -= lhs.zero_point * right.sum(axis=-2, dtype=np.int64)[..., None, :]
    sums += left.shape[-1] * lhs.zero_point * rhs.zero_point
    columns = 1 if rhs.quantization.scale.size == 1 else right.shape[-1]
    scales = Scales.of(lhs, rhs, output, columns)
    narrow, wrap = variants["multiplier"] == "float32", lhs.dtype == "int8"
    rescale = requantizer(variants["requantize"], scales, output, None, narrow=narrow, wrap=wrap)
    out = np.empty(sums.shape, rescale.dtype)
    rescale(sums, np.zeros(columns, np.int64), out)
    return out


def _matrices(lhs: Operand, rhs: Operand, options: Options) -> tuple[Array, Array]:
    left, right = lhs.data, rhs.data
    if left.ndim < 2 or right.ndim < 2:
        raise RunError(f"no matrices: shapes {list(left.shape)} and {list(right.shape)}")
    if options is not None and options.get("adj_x", False):
        left = left.swapaxes(-1, -2)
    if options is not None and options.get("adj_y", False):
        right = right.swapaxes(-1, -2)
    if left.shape[-1] != right.shape[-2]:
        raise RunError(f"{list(left.shape)} times {list(right.shape)} does not fit")
    leading = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    reserve((*leading, left.shape[-2], right.shape[-1]), 32)
    return left, right


def _products(left: Array, right: Array, most_left: int, most_right: int) -> Ints:
    """Return sums of products of stored values, in float32 if the depth proves them exact, else in float64."""
    carrier = np.float32 if left.shape[-1] * most_left * most_right <= EXACT else np.float64
    sums: Ints = np.matmul(left.astype(carrier), right.astype(carrier)).astype(np.int64)
    return sums


@kernel("BATCH_MATMUL", "float32", dynamic=("as-asked", "xnnpack"))
def batch_matmul_float(
    lhs: Operand,
    rhs: Operand,
    output: OutputSpec,
    options: Options,
    variants: Variants,
    backends: BackendSet = ALL_BACKENDS,
) -> Array:
    """output = the product in float32; it equals a runtime's except for the order of additions.

    For an int8 right-hand side, each row of the left-hand side is quantized first, with the variant of ``dynamic``.
    Source: tflite/kernels/batch_matmul.cc, EvalHybrid.
    """
    left, right = _matrices(lhs, rhs, options)
    if rhs.dtype == "float32":
        out: Array = np.matmul(left, right)
        return out
    if rhs.dtype != "int8":
        raise RunError(f"no kernel for float32 times {rhs.dtype}")
    variant = variants["dynamic"]
    quantize = dynamic("as-asked" if variant == "xnnpack" and XNNPACK not in backends else variant, options)
    rows, scale = subtract_zero_points(left.reshape(math.prod(left.shape[:-1]), left.shape[-1]), quantize)
    sums = _products(rows.reshape(left.shape), right, REACH, LARGEST["int8"])
    return scale_sums(sums, scale.reshape(*left.shape[:-1], 1), rhs, None)

"""FULLY_CONNECTED: a matrix product with constant or computed weights."""

from __future__ import annotations

import math

import numpy as np

from litecheck.quantization import Blockwise
from litecheck.reference.backends import ALL_BACKENDS, OPTIMIZED, XNNPACK, BackendSet
from litecheck.reference.compute_limits import check_time, reserve
from litecheck.reference.kernels.hybrid import block_products, dynamic, products
from litecheck.reference.numerics.fused_activation import activate_real, clamp_real
from litecheck.reference.numerics.integer_matmul import LARGEST, Weights, as_signed, signed_operand, weights
from litecheck.reference.numerics.parametric_rescale import PARAMETRIC
from litecheck.reference.numerics.requantize import (
    BIASES,
    QUANTIZED,
    SUMS,
    WIDE,
    Rescaling,
    layer,
    rescales_int64,
)
from litecheck.reference.numerics.rescale import FIXED, rescalings
from litecheck.reference.registry import Variants, kernel, step
from litecheck.reference.runtime_tensors import Array, Operand, Options, OutputSpec, RunError

_ROUNDINGS = rescalings("float64")
#: Rows per multiplication, so that the accumulators of long batches stay small.
ROWS = 1 << 12


@kernel(
    "FULLY_CONNECTED",
    *QUANTIZED,
    requantize=step(
        _ROUNDINGS,
        "int16_weights",
        *BIASES,
        "unstated_sums",
        *SUMS,
        parametric=PARAMETRIC,
        **dict.fromkeys((*BIASES, "unstated_sums"), _ROUNDINGS),
        int16_weights=WIDE,
        int64_sums=WIDE[::-1],
    ),
    multiplier=("float32", "float64"),
)
def fully_connected(
    input: Operand,
    weight: Operand,
    bias: Operand | None,
    output: OutputSpec,
    options: Options,
    variants: Variants,
) -> Array:
    """out[n, c] = bias[c] + sum over depth of weight[c, d] * input[n, d], input read as rows of the weights' depth.

    1. acc = sum (w - zw) * (q - z) + bias, int32 (int64 for int16). zw is used only if the weights have a single scale.
    2. Rescale by input scale * weight scale[c] / output scale. In fixed point, the product of scales has the width of
       ``multiplier`` for a single weight scale, and is float64 for a scale per unit.
    3. Add the output zero point, clamp to type and fused activation.

    For int16, the bias type in the options may be absent or differ from the bias. Kernels then round 32-bit or 64-bit sums.

    weight (units, depth), bias (units,); out has the input's leading dimensions if keep_num_dims is set, else
    (rows, units).
    Source: tflite/kernels/fully_connected.cc, internal/reference/integer_ops/fully_connected.h.
    """
    kind, zero = signed_operand(input)
    per_tensor = weight.quantization.scale.size == 1
    units, depth = _matrix(weight)

    def filters() -> Weights:
        stored = as_signed(weight.data).reshape(units, depth)
        return weights(stored, signed_operand(weight)[1] if per_tensor else 0, LARGEST[kind])

    variant = variants["requantize"]
    narrow = per_tensor and variant in FIXED and variants["multiplier"] == "float32"
    rescaling = Rescaling("FULLY_CONNECTED", variant, narrow, not rescales_int64(input, options, variant))
    made = layer((input, weight, bias), output, options, zero, rescaling, filters)
    matrix = made.filters.matrix
    rows = _rows(as_signed(input.data), depth)
    reserve((min(len(rows), ROWS), units + depth), 8)
    reserve((len(rows), units), 2)
    out = np.empty((len(rows), units), made.rescale.dtype)
    for start in range(0, len(rows), ROWS):
        check_time()
        part = rows[start : start + ROWS].astype(matrix.dtype)
        made.rescale(part @ matrix.T, made.offset, out[start : start + ROWS])
    return _restore_shape(out, input, options)


@kernel(
    "FULLY_CONNECTED",
    "float32",
    dynamic=step(
        ("as-asked", "xnnpack"),
        "blocks",
        "int4",
        blocks=("asymmetric", "xnnpack"),
        int4=("as-asked", "symmetric", "xnnpack"),
    ),
)
def fully_connected_float(
    input: Operand, weight: Operand, bias: Operand | None, output: OutputSpec, options: Options, variants: Variants,
    backends: BackendSet = ALL_BACKENDS,
) -> Array:  # fmt: skip
    """output = the product in float32; it equals a runtime's except for the order of additions.

    For integer weights, each row of the input is quantized first, with the variant of ``dynamic``. Except for blockwise
    scales, kernels for integer weights also compute a fused TANH and SIGN_BIT. Source:
    tflite/kernels/fully_connected.cc, EvalHybridDense, EvalHybridDense4Bit, EvalBlockwise4Bit.
    """
    units, depth = _matrix(weight)
    rows, details = _rows(input.data, depth), weight.quantization.details
    reserve((len(rows), units), 16)
    if weight.dtype == "float32":
        out = rows @ weight.data.reshape(units, depth).T
        out = out if bias is None else out + bias.data
    elif weight.dtype == "int4" and isinstance(details, Blockwise):
        xnnpack = variants["dynamic"] == "xnnpack" and XNNPACK in backends
        out = block_products(rows, weight, bias, "xnnpack" if xnnpack else "asymmetric")
    elif weight.dtype in ("int8", "int4", "int2") and details is None:
        out = products(rows, weight, bias, dynamic(_variant(weight, variants, backends), options))
        return _restore_shape(activate_real(out, options), input, options)
    else:
        raise RunError(f"no kernel for float32 activations under these {weight.dtype} weights")
    return _restore_shape(clamp_real(out, options), input, options)


def _variant(weight: Operand, variants: Variants, backends: BackendSet) -> str:
    """Return the quantization of rows.

    If XNNPACK rejects the operator, rows are ``symmetric`` for int4 weights and ``as-asked`` for other types.
    ``symmetric`` becomes ``as-asked`` if LiteRT's optimized kernels also reject the operator.
    """
    variant = variants["dynamic"]
    if variant == "xnnpack" and XNNPACK not in backends:
        variant = "symmetric" if weight.dtype == "int4" else "as-asked"
    return "as-asked" if variant == "symmetric" and OPTIMIZED not in backends else variant


def _matrix(weight: Operand) -> tuple[int, int]:
    if weight.data.ndim < 2:
        raise RunError(f"weights have shape {list(weight.shape)}, not two dimensions")
    return weight.shape[-2], weight.shape[-1]


def _rows(stored: Array, depth: int) -> Array:
    """Return an input as rows of the weights' depth. For a depth of 0, the number of rows follows from the shape."""
    return stored.reshape(stored.size // depth if depth else math.prod(stored.shape[:-1]), depth)


def _restore_shape(rows: Array, input: Operand, options: Options) -> Array:
    """Return rows of outputs, with the input's leading dimensions if ``keep_num_dims`` is set."""
    keep = options is not None and bool(options.get("keep_num_dims", False))
    return rows.reshape(*input.shape[:-1], rows.shape[-1]) if keep else rows

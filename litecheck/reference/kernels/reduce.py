"""Sums and means: MEAN, SUM, CUMSUM."""

from __future__ import annotations

import numpy as np

from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.backends import ALL_BACKENDS, XNNPACK, BackendSet
from litecheck.reference.numerics.axes import reduced_axes, reduction_view, shape_after
from litecheck.reference.numerics.fixedpoint import (
    MULTIPLY,
    WITHOUT_FLOAT32,
    Ints,
    quantize_multiplier,
    round_half_away,
    saturate,
    wrap32,
)
from litecheck.reference.registry import Variants, kernel
from litecheck.reference.runtime_tensors import Array, Operand, Options, OutputSpec

_QUANTIZED = ("int8", "uint8", "int16")


def _sums(input: Operand, axes: tuple[int, ...]) -> tuple[Ints, int]:
    """Return sums of stored integers along the axes, and the number of elements in each sum."""
    count = int(np.prod([input.shape[a] for a in axes], dtype=np.int64))
    sums: Ints = input.data.sum(axis=axes, dtype=np.int64) if axes else input.data.astype(np.int64)
    return sums, count


@kernel("MEAN", *_QUANTIZED, requantize=(*WITHOUT_FLOAT32, "optimized", "xnnpack", "float32"))
def mean(
    input: Operand,
    axis: Operand,
    output: OutputSpec,
    options: Options,
    variants: Variants,
    backends: BackendSet = ALL_BACKENDS,
) -> Array:
    """output = the mean along the axes; an empty input gives zeros.

    (sum - n * input zero point) times input scale / (n * output scale). The mantissa is shifted up by floor(log2 n) bits
    and divided by n, truncated. ``optimized`` computes means over height and width with four kept dimensions separately;
    ``xnnpack`` does the same for operators that XNNPACK does not run. Source:
    tflite/kernels/internal/reference/reduce.h, QuantizedMeanOrSum.

    For example, 1, 2, 3, 5 with equal scales give 3: 2.75 rounded.
    """
    axes = reduced_axes(axis, input.data.ndim)
    shape = shape_after(input.shape, axes, options)
    if input.data.size == 0:
        return np.zeros(shape, output.dtype)
    sums, count = _sums(input, axes)
    spatial = axes == (1, 2) and len(shape) == 4 and output.dtype != "int16"
    if variants["requantize"] == "xnnpack" and XNNPACK in backends:
        stored = _xnnpack(sums, count, count, input, output)
    elif variants["requantize"] == "float32":
        scale = input.scale / np.float32(np.float32(count) * output.scale)
        centered = (sums - input.zero_point * count).astype(np.float32)
        stored = np.rint(centered * scale).astype(np.int64) + output.zero_point
    elif variants["requantize"] in ("optimized", "xnnpack") and spatial:
        stored = _mean_spatial(sums, count, input, output)
    else:
        rounding = variants["requantize"] if variants["requantize"] in MULTIPLY else "double"
        stored = _mean_folded(sums, count, input, output, rounding)
    return saturate(stored, *INTEGER_RANGES[output.dtype]).reshape(shape)


def _mean_folded(sums: Ints, count: int, input: Operand, output: OutputSpec, rounding: str) -> Ints:
    mantissa, shift = quantize_multiplier(float(input.scale) / float(output.scale))
    up = min(count.bit_length() - 1, 32, 31 + shift)
    mantissa = (mantissa << up) // count
    return (
        MULTIPLY[rounding](wrap32(sums - input.zero_point * count), mantissa, shift - up) + output.zero_point
    )


def _mean_spatial(sums: Ints, count: int, input: Operand, output: OutputSpec) -> Ints:
    """Return the mean with the share of the zero point rounded separately in float32, half away.

    Channels in blocks of 16 round half up, the remaining channels half away. Source:
    tflite/kernels/internal/optimized/integer_ops/mean.h and optimized/reduce.h.
    """
    offset = np.float32(input.zero_point) * input.scale / output.scale
    bias = output.zero_point - int(round_half_away(np.asarray(offset)))
    scale = input.scale / np.float32(np.float32(count) * output.scale)
    multiplier = quantize_multiplier(float(scale))
    body = sums.shape[-1] // 16 * 16
    halves = (
        MULTIPLY["double-half-up"](sums[..., :body], *multiplier),
        MULTIPLY["double"](sums[..., body:], *multiplier),
    )
    return np.concatenate(halves, axis=-1) + bias


def _xnnpack(sums: Ints, count: int, divisor: int, input: Operand, output: OutputSpec) -> Ints:
    """Return XNNPACK's sum or mean, in float32, half to even; the zero points are combined first.

    The scale of a mean is the quotient of the scales times 1 / n, each rounded. Source: XNNPACK, operators/reduce-nd.c.
    """
    scale = input.scale / output.scale * (np.float32(1) / np.float32(divisor))
    zero = np.float32(output.zero_point) - np.float32(count * input.zero_point) * scale
    return np.asarray(np.rint(sums.astype(np.float32) * scale + zero).astype(np.int64))


@kernel("SUM", *_QUANTIZED, requantize=(*MULTIPLY, "float32", "xnnpack"))
def sum_(
    input: Operand,
    axis: Operand,
    output: OutputSpec,
    options: Options,
    variants: Variants,
    backends: BackendSet = ALL_BACKENDS,
) -> Array:
    """output = the sum along the axes; an empty input gives stored zeros, or the zero point in XNNPACK.

    (sum - n * input zero point) times input scale / output scale, rescaled. Source:
    tflite/kernels/internal/reference/reduce.h, QuantizedMeanOrSum.
    """
    axes = reduced_axes(axis, input.data.ndim)
    shape = shape_after(input.shape, axes, options)
    xnnpack = variants["requantize"] == "xnnpack" and XNNPACK in backends
    if input.data.size == 0 and not xnnpack:
        return np.zeros(shape, output.dtype)
    sums, count = _sums(input, axes)
    if xnnpack:
        stored = _xnnpack(sums, count, 1, input, output)
    elif variants["requantize"] in MULTIPLY:
        multiplier = quantize_multiplier(float(input.scale) / float(output.scale))
        centered = wrap32(sums - input.zero_point * count)
        stored = MULTIPLY[variants["requantize"]](centered, *multiplier) + output.zero_point
    else:
        stored = _sum_float(sums, count, input, output)
    return saturate(stored, *INTEGER_RANGES[output.dtype]).reshape(shape)


def _sum_float(sums: Ints, count: int, input: Operand, output: OutputSpec) -> Ints:
    """Return the sum with sum and zero points scaled separately, in float32, half away.

    Source: tflite/kernels/internal/optimized/reduce.h.
    """
    scale = input.scale / output.scale
    bias = np.float32(-input.zero_point) * scale * np.float32(count)
    return round_half_away(sums.astype(np.float32) * scale + bias).astype(np.int64) + output.zero_point


@kernel("MEAN", "float32", "int32", "int64")
def mean_plain(input: Operand, axis: Operand, output: OutputSpec, options: Options) -> Array:
    """output = the mean along the axes: float32 summed in row-major order, integers truncated toward zero.

    Source: tflite/kernels/internal/reference/reduce.h, Mean.
    """
    axes = reduced_axes(axis, input.data.ndim)
    shape = shape_after(input.shape, axes, options)
    if input.data.size == 0:
        return np.full(shape, np.nan if output.dtype == "float32" else 0, output.dtype)
    rows = reduction_view(input.data, axes)
    if output.dtype == "float32":
        return np.asarray((_sum_in_order(rows) / np.float32(rows.shape[-1])).reshape(shape))
    total = rows.sum(axis=-1, dtype=np.int64)
    return np.asarray((np.sign(total) * (np.abs(total) // rows.shape[-1])).reshape(shape))


@kernel("SUM", "float32", "int32", "int64")
def sum_plain(input: Operand, axis: Operand, output: OutputSpec, options: Options) -> Array:
    """output = the sum along the axes, float32 in row-major order; integers wrap. Source: tflite/kernels/reduce.cc."""
    axes = reduced_axes(axis, input.data.ndim)
    rows = reduction_view(input.data, axes)
    total = _sum_in_order(rows) if output.dtype == "float32" else rows.sum(axis=-1, dtype=rows.dtype)
    return np.asarray(total).reshape(shape_after(input.shape, axes, options))


def _sum_in_order(rows: Array) -> Array:
    """Return sums along the last axis, element after element, in the type of the elements."""
    if rows.shape[-1] == 0:
        return np.zeros(rows.shape[:-1], rows.dtype)
    return np.add.accumulate(rows, axis=-1, dtype=rows.dtype)[..., -1]


@kernel("CUMSUM", "float32", "int32", "int64")
def cumsum(input: Operand, axis: Operand, output: OutputSpec, options: Options) -> Array:
    """output[i] = input[0] + ... + input[i] along an axis; ``exclusive`` omits input[i], ``reverse`` starts at the end.

    Source: tflite/kernels/cumsum.cc.

    For example, (1, 2, 3) gives (1, 3, 6), or (0, 1, 3) with ``exclusive``.
    """
    along = int(axis.data.reshape(-1)[0]) % input.data.ndim
    exclusive, backwards = (
        options is not None and bool(options.get(o, False)) for o in ("exclusive", "reverse")
    )
    data = np.flip(input.data, along) if backwards else input.data
    total = np.cumsum(data, axis=along, dtype=data.dtype)
    if exclusive:
        total = np.roll(total, 1, axis=along)
        total[(slice(None),) * along + (slice(0, 1),)] = 0
    return np.flip(total, along) if backwards else total

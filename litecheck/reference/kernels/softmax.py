"""SOFTMAX and LOG_SOFTMAX over the last dimension: in fixed point, or from tables of float32 or int16."""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import Any

import numpy as np

from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.numerics import gemmlowp
from litecheck.reference.numerics.fixedpoint import (
    INT32_MIN,
    Ints,
    doubling_high_mul,
    multiply_double,
    quantize_multiplier,
    rounding_shift,
    saturate,
    wrap32,
)
from litecheck.reference.numerics.lookup import interpolate, libm, quotient, words
from litecheck.reference.registry import Variants, kernel
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, Operand, Options, OutputSpec, RunError

_F = np.float32


def _beta(options: Options) -> float:
    """Return the factor beta, a float32."""
    return float(_F(options.get("beta", 0.0) if options is not None else 0.0))


@lru_cache(maxsize=256)
def _exp_of_steps(real: float) -> tuple[Ints, Ints, int, tuple[int, int]]:
    """Return, for differences d = 0, -1, ..., -255, ``real`` * d in Q5.26, its exp in Q0.31, the smallest d, and the
    multiplier.

    ``real`` is the input's scale times beta. Differences below the smallest d have an exponent of -31 or less, and exp
    = 0. Source: quantization_util.cc, PreprocessSoftmaxScaling.
    """
    m, left = quantize_multiplier(min(real * 2.0**26, 2.0**31 - 1))
    if real <= 2.0**-26:
        raise RunError(f"the input's step times beta is {real:g}; LiteRT needs a value above 2^-26")
    farthest = -math.floor(31.0 * 2.0**26 / 2.0**left)
    d = -np.arange(256, dtype=np.int64)
    scaled = doubling_high_mul(wrap32(np.maximum(d, farthest) << left), m)
    return scaled, np.where(d >= farthest, gemmlowp.exp_negative(scaled, 5), 0), farthest, (m, left)


@kernel("SOFTMAX", "int8", "uint8", exp=("fixed-point", "float32-table", "float32-half-even"))
def softmax(input: Operand, output: OutputSpec, options: Options, variants: Variants) -> Array:
    """output = exp(beta * x) / sum of exp(beta * x) over the last dimension; shape (..., depth), 8 bits to 8 or 16.

    Output scale 1/256 (1/32768 or 1/65536 in 16 bits); the smallest value means 0.

    1. d = x - max of its row, beta * s * d in Q5.26, exp in Q0.31, summed in Q12.19 without overflow.
    2. 1 / sum in Q0.31 and a power of two; times exp, shifted right half away, plus the smallest value.

    Source: tflite/kernels/internal/reference/softmax.h; the table: optimized_ops.h, PopulateSoftmaxLookupTable.

    For example, (10, 0) with scale 0.1 gives (59, -59): 0.73 and 0.27.
    """
    x = input.rows.astype(np.int64)
    d = x.max(-1, keepdims=True, initial=np.iinfo(np.int64).min) - x if x.size else x
    if variants["exp"] != "fixed-point":
        return _softmax_table(
            d, input.scale * _F(_beta(options)), output, variants["exp"] == "float32-half-even"
        )
    _, exps, farthest, _ = _exp_of_steps(_beta(options) * float(input.scale))
    sums, dropped = _leading_bits(rounding_shift(exps, 12)[d].sum(-1, keepdims=True), 32)
    inverse, over = gemmlowp.reciprocal(sums, 12)
    low, high = INTEGER_RANGES[output.dtype]
    shift = over + dropped + 31 - 8 * np.dtype(NUMPY_TYPES[output.dtype]).itemsize
    result = rounding_shift(doubling_high_mul(inverse, exps[d]), shift) + low
    return np.where(-d < farthest, low, saturate(result, low, high)).astype(NUMPY_TYPES[output.dtype])


def _leading_bits(sums: Ints, bits: int) -> tuple[Ints, Ints]:
    """Return (n, k) with n = sums / 2^k rounded down, where k = 0 if a sum fits ``bits`` bits.

    LiteRT's sums wrap around in 32 bits: see known-faults.yaml. For example, 2^32 + 3 and 32 bits give (2^31 + 1, 1).
    """
    dropped = np.maximum(np.frexp(sums.astype(np.float64))[1].astype(np.int64) - bits, 0)
    return sums >> dropped, dropped


def _softmax_table(d: Ints, step: np.float32, output: OutputSpec, to_even: bool) -> Array:
    """Return softmax from 256 float32 exponentials, summed sequentially, rounded half up or half to even."""
    with np.errstate(invalid="ignore"):  # beta may be infinite, and 0 times infinity is NaN
        table = _exp32(-step * np.arange(256).astype(_F))
    exps = table[d]
    sums = _sum_in_sequence(exps) if d.size else _F(1)
    low, high = INTEGER_RANGES[output.dtype]
    with np.errstate(all="ignore"):  # the output scale may be 0
        share = exps * (_F(1) / (sums * output.scale))
        rounded = (np.rint(share) if to_even else np.floor(share + _F(0.5))).astype(np.int64)
    return saturate(rounded + output.zero_point, low, high).astype(NUMPY_TYPES[output.dtype])


def _exp32(x: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.exp(x.astype(np.float64)).astype(_F)


@cache
def _int16_tables(width: str) -> tuple[Ints, Ints]:
    """Return tables of exp(x) for x in [-10, 0] and 1 / (1 + x) for x in [0, 1], 513 entries each, computed in ``width``."""
    real: Any = np.dtype(width).type
    ten, one, two = (real(n) / real(65535) for n in (10, 1, 2))
    ends = two * real(-32768), two * real(32767)
    exps = words(libm(np.exp), (ten * real(-65535), real(0)), ends)
    return exps, words(lambda x: real(1) / (real(1) + x), (real(0), one * real(65535)), ends)


@kernel("SOFTMAX", "int16", multiplier=("float32", "float64"), tables=("float64", "float32"))
def softmax_int16(input: Operand, output: OutputSpec, options: Options, variants: Variants) -> Array:
    """output = exp(beta * x) / sum of exp(beta * x) over the last dimension, from 513-entry tables; output scale 1/32768.

    1. d = x - max of its row, rescaled so that -65535 is -10; exp in Q0.15, summed in Q16.15 without overflow.
    2. The sum, normalized to [1, 2), gives 1 / sum in Q0.15; times exp, shifted right half up.

    Source: tflite/kernels/internal/reference/softmax.h, SoftmaxInt16.
    """
    x = input.rows.astype(np.int64)
    if not x.size:
        return input.data
    exp_table, inverse_table = _int16_tables(variants["tables"])
    step = quotient(variants["multiplier"], input.scale, _F(_beta(options)), over=_F(1))
    scaled = multiply_double(x - x.max(-1, keepdims=True), *quantize_multiplier(step / (10.0 / 65535.0)))
    exps = interpolate(saturate(scaled + 32767, -32768, 32767), exp_table)
    sums, dropped = _leading_bits(exps.sum(-1, keepdims=True), 31)
    headroom = gemmlowp.leading_zeros(sums)
    normalized = ((sums << (headroom - 1)) + (1 << 13)) >> 14
    inverse = interpolate(saturate(normalized - (1 << 15) - (1 << 16), -32768, 32767), inverse_table)
    shift = 31 - headroom + dropped
    result = (exps * inverse + (np.int64(1) << (shift - 1))) >> shift
    return saturate(result, 0, 32767).astype(np.int16)


@kernel("SOFTMAX", "float32")
def softmax_float(input: Operand, output: OutputSpec, options: Options) -> Array:
    """output = exp(beta * (x - max)) / sum of exp(beta * (x - max)) over the last dimension, in float32."""
    if not input.rows.size:
        return input.data
    exps = _exp32((input.data - input.data.max(-1, keepdims=True)) * _F(_beta(options)))
    return exps / _sum_in_sequence(exps)


@kernel("LOG_SOFTMAX", "int8", "uint8", exp=("fixed-point", "float32-table"))
def log_softmax(input: Operand, output: OutputSpec, variants: Variants) -> Array:
    """output = x - log(sum of exp(x)) over the last dimension; output scale 16/256; the largest value means 0.

    The sum is computed as in SOFTMAX. Its logarithm in Q5.26 is subtracted, and the difference shifted right half away.
    Values below the output's range become its smallest value.
    Source: tflite/kernels/internal/reference/integer_ops/log_softmax.h.

    For example, (10, 0) with scale 0.1 gives (122, 106): -0.31 and -1.31.
    """
    x = input.rows.astype(np.int64)
    d = x.max(-1, keepdims=True) - x if x.size else x
    low, high = INTEGER_RANGES[output.dtype]
    if variants["exp"] == "float32-table":
        return _log_softmax_table(x, d, input.scale, output)
    scaled, exps, farthest, (m, left) = _exp_of_steps(float(input.scale))
    sums, dropped = _leading_bits(rounding_shift(exps, 12)[d].sum(-1, keepdims=True), 31)
    log = gemmlowp.log(sums, 12 + dropped, 5)
    m_back, left_back = quantize_multiplier(2.0 ** (31 - left) / m)
    least = np.maximum(farthest - 1, multiply_double(wrap32(log + INT32_MIN), m_back, left_back))
    result = saturate(rounding_shift(scaled[d] - log, 22) + high, low, high)
    return np.where(-d > least, result, low).astype(NUMPY_TYPES[output.dtype])


def _log_softmax_table(x: Ints, d: Ints, scale: np.float32, output: OutputSpec) -> Array:
    """Return log softmax from float32 exponentials and a float32 logarithm, rounded half to even."""
    exps = _exp32(-scale * np.arange(256).astype(_F))[d]
    sums = _sum_in_sequence(exps) if d.size else _F(1)
    log = np.log(sums.astype(np.float64)).astype(_F)
    highest = x.max(-1, keepdims=True).astype(_F) if x.size else _F(0)
    offset = (scale * highest + log) / output.scale
    result = np.rint(scale / output.scale * x.astype(_F) - offset).astype(np.int64) + output.zero_point
    return saturate(result, *INTEGER_RANGES[output.dtype]).astype(NUMPY_TYPES[output.dtype])


@kernel("LOG_SOFTMAX", "float32", sum=("sequential", "four-lanes"))
def log_softmax_float(input: Operand, output: OutputSpec, variants: Variants) -> Array:
    """output = x - max - log(sum of exp(x - max)) over the last dimension, in float32.

    Sources: tflite/kernels/internal/reference/log_softmax.h; optimized_ops.h, LogSoftmax, whose sum is Eigen's.
    """
    if not input.rows.size:
        return input.data
    shifted = input.data - input.data.max(-1, keepdims=True)
    exps = _exp32(shifted)
    sums = _sum_in_lanes(exps) if variants["sum"] == "four-lanes" else _sum_in_sequence(exps)
    return np.asarray(shifted - np.log(sums.astype(np.float64)).astype(_F))


def _sum_in_sequence(x: Array) -> Array:
    """Return the float32 sum of each row, element after element; shape (..., n) to (..., 1)."""
    return np.add.accumulate(x, -1, dtype=_F)[..., -1:]


def _sum_in_lanes(x: Array) -> Array:
    """Return the float32 sum of each row as Eigen adds on vectors of four floats; shape (..., n) to (..., 1).

    Two vectors add every eighth element, the second joins the first, then a last whole vector, then the four lanes
    (0 + 2) + (1 + 3), then up to three elements one by one. A row of less than four elements is added in sequence.
    """
    pairs, whole = x.shape[-1] // 8 * 8, x.shape[-1] // 4 * 4
    parts = [x[..., pairs:whole]] if whole > pairs else []
    if pairs:
        eights = x[..., :pairs].reshape(*x.shape[:-1], -1, 8)
        both = np.add.accumulate(eights, -2, dtype=_F)[..., -1, :]
        parts.insert(0, both[..., :4] + both[..., 4:])
    if not parts:
        return _sum_in_sequence(x)
    lanes = parts[0] + parts[1] if len(parts) > 1 else parts[0]
    two = lanes[..., :2] + lanes[..., 2:]
    return _sum_in_sequence(np.concatenate([two[..., :1] + two[..., 1:], x[..., whole:]], -1))

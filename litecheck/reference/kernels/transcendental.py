"""LOGISTIC, TANH, EXP, LOG, ELU and GELU, from tables in most arithmetics, in fixed point in some."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial

import numpy as np

from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.backends import ALL_BACKENDS, XNNPACK, BackendSet
from litecheck.reference.numerics import fdlibm, gemmlowp, optimized_routines
from litecheck.reference.numerics.fixedpoint import (
    Ints,
    multiply_double,
    quantize_multiplier,
    rounding_shift,
    saturate,
)
from litecheck.reference.numerics.lookup import Floats, Real, each_value, libm, look_up
from litecheck.reference.registry import Variants, kernel
from litecheck.reference.runtime_tensors import Array, Operand, Options, OutputSpec

_FLOAT32 = np.float32

_TABLES, _ROUND = ("float32", "fixed-point"), ("half-away", "half-even")
_EXP, _TANH = libm(np.exp), libm(np.tanh)


def _round(variants: Variants, backends: BackendSet) -> str:
    """Return the rounding of a table's entries: half to even if XNNPACK runs the operator and the arithmetic selects it."""
    return variants["round"] if XNNPACK in backends else "half-away"


def _logistic(x: Floats) -> Floats:
    one = x.dtype.type(1)
    with np.errstate(all="ignore"):
        value: Floats = one / (one + _EXP(-x))
        return value


def _fixed_point(
    input: Operand, output: OutputSpec, function: Callable[[Ints, int], Ints], shift: int
) -> Array:
    """Return 8-bit LOGISTIC or TANH without a table: the input in Q4.27, saturated beyond 15, the output in Q0.31.

    Source: tflite/kernels/internal/reference/integer_ops/{logistic,tanh}.h, used by TFLM.
    """
    low, high = INTEGER_RANGES[output.dtype]
    m, left = quantize_multiplier(float(input.scale) * 2.0**27)
    radius = math.floor(15 * 2.0**27 / 2.0**left)

    def at(x: Ints) -> Ints:
        offset = x - input.zero_point
        inside = saturate(offset, 1 - radius, radius - 1)
        result = rounding_shift(function(multiply_double(inside, m, left), 4), shift) + output.zero_point
        return np.where(offset <= -radius, low, np.where(offset >= radius, high, saturate(result, low, high)))

    return each_value(input.data, at, output.dtype)


@cache
def _sigmoid_table() -> Ints:
    """Return sigmoid(i/24) in Q0.16, i = 0..255, plus half the error of the straight line to the next entry.

    The curve is concave, so the line is below it. Raising both ends by half the error in the middle halves the error.
    The last entry means infinity. In LiteRT, these numbers are a literal table in common.h.
    """
    i = np.arange(256)
    at, middle, following = (65536 / (1 + np.exp(-(i + k) / 24)) for k in (0.0, 0.5, 1.0))
    table = np.floor(at + (middle - (at + following) / 2) / 2 + 0.5).astype(np.int64)
    table[255] = 65535
    return table


def _scale_over_24576(x: Ints, scale: np.float32, shifts: int) -> Ints:
    """Return int16 values in units of 1/(3*4096): times 3 and a shift for a power-of-two scale, else times a 15-bit
    multiplier."""
    if _is_power(scale, shifts):
        return x * (3 << (12 + round(math.log2(float(scale)))))
    multiplier, left = float(scale) * 4096.0 * 3.0, 0
    while multiplier <= 32767.0 / 2.0 and left <= 30:
        multiplier, left = multiplier * 2.0, left + 1
    return (x * int(multiplier) + ((1 << left) >> 1)) >> left


def _is_power(scale: np.float32, shifts: int) -> bool:
    """Return True if a scale is 2^-12, ..., 2^(shifts-13), within LiteRT's tolerance (CheckedLog2)."""
    log2 = math.log2(float(scale))
    return abs(log2 - round(log2)) < 1e-3 and 0 <= 12 + round(log2) < shifts


@kernel("LOGISTIC", "int8", "uint8", table=_TABLES, round=_ROUND)
def logistic_int8(
    input: Operand, output: OutputSpec, variants: Variants, backends: BackendSet = ALL_BACKENDS
) -> Array:
    """output = 1 / (1 + exp(-x)), from a table (``float32``) or in fixed point; output scale 1/256.

    Any shape. Source: tflite/kernels/activations.cc, SigmoidPrepare.
    """
    if variants["table"] == "fixed-point":
        return _fixed_point(input, output, gemmlowp.logistic, 23)
    return look_up(input, output, _logistic, _round(variants, backends))


@kernel("TANH", "int8", "uint8", table=_TABLES, round=_ROUND)
def tanh_int8(
    input: Operand, output: OutputSpec, variants: Variants, backends: BackendSet = ALL_BACKENDS
) -> Array:
    """output = tanh(x), from a table (``float32``) or in fixed point (then output scale 1/128).

    Any shape. Source: tflite/kernels/activations.cc, TanhPrepare.
    """
    if variants["table"] == "fixed-point":
        return _fixed_point(input, output, gemmlowp.tanh, 24)
    return look_up(input, output, _TANH, _round(variants, backends))


@kernel("LOGISTIC", "int16", workspace=90, power_of_two=("table", "fixed-point"))
def logistic_int16(input: Operand, output: OutputSpec, variants: Variants) -> Array:
    """output = 1 / (1 + exp(-x)) by interpolation in 256 steps of 1/24; both zero points 0, output scale 1/32768.

    With an input scale of 2^-12, ``power_of_two: fixed-point`` computes in Q3.12 instead. Any shape.
    Source: tflite/kernels/internal/reference/integer_ops/logistic.h.
    """
    x = input.data.astype(np.int64)
    if variants["power_of_two"] == "fixed-point" and _is_power(input.scale, 1):
        return gemmlowp.logistic(x, 3, 16).astype(np.int16)
    return logistic_scale_over_24576(_scale_over_24576(x, input.scale, 1)).astype(np.int16)


def logistic_scale_over_24576(x: Ints) -> Ints:
    """Return logistic of x / (3 * 4096) in Q0.15, interpolated linearly between the table's entries."""
    table = _sigmoid_table()
    index, between = np.minimum(np.abs(x) >> 9, 254), np.abs(x) & 511
    line = (table[index] << 9) + between * (table[index + 1] - table[index])
    result = np.where(np.abs(x) >> 9 >= 255, 0x7FFF << 10, line)
    return np.where(x >= 0, result + (1 << 9), (1 << 25) - result + (1 << 9) - 1) >> 10


@kernel("TANH", "int16", workspace=80, power_of_two=("table", "fixed-point"))
def tanh_int16(input: Operand, output: OutputSpec, variants: Variants) -> Array:
    """output = tanh(x) = 2 sigmoid(2x) - 1 from the table of LOGISTIC; both zero points 0, output scale 1/32768.

    With an input scale of 2^-12 or 2^-11, ``power_of_two: fixed-point`` computes in Q3.12 instead. Any shape.
    Source: tflite/kernels/internal/reference/integer_ops/tanh.h.
    """
    x = input.data.astype(np.int64)
    if variants["power_of_two"] == "fixed-point" and _is_power(input.scale, 2):
        doubled = saturate(x << (12 + round(math.log2(float(input.scale)))), -32768, 32767)
        return gemmlowp.tanh(doubled, 3, 16).astype(np.int16)
    return tanh_scale_over_24576(_scale_over_24576(x, input.scale, 2)).astype(np.int16)


def tanh_scale_over_24576(x: Ints) -> Ints:
    """Return tanh of x / (3 * 4096) in Q0.15, interpolated linearly between the table's entries."""
    table = _sigmoid_table()
    index, between = np.minimum(np.abs(x) >> 8, 254), np.abs(x) & 255
    line = (table[index] << 8) + between * (table[index + 1] - table[index])
    result = np.where(np.abs(x) >> 8 >= 255, 0xFFFF << 8, line) - (1 << 23)
    return np.where(x >= 0, result + (1 << 7), -result + (1 << 7) - 1) >> 8


@kernel("LOGISTIC", "float32")
def logistic(input: Operand, output: OutputSpec) -> Array:
    """output = 1 / (1 + exp(-x)) in float32: exp(x) below -9, 1 above 16.6.

    Any shape. Source: tflite/kernels/internal/reference/logistic.h.
    """
    x = input.data
    return np.where(x < -9, _EXP(x), np.where(x > _FLOAT32(16.619047164916992188), _FLOAT32(1), _logistic(x)))


@kernel("TANH", "float32")
def tanh(input: Operand, output: OutputSpec) -> Array:
    """output = tanh(x) in float32. Source: tflite/kernels/internal/reference/tanh.h."""
    return _TANH(input.data)


@kernel("EXP", "int8", "int16", "float32", functions=("arm", "rounded"))
def exp(input: Operand, output: OutputSpec, variants: Variants) -> Array:
    """output = e^x, from a table; int16 with any zero points. Any shape.

    exp is the C library's (``arm``: most libraries have Arm's; ``rounded``: correctly rounded, as in glibc from 2.41
    on). Source: tflite/kernels/exp.cc.
    """
    return look_up(input, output, optimized_routines.exp if variants["functions"] == "arm" else _EXP)


@kernel("LOG", "int8", "int16", "float32", workspace=90, functions=("arm", "rounded"))
def log(input: Operand, output: OutputSpec, variants: Variants) -> Array:
    """output = the natural logarithm, from a table; for 0 and less, the output's smallest value (in float32 -inf and NaN).

    log is the C library's (``arm``: most libraries have Arm's; ``rounded``: correctly rounded, as in glibc from 2.41
    on). Any shape. Source: tflite/kernels/elementwise.cc, LogLUTPrepare.
    """
    plain = optimized_routines.log if variants["functions"] == "arm" else libm(np.log)
    if input.dtype == "float32":
        return plain(input.data)
    least = _FLOAT32(INTEGER_RANGES[output.dtype][0] - output.zero_point) * output.scale
    return look_up(input, output, lambda x: np.where(x <= 0, least, plain(x)))


@kernel("ELU", "int8", "float32", workspace=80, round=_ROUND, functions=("fdlibm", "rounded", "exp-less-1"))
def elu(input: Operand, output: OutputSpec, variants: Variants, backends: BackendSet = ALL_BACKENDS) -> Array:
    """output = x for x >= 0, else e^x - 1, from a table. Any shape.

    expm1 is the C library's (``fdlibm``: most libraries; ``rounded``: correctly rounded, as in glibc from 2.41 on).
    8-bit tables with ``exp-less-1`` subtract 1 from the library's exp, both rounded to float32: TFLM. Source:
    tflite/kernels/activations.cc, EluPrepare; tensorflow/lite/micro/kernels/elu.cc.

    For example, -10 and 10 with scales 0.1 give -6 and 10.
    """
    functions = variants["functions"]
    if functions == "exp-less-1" and input.dtype == "int8":
        negative: Real = _exp_less_1
    else:
        negative = libm(np.expm1) if functions == "rounded" else fdlibm.expm1
    return look_up(input, output, lambda x: np.where(x < 0, negative(x), x), _round(variants, backends))


def _exp_less_1(x: Floats) -> Floats:
    value: Floats = optimized_routines.exp(x) - _FLOAT32(1)
    return value


@kernel("GELU", "int8", "uint8", "int16", "float32", workspace=100, functions=("fdlibm", "rounded"))
def gelu(input: Operand, output: OutputSpec, options: Options, variants: Variants) -> Array:
    """output = x times the normal distribution function of x, from a table; ``approximate`` uses tanh for it.

    erfc and tanh are the C library's (``fdlibm``: most libraries; ``rounded``: correctly rounded, as in glibc from 2.41
    on). Any shape. Source: tflite/kernels/internal/reference/gelu.h.
    """
    single = variants["functions"] == "fdlibm"
    if options is not None and options.get("approximate"):
        return look_up(input, output, partial(_gelu_tanh, tanh=fdlibm.tanh if single else _TANH))
    return look_up(input, output, partial(_gelu, erfc=fdlibm.erfc if single else _ERFC))


_ERFC = libm(np.frompyfunc(math.erfc, 1, 1))


def _gelu(x: Floats, erfc: Real) -> Floats:
    value: Floats = _FLOAT32(0.5) * x * erfc(x * _FLOAT32(-math.sqrt(0.5)))
    return value


def _gelu_tanh(x: Floats, tanh: Real) -> Floats:
    inner = _FLOAT32(math.sqrt(2 / math.pi)) * (x + _FLOAT32(0.044715) * x * x * x)
    value: Floats = _FLOAT32(0.5) * x * (_FLOAT32(1) + tanh(inner))
    return value

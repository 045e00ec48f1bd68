"""Roots and norms, absolute values and signs, and float functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.numerics import gemmlowp
from litecheck.reference.numerics.fixedpoint import (
    MULTIPLY,
    Ints,
    multiply_double,
    quantize_multiplier,
    saturate,
    wrap32,
)
from litecheck.reference.numerics.lookup import Real, each_value, libm, look_up, quotient
from litecheck.reference.registry import KernelFunction, Variants, kernel
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, Operand, OutputSpec, RunError

_F = np.float32
_WIDTHS = ("float32", "float64")


def _require_positive(input: Operand) -> None:
    if bool((input.data < input.zero_point).any()):
        raise RunError("RSQRT is only defined for positive values")


def _inverse_root(input: Operand, output: OutputSpec, width: type[np.floating[Any]]) -> Array:
    """Return 1 / sqrt of the stored integer in 20 fractional bits, by Newton's method, then times 1 / (sqrt(s) s_out)."""
    m, shift = quantize_multiplier(1.0 / float(np.sqrt(width(input.scale)) * width(output.scale)))
    low, high = INTEGER_RANGES[output.dtype]

    def at(x: Ints) -> Ints:
        offset = x - input.zero_point
        m_root, shift_root = gemmlowp.inverse_sqrt(np.maximum(offset, 0))
        root = multiply_double(np.ones_like(x), m_root, shift_root + 20)
        result = multiply_double(root, m, shift - 20) + output.zero_point
        return np.where(offset == 0, high, saturate(result, low, high))

    return each_value(input.data, at, output.dtype)


@kernel("RSQRT", "int8", multiplier=_WIDTHS)
def rsqrt(input: Operand, output: OutputSpec, variants: Variants) -> Array:
    """output = 1 / sqrt(x) for x > 0 in fixed point; the output's largest value for 0. Values below 0 raise RunError.

    Any shape. Source: tflite/kernels/elementwise.cc, RsqrtEvalQuantizedInt8.

    For example, 40 with scale 0.1 gives 50 with output scale 0.01.
    """
    _require_positive(input)
    return _inverse_root(input, output, np.dtype(variants["multiplier"]).type)


@kernel("RSQRT", "int16", workspace=112, table=("float32", "fixed-point"))
def rsqrt_int16(input: Operand, output: OutputSpec, variants: Variants) -> Array:
    """output = 1 / sqrt(x) for x > 0 by interpolation; the output's largest value for 0; zero points 0.

    ``fixed-point`` computes as for int8. Any shape. Values below 0 raise RunError.
    Source: tflite/kernels/elementwise.cc, RsqrtEvalQuantizedInt16.
    """
    _require_positive(input)
    if variants["table"] == "fixed-point":
        return _inverse_root(input, output, np.float64)
    most = _F(32767) * output.scale
    return look_up(input, output, lambda x: np.where(x <= 0, most, _F(1) / np.sqrt(np.maximum(x, 0))))


@kernel("SQRT", "int8", "int16")
def sqrt(input: Operand, output: OutputSpec) -> Array:
    """output = sqrt(x): float32 root / output scale, truncated toward zero, plus the zero point, saturated.

    Any shape. Values below 0 raise RunError. Source: tflite/kernels/elementwise.cc. Truncation instead of rounding was
    measured, for every stored value of 450 parameter sets and three resolvers.
    """
    if bool((input.data < input.zero_point).any()):
        raise RunError("SQRT is only defined for values that are not negative")
    low, high = INTEGER_RANGES[output.dtype]

    def at(x: Ints) -> Ints:
        real = np.sqrt(np.maximum(x - input.zero_point, 0).astype(_F) * input.scale) / output.scale
        return saturate(np.trunc(real).astype(np.int64) + output.zero_point, low, high)

    return each_value(input.data, at, output.dtype)


@kernel("ABS", "int8", "int16", requantize=("double", "single"), multiplier=_WIDTHS)
def abs_(input: Operand, output: OutputSpec, variants: Variants) -> Array:
    """output = |x|, rescaled by the quotient of the scales if they differ.

    Any shape. int16 without a scale wraps: -32768 gives -32768. Source: tflite/kernels/elementwise.cc, AbsEvalQuantized.
    """
    if not input.quantization.is_set:
        return np.abs(input.data.astype(np.int64)).astype(NUMPY_TYPES[output.dtype])
    multiply = MULTIPLY[variants["requantize"]]
    m, shift = quantize_multiplier(quotient(variants["multiplier"], input.scale, over=output.scale))
    rescaled = input.scale != output.scale

    def at(x: Ints) -> Ints:
        magnitude = np.abs(x - input.zero_point)
        result = (multiply(magnitude, m, shift) if rescaled else magnitude) + output.zero_point
        return saturate(result, *INTEGER_RANGES[output.dtype])

    return each_value(input.data, at, output.dtype)


@kernel("L2_NORMALIZATION", "int8", "uint8")
def l2_normalization(input: Operand, output: OutputSpec) -> Array:
    """output = x / sqrt(sum of x^2) over the last dimension; shape (..., depth), output scale 1/128.

    1. The sum of (q - z)^2 is an int32, which wraps.
    2. (m, shift) of 1 / sqrt(sum) by ``inverse_sqrt``.
    3. int8: multiply_double(q - z, m, shift + 7). uint8: multiply_double(128 * (q - z), m, shift) + 128. Clamped.

    Source: tflite/kernels/internal/reference/integer_ops/l2normalization.h.

    For example, (3, 4) gives (77, 102): 0.6 and 0.8.
    """
    offset = input.rows.astype(np.int64) - input.zero_point
    m, shift = gemmlowp.inverse_sqrt(wrap32((offset * offset).sum(-1, keepdims=True)))
    if input.dtype == "uint8":
        result = multiply_double(128 * offset, m, shift) + 128
    else:
        result = multiply_double(offset, m, shift + 7)
    return saturate(result, *INTEGER_RANGES[output.dtype]).astype(NUMPY_TYPES[output.dtype])


@kernel("L2_NORMALIZATION", "float32")
def l2_normalization_float(input: Operand, output: OutputSpec) -> Array:
    """output = x / max(sqrt(sum of x^2), 1e-6) over the last dimension, in float32."""
    if not input.rows.size:
        return input.data
    squares = np.add.accumulate(input.data * input.data, -1, dtype=_F)[..., -1:]
    return np.asarray(input.data / np.maximum(np.sqrt(squares), _F(1e-6)))


#: Operators that are a single function of float32. They equal LiteRT's unless the C library rounds differently.
_FLOAT: dict[str, Real] = {
    "ABS": np.abs,
    "CEIL": np.ceil,
    "COS": libm(np.cos),
    "FLOOR": np.floor,
    "NEG": np.negative,
    "ROUND": np.rint,
    "RSQRT": lambda x: _F(1) / np.sqrt(x),
    "SIGN": np.sign,
    "SIN": libm(np.sin),
    "SQRT": np.sqrt,
    "SQUARE": np.square,
    "ZEROS_LIKE": np.zeros_like,
}
#: Operators of this kind that also accept plain integers, with these types.
_INTEGER: dict[str, tuple[str, ...]] = {
    "ABS": ("int32",),
    "NEG": ("int32", "int64", "int8", "int16"),
    "SIGN": ("int32",),
    "ZEROS_LIKE": ("int32", "int64"),
}


def _plain(function: Real, what: str) -> KernelFunction:
    def elementwise(input: Operand, output: OutputSpec) -> Array:
        """output = a function of each element, without quantization."""
        with np.errstate(all="ignore"):
            return function(input.data)

    elementwise.__name__ = what.lower()
    return elementwise


for _opcode, _function in _FLOAT.items():
    kernel(_opcode, "float32", *_INTEGER.get(_opcode, ()))(_plain(_function, _opcode))


@kernel("LOGICAL_NOT", "bool")
def logical_not(input: Operand, output: OutputSpec) -> Array:
    """output = not x. Any shape."""
    return np.asarray(np.logical_not(input.data))

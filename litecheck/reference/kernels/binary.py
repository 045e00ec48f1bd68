"""Arithmetic of two operands: ADD, SUB, MUL, SQUARED_DIFFERENCE, quantized and plain."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from litecheck.reference.backends import ALL_BACKENDS, IN_TABLE, XNNPACK, BackendSet
from litecheck.reference.kernels.sums import (
    REAL,
    Multiplier,
    common_scale,
    finish,
    quantized_sum,
    zero_points,
)
from litecheck.reference.numerics.broadcast import Formula, apply, chunks, in_vectors
from litecheck.reference.numerics.fixedpoint import (
    MULTIPLY,
    WITHOUT_FLOAT32,
    Ints,
    quantize_multiplier,
    rounding_shift,
    saturate,
    wrap32,
)
from litecheck.reference.numerics.fused_activation import clamp_real, stored_bounds
from litecheck.reference.registry import Variants, kernel
from litecheck.reference.runtime_tensors import Array, Operand, Options, OutputSpec, PerTensor

_QUANTIZED = ("int8", "uint8", "int16")
#: Variants of int16 sums under power-of-two scales: shifts alone, or the general rescaling.
_POWERS = ("shifts", "general")
_PLAIN = ("float32", "int32", "int64")


@dataclass(frozen=True)
class ScaledProduct:
    """Product of the offset operands, rescaled."""

    zero_points: tuple[int, int, int]
    multiplier: Multiplier
    bounds: tuple[int, int]
    rounding: str = "double"
    narrow: str = ""

    def __call__(self, x: Ints, y: Ints) -> Ints:
        """Return the stored output for stored operands."""
        product = (x - self.zero_points[0]) * (y - self.zero_points[1])
        rescaled = MULTIPLY[self.rounding](product, *self.multiplier)
        return finish(rescaled, self.zero_points[2], self.bounds, self.narrow)


@dataclass(frozen=True)
class FractionProduct:
    """Product of two Q0.15 numbers as Q0.7, plus the zero point."""

    zero_point: int
    bounds: tuple[int, int]

    def __call__(self, x: Ints, y: Ints) -> Ints:
        """Return the stored output for stored operands."""
        product_q0_15 = np.minimum((x * y + (1 << 14)) >> 15, 2**15 - 1)
        return saturate(rounding_shift(product_q0_15, 8) + self.zero_point, *self.bounds)


@dataclass(frozen=True)
class FloatProduct:
    """Product scaled and rounded in float32, half to even in XNNPACK."""

    zero_points: tuple[int, int, int]
    scale: float
    bounds: tuple[int, int]
    rounding: str

    def __call__(self, x: Ints, y: Ints) -> Ints:
        """Return the stored output for stored operands."""
        product = ((x - self.zero_points[0]) * (y - self.zero_points[1])).astype(np.float32)
        rounded = REAL[self.rounding](product * np.float32(self.scale))
        return saturate(rounded.astype(np.int64) + self.zero_points[2], *self.bounds)


@dataclass(frozen=True)
class FloatSquare:
    """Square of a real value, times the reciprocal of the output scale, plus the zero point, half to even, in float32."""

    input: tuple[int, np.float32]
    output: tuple[int, np.float32]
    bounds: tuple[int, int]

    def __call__(self, x: Ints, y: Ints) -> Ints:
        """Return the stored output for a stored operand, given twice."""
        real = (x - self.input[0]).astype(np.float32) * self.input[1]
        zero_point, scale = self.output
        with np.errstate(over="ignore"):
            scaled = real * real * (np.float32(1) / scale) + np.float32(zero_point)
        return saturate(np.rint(np.clip(scaled, -(2.0**31), 2.0**31 - 256)).astype(np.int64), *self.bounds)


@dataclass(frozen=True)
class SquaredDifference:
    """Difference on a common scale with 7 more bits, squared, rescaled."""

    zero_points: tuple[int, int, int]
    multipliers: tuple[Multiplier, Multiplier, Multiplier]
    bounds: tuple[int, int]
    rounding: str

    def __call__(self, x: Ints, y: Ints) -> Ints:
        """Return the stored output for stored operands."""
        multiply = MULTIPLY[self.rounding]
        of_x, of_y, of_square = self.multipliers
        x = multiply((x - self.zero_points[0]) << 7, *of_x)
        y = multiply((y - self.zero_points[1]) << 7, *of_y)
        return saturate(multiply(wrap32((x - y) ** 2), *of_square) + self.zero_points[2], *self.bounds)


@kernel(
    "ADD",
    *_QUANTIZED,
    in_vectors=True,
    requantize=(*MULTIPLY, "vectors", "21-bit", *REAL),
    power_of_two=_POWERS,
)
def add(
    lhs: Operand,
    rhs: Operand,
    output: OutputSpec,
    options: Options,
    variants: Variants,
    backends: BackendSet = ALL_BACKENDS,
) -> Array:
    """output = lhs + rhs, clamped by the fused activation; shapes broadcast.

    Each operand less its zero point, 20 bits to the left (int16: 15), times scale / (2 * larger scale); the sum times
    2 * larger scale / (2^20 * output scale), plus the zero point. int16 with power-of-two scales (``pot_scale_int16``),
    unless ``power_of_two: general``: an operand shifted right, half away from zero, and a saturating sum.
    ``21-bit``, XNNPACK: the weight of an operand is its scale / output scale * 2^shift, rounded half to even, with shift
    = 20 - floor(log2(larger scale / output scale)). The sum of weight * (q - z) of both operands, plus 2^(shift - 1), is
    shifted right by shift, plus the zero point: one rounding, half up.
    Source: tflite/kernels/add.cc; XNNPACK's qs8-vadd (``21-bit``).

    For example, 10 and 5 with scales 0.1 and 0.2 and output scale 0.1 give 20. 0 and -1 with scales 0.5 and 0.25 and
    output scale 0.5 are -0.5 steps: -1 with ``double``, 0 with ``21-bit``, whose weights are 2^20 and 2^19.
    """
    if output.dtype == "int16" and not lhs.quantization.scale.size:
        return np.asarray(add_plain(lhs, rhs, output, options))
    return quantized_sum(lhs, rhs, output, options, variants, 1, XNNPACK in backends)


@kernel("SUB", *_QUANTIZED, requantize=(*MULTIPLY, "21-bit", *REAL), power_of_two=_POWERS)
def sub(
    lhs: Operand,
    rhs: Operand,
    output: OutputSpec,
    options: Options,
    variants: Variants,
    backends: BackendSet = ALL_BACKENDS,
) -> Array:
    """output = lhs - rhs, clamped by the fused activation; the integer steps of ADD. Source: tflite/kernels/sub.cc."""
    return quantized_sum(lhs, rhs, output, options, variants, -1, XNNPACK in backends)


def product_scale(lhs: PerTensor, rhs: PerTensor, output: PerTensor, width: str) -> float:
    """Return the factor of a product of stored values, computed in ``width``: float32 or float64."""
    if width == "float64":
        return float(lhs.scale) * float(rhs.scale) / float(output.scale)
    return float(np.float32(lhs.scale * rhs.scale) / output.scale)


@kernel(
    "MUL",
    *_QUANTIZED,
    in_vectors=True,
    multiplier=("float32", "float64"),
    requantize=(*WITHOUT_FLOAT32, "vectors", *REAL),
    square=("product", "table"),
)
def mul(
    lhs: Operand,
    rhs: Operand,
    output: OutputSpec,
    options: Options,
    variants: Variants,
    backends: BackendSet = ALL_BACKENDS,
) -> Array:
    """output = lhs * rhs, clamped by the fused activation; shapes broadcast.

    The product of both operands less their zero points is rescaled by (lhs scale * rhs scale) / output scale, a float32.
    Two int16 operands with an 8-bit output are fractions, whose scales are ignored. With ``square: table``, a tensor
    times the same tensor is a function of a single value.

    Source: tflite/kernels/mul.cc; XNNPACK's qs8-vmul (``float32``) and its rewriting of subgraphs (``table``).

    For example, 20 and -3 with scales 0.1 and 0.2 and output scale 0.1 give -12.
    """
    if output.dtype == "int16" and not output.quantization.scale.size:
        return np.asarray(mul_plain(lhs, rhs, output, options))
    points, bounds = zero_points(lhs, rhs, output), stored_bounds(options, output)
    if variants["requantize"] in REAL and XNNPACK in backends:
        bounds = stored_bounds(options, output, half_even=variants["requantize"] == "float32")
        single = product_scale(lhs, rhs, output, "float32")
        formula: Formula = FloatProduct(points, single, bounds, variants["requantize"])
        if lhs is rhs and variants["square"] == "table" and IN_TABLE not in backends:
            of_input, of_output = (lhs.zero_point, lhs.scale), (output.zero_point, output.scale)
            formula = FloatSquare(of_input, of_output, bounds)
        return apply(formula, lhs.data, rhs.data, output.dtype)
    if lhs.dtype == "int16" and output.dtype in ("int8", "uint8"):
        return apply(FractionProduct(output.zero_point, bounds), lhs.data, rhs.data, output.dtype)
    real = product_scale(lhs, rhs, output, variants["multiplier"])
    rounding = variants["requantize"] if variants["requantize"] in MULTIPLY else "double"
    product = ScaledProduct(points, quantize_multiplier(real), bounds, rounding)
    run = chunks(lhs.shape, rhs.shape)
    if variants["requantize"] in MULTIPLY or lhs.dtype == "int16" or run.variants == "generic":
        return apply(product, lhs.data, rhs.data, output.dtype)
    wraps = output.dtype == "uint8" and run.variants == "scalar"
    narrowed = replace(product, narrow="wraps" if wraps else "saturates")
    body = apply(narrowed, lhs.data, rhs.data, output.dtype)
    block = 16 if output.dtype == "int8" else 8
    return in_vectors(run, block, body, lambda: apply(product, lhs.data, rhs.data, output.dtype))


@kernel("SQUARED_DIFFERENCE", "int8", requantize=tuple(MULTIPLY))
def squared_difference(lhs: Operand, rhs: Operand, output: OutputSpec, variants: Variants) -> Array:
    """output = (lhs - rhs)^2; shapes broadcast.

    Each operand less its zero point, 7 bits to the left, times scale / (2 * larger scale); the difference squared
    in 32 bits, times (2 * larger scale)^2 / (2^14 * output scale). Source: tflite/kernels/squared_difference.cc.

    For example, 30 and 10 with scales 0.1 give 40.
    """
    twice, of_lhs, of_rhs = common_scale(lhs, rhs)
    of_square = quantize_multiplier(twice * twice / float(np.float32(2.0**14) * output.scale))
    points, bounds = zero_points(lhs, rhs, output), stored_bounds(None, output)
    formula = SquaredDifference(points, (of_lhs, of_rhs, of_square), bounds, variants["requantize"])
    return apply(formula, lhs.data, rhs.data, "int8")


@kernel("ADD", *_PLAIN)
def add_plain(lhs: Operand, rhs: Operand, output: OutputSpec, options: Options) -> Array:
    """output = lhs + rhs, clamped by the fused activation; integers wrap. Source: tflite/kernels/add.cc."""
    with np.errstate(over="ignore", invalid="ignore"):
        return clamp_real(lhs.data + rhs.data, options)


@kernel("SUB", *_PLAIN)
def sub_plain(lhs: Operand, rhs: Operand, output: OutputSpec, options: Options) -> Array:
    """output = lhs - rhs, clamped by the fused activation; integers wrap. Source: tflite/kernels/sub.cc."""
    with np.errstate(over="ignore", invalid="ignore"):
        return clamp_real(lhs.data - rhs.data, options)


@kernel("MUL", *_PLAIN, "uint32")
def mul_plain(lhs: Operand, rhs: Operand, output: OutputSpec, options: Options) -> Array:
    """output = lhs * rhs, clamped by the fused activation; integers wrap. Source: tflite/kernels/mul.cc."""
    with np.errstate(over="ignore", invalid="ignore"):
        return clamp_real(lhs.data * rhs.data, options)


@kernel("SQUARED_DIFFERENCE", "float32", "int32")
def squared_difference_plain(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = (lhs - rhs)^2; integers wrap. Source: tflite/kernels/squared_difference.cc."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(np.square(lhs.data - rhs.data))

"""Activations that rescale: RELU and its bounded forms, LEAKY_RELU, PRELU, HARD_SWISH."""

from __future__ import annotations

import numpy as np

from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.backends import ALL_BACKENDS, XNNPACK, BackendSet
from litecheck.reference.numerics import gemmlowp
from litecheck.reference.numerics.fixedpoint import (
    MULTIPLY,
    Ints,
    quantize_multiplier,
    round_half_away,
    rounding_shift,
    saturate,
)
from litecheck.reference.numerics.fused_product import multiply_add
from litecheck.reference.numerics.lookup import each_value, quotient
from litecheck.reference.registry import KernelFunction, Variants, kernel
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, Operand, Options, OutputSpec

_REQUANTIZE, _WIDTHS = tuple(MULTIPLY), ("float32", "float64")
_BOUNDS = {"RELU": (0, None), "RELU6": (0, 6), "RELU_N1_TO_1": (-1, 1), "RELU_0_TO_1": (0, 1)}


def _bounded(lower: int, upper: int | None) -> KernelFunction:
    def relu(input: Operand, output: OutputSpec, variants: Variants) -> Array:
        """output = min(max(x, lower), upper), rescaled. The bounds are rounded half away to stored values of the output.

        The multiplier is the quotient of the scales. ``requantize: none`` clamps the input's stored values without
        rescaling, with bounds in the input's parameters. Any shape. Source: tflite/kernels/activations.cc, QuantizedReluX.

        For example, RELU6 of -10 and 100 with scales 0.1 gives 0 and 60.
        """
        plain = variants["requantize"] == "none"
        m, shift = quantize_multiplier(quotient(variants["multiplier"], input.scale, over=output.scale))
        end: Operand | OutputSpec = input if plain else output
        low, high = INTEGER_RANGES[output.dtype]
        low = max(low, end.zero_point + _stored(lower, end))
        high = high if upper is None else min(high, end.zero_point + _stored(upper, end))

        def at(x: Ints) -> Ints:
            if plain:
                return saturate(x, low, high)
            scaled = MULTIPLY[variants["requantize"]](x - input.zero_point, m, shift)
            return saturate(scaled + output.zero_point, low, high)

        return each_value(input.data, at, output.dtype)

    return relu


def _stored(bound: int, end: Operand | OutputSpec) -> int:
    return int(np.clip(round_half_away(np.float32(bound) / end.scale), -(2.0**30), 2.0**30))


def _bounded_float(lower: int, upper: int | None) -> KernelFunction:
    def relu(input: Operand, output: OutputSpec) -> Array:
        """output = min(max(x, lower), upper) in float32."""
        raised = np.maximum(input.data, np.float32(lower))
        return np.asarray(raised if upper is None else np.minimum(raised, np.float32(upper)))

    return relu


for _opcode, _ends in _BOUNDS.items():
    kernel(_opcode, "int8", "uint8", "int16", requantize=(*_REQUANTIZE, "none"), multiplier=_WIDTHS)(
        _bounded(*_ends)
    )
    kernel(_opcode, "float32")(_bounded_float(*_ends))


_SLOPES = ("magnitude", "signed")


@kernel("LEAKY_RELU", "int8", "uint8", requantize=(*_REQUANTIZE, "8-bit-multipliers"), multiplier=_WIDTHS)
@kernel(
    "LEAKY_RELU", "int16", requantize=(*_REQUANTIZE, "8-bit-multipliers"), multiplier=_WIDTHS, slope=_SLOPES
)
def leaky_relu(
    input: Operand,
    output: OutputSpec,
    options: Options,
    variants: Variants,
    backends: BackendSet = ALL_BACKENDS,
) -> Array:
    """output = x for x >= 0, else alpha * x, both rescaled; int16 has no zero points.

    Any shape. ``8-bit-multipliers`` rounds s/so and alpha*s/so to multiples of 1/256. A negative alpha is multiplied as
    its ``magnitude`` and the product negated, or ``signed``, which rounds different products up.

    Source: tflite/kernels/internal/reference/leaky_relu.h, optimized/integer_ops/leaky_relu.h; XNNPACK, src/qs8-vlrelu.

    For example, 10 and -10 with alpha 0.25 and equal scales give 10 and -3.
    """
    alpha = np.float32(options.get("alpha", 0.0) if options is not None else 0.0)
    low, high = INTEGER_RANGES[output.dtype]
    if variants["requantize"] == "8-bit-multipliers" and XNNPACK in backends:
        return _leaky_8_bits(input, output, alpha)
    multiply = MULTIPLY[variants["requantize"]] if variants["requantize"] in MULTIPLY else MULTIPLY["double"]
    width = variants["multiplier"]
    m, shift = quantize_multiplier(quotient(width, input.scale, over=output.scale))
    m_alpha, shift_alpha = quantize_multiplier(quotient(width, input.scale, alpha, over=output.scale))
    sign = -1 if m_alpha < 0 and variants.get("slope") != "signed" else 1

    def at(x: Ints) -> Ints:
        offset = x - input.zero_point
        bent = sign * multiply(offset, sign * m_alpha, shift_alpha)
        return saturate(
            np.where(offset >= 0, multiply(offset, m, shift), bent) + output.zero_point, low, high
        )

    return each_value(input.data, at, output.dtype)


def _leaky_8_bits(input: Operand, output: OutputSpec, alpha: np.float32) -> Array:
    low, high = INTEGER_RANGES[output.dtype]
    above = np.float32(input.scale / output.scale)
    m, m_alpha = (int(np.rint(np.float32(256) * r)) for r in (above, above * alpha))

    def at(x: Ints) -> Ints:
        offset = x - input.zero_point
        shifted = (offset * np.where(offset >= 0, m, m_alpha) + (output.zero_point << 8) + 128) >> 8
        return saturate(shifted, low, high)

    return each_value(input.data, at, output.dtype)


@kernel("LEAKY_RELU", "float32")
def leaky_relu_float(input: Operand, output: OutputSpec, options: Options) -> Array:
    """output = x for x > 0, else alpha * x, in float32."""
    alpha = np.float32(options.get("alpha", 0.0) if options is not None else 0.0)
    return np.where(input.data > 0, input.data, input.data * alpha)


@kernel("PRELU", "int8", "uint8", requantize=_REQUANTIZE, multiplier=_WIDTHS)
def prelu(input: Operand, alpha: Operand, output: OutputSpec, variants: Variants) -> Array:
    """output = x for x >= 0, else alpha * x, with an alpha per element, broadcast to the input's shape.

    The multipliers are s / s_out, and s * s_alpha / s_out for the product of two stored values.
    Source: tflite/kernels/internal/reference/prelu.h.

    For example, 10 and -10 with alpha 0.5 and equal scales give 10 and -5.
    """
    multiply = MULTIPLY[variants["requantize"]]
    width = variants["multiplier"]
    m, shift = quantize_multiplier(quotient(width, input.scale, over=output.scale))
    m_alpha, shift_alpha = quantize_multiplier(quotient(width, input.scale, alpha.scale, over=output.scale))
    offset = input.data.astype(np.int64) - input.zero_point
    slope = alpha.data.astype(np.int64) - alpha.zero_point
    bent = multiply(offset * slope, m_alpha, shift_alpha)
    result = np.where(offset >= 0, multiply(offset, m, shift), bent) + output.zero_point
    return saturate(result, *INTEGER_RANGES[output.dtype]).astype(NUMPY_TYPES[output.dtype])


@kernel("PRELU", "float32")
def prelu_float(input: Operand, alpha: Operand, output: OutputSpec) -> Array:
    """output = x for x >= 0, else alpha * x, in float32. alpha is broadcast to the input's shape."""
    return np.where(input.data >= 0, input.data, input.data * alpha.data)


@kernel("HARD_SWISH", "int8", "uint8")
def hard_swish(input: Operand, output: OutputSpec) -> Array:
    """output = x * relu6(x + 3) / 6 in 16-bit fixed point.

    1. (m, shift) of s / 128 / output scale, and (mr, shift_r) of s / 128 / (3 / 32768), both real values in float32. m16 =
       min((m + 2^15) >> 16, 32767), and likewise mr16.
    2. h = (q - z) * 2^7. The first factor is a = (h * m16 + 2^14) >> 15: x on the output's scale, except for `shift`.
    3. r = h * 2^max(shift_r - 1, 0), saturated to int16; r = min((r * mr16 + 2^14) >> 15, 32767). If shift_r > 0, r = 2 * r,
       saturated; else r / 2^-shift_r, half away from zero, and 1, or -1 below 0, from a shift of 16 on. Now 3 is 2^15.
    4. The second factor is (r + 2^15) >> 1: from [-1, 1] to [0, 1]. Its product with a, / 2^15, is truncated toward zero,
       divided by 2^-shift half away from zero, plus the output zero point, clamped.

    Any shape. Source: tflite/kernels/internal/reference/hard_swish.h.

    For example, 10, -10 and 40 with scales 0.1 give 7, -3 and 40.
    """
    fine = input.scale * np.float32(1 / 128)
    m, shift = quantize_multiplier(float(fine / output.scale))
    m_relu, shift_relu = quantize_multiplier(float(fine / np.float32(3 / 32768)))
    m16, m16_relu = (min((v + (1 << 15)) >> 16, 32767) for v in (m, m_relu))
    low, high = INTEGER_RANGES[output.dtype]

    def at(x: Ints) -> Ints:
        hires = ((x - input.zero_point) << 7).astype(np.int16).astype(np.int64)
        preshift = gemmlowp.multiply(hires, m16, 16)
        reluish = saturate(hires << max(shift_relu - 1, 0), -32768, 32767)
        reluish = gemmlowp.multiply(reluish, m16_relu, 16)
        reluish = saturate(reluish << (shift_relu > 0), -32768, 32767)
        out = max(-shift_relu, 0)
        reluish = rounding_shift(reluish, out) if out < 16 else np.where(reluish < 0, -1, 1)
        reluish = (reluish + (1 << 15)) >> 1
        product = reluish * preshift
        truncated = np.sign(product) * (np.abs(product) >> 15)
        return saturate(rounding_shift(truncated, -shift) + output.zero_point, low, high)

    return each_value(input.data, at, output.dtype)


@kernel("HARD_SWISH", "float32", gate=("divided", "fused"))
def hard_swish_float(input: Operand, output: OutputSpec, variants: Variants) -> Array:
    """output = x * min(6, max(0, x + 3)) / 6 in float32.

    ``gate: fused`` (XNNPACK with FMA or AVX-512) computes x * min(1, max(0, x * (1/6) + 1/2)), with x * (1/6) + 1/2 rounded
    once. Any shape. Source: tflite/kernels/internal/reference/reference_ops.h, HardSwish; xnnpack/src/f32-vhswish.

    For example, -1 gives -1/3.
    """
    x = input.data
    if variants["gate"] == "fused":
        gate = multiply_add(x, np.float32(1 / 6), np.float32(0.5))
        return np.asarray(np.minimum(np.maximum(gate, np.float32(0)), np.float32(1)) * x)
    relu6 = np.minimum(np.float32(6), np.maximum(np.float32(0), x + np.float32(3)))
    return np.asarray(x * relu6 / np.float32(6))

"""Fused activations: their bounds of an operator's output."""

from __future__ import annotations

import math

import numpy as np

from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.numerics.fixedpoint import round_half_away
from litecheck.reference.runtime_tensors import Array, Options, OutputSpec

#: Real bounds of ActivationFunctionType. Other activations (NONE, TANH, SIGN_BIT) do not clamp in any kernel.
REAL: dict[int, tuple[float, float]] = {1: (0.0, np.inf), 2: (-1.0, 1.0), 3: (0.0, 6.0)}
_TANH, _SIGN_BIT = 4, 5


def activation_bounds(options: Options) -> tuple[float, float]:
    """Return the real bounds of an operator's fused activation; infinite without an activation.

    For example, RELU6 gives (0.0, 6.0).
    """
    code = options.get("fused_activation_function", 0) if options is not None else 0
    return REAL.get(int(code), (-np.inf, np.inf))


def stored_bounds(options: Options, output: OutputSpec, half_even: bool = False) -> tuple[int, int]:
    """Return (low, high) in stored integers: the range of the output's type, narrowed by its fused activation.

    A real bound r becomes zero_point + round(r / scale), in float32, half away from zero. With ``half_even`` it becomes
    rint(r / scale + zero_point): XNNPACK's.
    Source: tflite/kernels/kernel_util.cc, CalculateActivationRangeQuantized.
    """
    low, high = INTEGER_RANGES[output.dtype]
    below, above = activation_bounds(options)
    if math.isfinite(below):
        low = max(low, _stored(below, output, half_even))
    if math.isfinite(above):
        high = min(high, _stored(above, output, half_even))
    return low, high


def _stored(real: float, output: OutputSpec, half_even: bool) -> int:
    steps = np.asarray(np.float32(real) / output.scale)
    if half_even:
        return int(np.rint(steps + np.float32(output.zero_point)))
    return output.zero_point + int(round_half_away(steps))


def activate_real(values: Array, options: Options) -> Array:
    """Return float32 values with a fused activation, also TANH and SIGN_BIT. Example: SIGN_BIT gives 1 for -3 and 0 for 3.

    Source: tflite/kernels/internal/tensor_utils_common.h, ApplyActivationToVector.
    """
    code = int(options.get("fused_activation_function", 0)) if options is not None else 0
    if code == _TANH:
        return np.tanh(values)
    return np.signbit(values).astype(values.dtype) if code == _SIGN_BIT else clamp_real(values, options)


def clamp_real(values: Array, options: Options) -> Array:
    """Return unquantized values clamped by a fused activation, in their type.

    LiteRT converts a bound of -1 to the largest unsigned integer. Example: RELU_N1_TO_1 gives 1 for every uint32.
    """
    below, above = activation_bounds(options)
    if math.isfinite(below):
        values = np.maximum(values, np.int64(below).astype(values.dtype))
    return np.minimum(values, np.int64(above).astype(values.dtype)) if math.isfinite(above) else values

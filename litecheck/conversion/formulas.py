"""Scales, zero points and stored integers as TensorFlow's converter computes them, bit for bit.

Real values are float32 and real = scale * (stored - zero_point). Every function states where a number is rounded to
float32, because this decides the last bit. ``rha`` stands for rounding half away from zero.

The converter has had two quantizers. Files of the **old** generation (TOCO, tensorflow/lite/tools/optimize/
quantization_utils.cc) and of the **new** generation (MLIR, tensorflow/compiler/mlir/lite/quantization/) differ in the
last bit of weight scales, in the reciprocal that weights are multiplied with, and in how far a scale is raised for a
bias that does not fit. **verbatim** is the new generation with its defect (:func:`has_other_step`), which makes weights
wrong and is never the default. Checked by tests/conversion/test_formulas.py against files of both generations.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp, ldexp
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litecheck.quantization import INTEGER_RANGES

Generation = Literal["new", "old", "verbatim"]

#: The new generation widens smaller ranges: activations by this value on either side, weights up to it.
SMALLEST_RANGE = 1e-6
#: Largest stored bias of the new generation: half of int32, which leaves room for the accumulator.
LARGEST_BIAS = 2**30 - 1
#: Largest raise of a per-tensor scale that the new generation overlooks.
OVERLOOKED = 1e-3
_INT32_MAX = 2**31 - 1


def activation(
    low: float, high: float, dtype: str = "int8", generation: Generation = "new"
) -> tuple[np.float32, int]:
    """Return the scale and zero point of an activation with real values in low..high, both finite.

    The range is first extended to include 0. The new generation extends a range below 1e-6 by 1e-6 on both sides. The
    old generation extends only an empty range, up to float32's smallest normal number. int8 and uint8 use all 256
    values: scale = (high - low) / 255 in float32, zero point = rha(f32(smallest - low / scale)), with the quotient in
    float64 in the new generation and in float32 in the old. int16 has zero point 0: scale = f32(max(-low, high) /
    32767).

    Examples: values that are all 5 give (5/255, -128). Values that are all 0 give (7.843137e-09, 0) in the new
    generation, and in the old generation (4.6e-41, -128), with a subnormal scale.
    """
    low, high = min(float(np.float32(low)), 0.0), max(float(np.float32(high)), 0.0)
    if generation != "old" and high - low < SMALLEST_RANGE:
        low, high = low - SMALLEST_RANGE, high + SMALLEST_RANGE
    elif high == low:
        high = float(np.finfo(np.float32).tiny)
    smallest, largest = INTEGER_RANGES[dtype]
    if dtype == "int16":
        return np.float32(max(-low, high) / largest), 0
    scale = (np.float32(high) - np.float32(low)) / np.float32(largest - smallest)
    quotient = float(np.float32(low) / scale) if generation == "old" else low / float(scale)
    zero = float(_round_half_away(np.float32(smallest - quotient)))
    return scale, int(min(max(zero, smallest), largest))


def steps_of(dtype: str) -> int:
    """Return the number of steps from the middle of a type to its ends: 127 for int8 and uint8, 7 for int4."""
    lowest, highest = INTEGER_RANGES[dtype]
    return (highest - lowest) // 2


def weight_scales(
    values: NDArray[np.float32], axis: int | None, generation: Generation = "new", dtype: str = "int8"
) -> NDArray[np.float32]:
    """Return symmetric scales of constant weights: shape (1,), or (values.shape[axis],) along an axis.

    With m the largest magnitude of a channel and 127 the steps on each side of the type's middle, the new scale is
    f32(2 * m / 254), where a width 2 * m of at most 1e-6 counts as 1e-6. The old scale is f32(m / 127). It is 0 for a
    channel of zeros, unless :func:`raise_for_bias` raises it.

    For example, [[1, -2], [0.5, 1.27]] in int8 gives 2 / 127, and along axis 0 [2 / 127, 0.01].
    """
    largest = _magnitudes(values, axis)
    steps = steps_of(dtype)
    if generation == "old":
        scales: NDArray[np.float32] = largest / np.float32(steps)
        return scales
    width = 2 * largest.astype(np.float64)
    width[width <= SMALLEST_RANGE] = SMALLEST_RANGE
    return (width / (2 * steps)).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class RaisedScales:
    """Scales with room for a bias: scales of the weights and of the bias, and the channels that had to be raised."""

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    changed: NDArray[np.bool_]


def raise_for_bias(
    scales: NDArray[np.float32],
    bias: NDArray[np.float32],
    input_scale: float,
    generation: Generation = "new",
) -> RaisedScales:
    """Raise weight scales for which the bias would not fit into half of int32, and return them with the bias scales.

    ``scales`` of shape (1,) must fit the largest bias, of shape (n,) each its own bias. ``bias`` has shape (n,). The
    unit of the stored bias is input scale times weight scale. New: where abs(bias) / unit reaches 2**30 - 1, the bias
    scale becomes f32(abs(bias) / (2**30 - 1)) and the weight scale f32(abs(bias) / (2**30 - 1) / input scale). Each is
    rounded separately, so that the bias scale may differ from :func:`bias_scales` by 1 or 2 ULP. Old: where abs(bias)
    reaches half of unit * (2**31 - 1), the weights' range becomes f32(2 * abs(bias) / (2**31 - 1) * f32(127 / input
    scale)). Their scale is a 127th of the range, and the bias scale is the usual product.
    """
    magnitude = np.abs(bias).astype(np.float64).reshape(-1)
    if scales.size == 1:
        magnitude = magnitude.max(initial=0.0, keepdims=True)
    step = np.float32(input_scale)
    units = bias_scales(step, scales)
    if generation == "old":
        raised = magnitude >= 0.5 * float(step) * scales.astype(np.float64) * _INT32_MAX
        reach = (2.0 * magnitude / _INT32_MAX * float(np.float32(127) / step)).astype(np.float32)
        weights = np.where(raised, reach / np.float32(127), scales)
        return RaisedScales(weights, bias_scales(step, weights), raised)
    raised = magnitude / units >= LARGEST_BIAS
    unit = magnitude / LARGEST_BIAS
    return RaisedScales(
        np.where(raised, (unit / float(step)).astype(np.float32), scales),
        np.where(raised, unit.astype(np.float32), units),
        raised,
    )


def store_weights(
    values: NDArray[np.float32],
    scales: NDArray[np.float32],
    axis: int | None,
    generation: Generation = "new",
    dtype: str = "int8",
    dynamic: bool = False,
) -> NDArray[Any]:
    """Return weights as stored integers, rha(f32(value * reciprocal)), in the shape of ``values``.

    int8 has -127..127, and int4 -7..7 in bytes.

    With m a channel's largest magnitude, the reciprocal is f32(127 / m) in the old generation, and also in the new
    generation for a single scale per tensor. Per axis the new generation uses f32(1 / scale). A scale that does not come
    from m (raised for a bias, or chosen otherwise) also uses f32(1 / scale), or in the old generation f32(127 / f32(127 *
    scale)). If a scale is :func:`has_other_step`, the reciprocal is f32(127 / m). Per axis, the new generation
    multiplies by 1 / (m / 127) in float64 if all activations are float32 (``dynamic``).

    For example, [[1, -2], [0.5, 1.27]] with the scales 2 / 127 and 0.01 gives [[64, -127], [50, 127]].
    """
    steps = np.float32(steps_of(dtype))
    divisors = np.where(scales > 0, scales, np.float32(1))
    reciprocal = steps / (divisors * steps) if generation == "old" else np.float32(1) / divisors
    if generation == "old" or axis is None:
        largest = _magnitudes(values, axis)
        own = (scales == largest / steps) | has_other_step(values, scales, axis, generation)
        own &= largest > 0
        reciprocal = np.where(own, steps / np.where(own, largest, steps), reciprocal)
    elif dynamic:
        units = _magnitudes(values, axis).astype(np.float64) / float(steps)
        own = (units > 0) & (scales == units.astype(np.float32))
        reciprocal = 1 / np.where(own, units, divisors)
    products = values * broadcast_along(reciprocal, values.ndim, axis)
    return np.clip(_round_half_away(products), -steps, steps).astype("int8" if dtype == "int4" else dtype)


def has_other_step(
    values: NDArray[np.float32],
    scales: NDArray[np.float32],
    axis: int | None,
    generation: Generation,
) -> bool:
    """Return True if weights are stored with another step than their scale: a defect of the new generation.

    Only ``verbatim`` repeats it. A per-tensor scale that differs from f32(m / 127) by at most 1e-3 is treated as f32(m
    / 127), even if it was raised for a bias. The stored integers then fit f32(m / 127) and not the scale.
    """
    if generation != "verbatim" or axis is not None:
        return False
    own = _magnitudes(values, None) / np.float32(steps_of("int8"))
    return bool(0 < own[0] != scales[0] and np.abs(own - scales)[0] <= np.float32(OVERLOOKED))


def bias_scales(input_scale: float | np.float32, scales: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the scales of a bias: input scale times weight scale, with the product in float64, rounded once."""
    return (float(np.float32(input_scale)) * scales.astype(np.float64)).astype(np.float32)


def store_bias(bias: NDArray[np.float32], scales: NDArray[np.float32], dtype: str = "int32") -> NDArray[Any]:
    """Return a bias as stored integers, rha(f32(bias * f32(1 / scale))), saturated; int64 for 16-bit activations.

    ``scales`` has shape (1,) or the shape of the bias.
    """
    largest = float(INTEGER_RANGES[dtype][1])
    if dtype == "int64":
        largest = np.nextafter(largest, 0)  # 2**63 - 1 is not a float64; the nearest one exceeds int64
    divisor = np.where(scales > 0, scales, np.float32(1))
    with np.errstate(over="ignore", invalid="ignore"):
        reciprocal = np.float32(1) / divisor
        steps = np.where(np.isfinite(reciprocal), bias * reciprocal, bias / divisor.astype(np.float64))
        return np.clip(_round_half_away(steps), -largest, largest).astype(dtype)


def cell_scale(largest: float) -> np.float32:
    """Return the int16 scale of an LSTM's cell state: 2**ceil(log2(largest)) / 32768.

    For example, a largest magnitude of 5 gives 8 / 32768. A state that is always 0 gives 1 / 32768.
    """
    fraction, exponent = frexp(float(np.float32(largest)))
    if fraction == 0.5:
        exponent -= 1
    scale: np.float32 = np.float32(ldexp(1.0, exponent - 15))
    return scale


def broadcast_along(channels: NDArray[Any], ndim: int, axis: int | None) -> NDArray[Any]:
    """Return a value for each channel, shaped to broadcast along ``axis`` of a tensor with ``ndim`` dimensions."""
    if axis is None:
        return channels
    return channels.reshape([-1 if i == axis % ndim else 1 for i in range(ndim)])


def _magnitudes(values: NDArray[np.float32], axis: int | None) -> NDArray[np.float32]:
    """Return the largest magnitude of each channel, or of all values, as a one-dimensional array.

    For example, [[1, -2], [0.5, 1.27]] gives [2, 1.27] along axis 0.
    """
    if axis is None:
        return np.asarray(np.abs(values).max(initial=np.float32(0))).reshape(1)
    others = tuple(i for i in range(values.ndim) if i != axis % values.ndim)
    return np.asarray(np.abs(values).max(axis=others, initial=np.float32(0)))


def _round_half_away(x: ArrayLike) -> NDArray[np.float64]:
    """Round half away from zero, in float64, where adding a half to a float32 is exact for all values rounded here."""
    wide = np.asarray(x, np.float64)
    return np.trunc(wide + np.copysign(0.5, wide))

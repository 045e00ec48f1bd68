"""Measurements of sums of products: the largest accumulator of a layer with constant weights.

The best inputs give the largest sum: the type's largest value for a positive weight, its smallest for a negative
weight. No other input and no padding gives a larger sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np
from numpy.typing import NDArray

from litecheck.model.stored_values import extremes, signed_sums, stored_integers
from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import (
    Measured,
    Operands,
    once,
    one_scale,
    one_zero_point,
)
from litecheck.profile.measurements.register import measures
from litecheck.profile.operator_plan import CHANNELS, Plan
from litecheck.quantization import BITS, INTEGER_RANGES

#: Bounds below which the weights are not read: the sum fits 32 bits, or fits after any shift of a kernel.
INT32, PLAIN = 2**31, 2**29
#: A bias of this size exceeds every sum, and the addition could overflow 64 bits.
HUGE = 2**62


def _set_accumulator(plan: Plan, value: int) -> Plan | None:
    """Set a single weight to 1 and the rest of the value as a bias; without a bias, use many weights of 127."""
    weight = "weight" if "weight" in plan.operands else "rhs"
    bias, data = plan.one("bias"), plan.one("input") or plan.one("lhs")
    own = plan.one(weight)
    if own is None or data is None or own.dtype not in INTEGER_RANGES:
        return None
    if bias is None:
        shape = (CHANNELS, 2**18) if weight == "weight" else (2**18, CHANNELS)
        return plan.edit(weight, lambda t: t.holding(np.full(shape, 127 if value > 1 else 0)))
    weights = np.zeros(own.shape)
    weights[(0,) * weights.ndim] = 1
    reach = INTEGER_RANGES[data.dtype][1] - int(data.zero_point[0])  # largest input minus its zero point
    rest = np.full(CHANNELS, min(max(int(value - reach), 0), INTEGER_RANGES[bias.dtype][1]))
    return plan.edit(weight, lambda t: t.holding(weights)).edit("bias", lambda t: t.holding(rest))


def _set_rescaled_sum(plan: Plan, value: Fraction) -> Plan | None:
    """Set the output scale for sums of 2^30, or of 2^50 for a value below 2^29."""
    weight, data = plan.one("weight"), plan.one("input")
    if weight is None or data is None or value <= 0:
        return None
    if value >= PLAIN:
        plan = _set_accumulator(plan, 2**30) or plan
    step = float(data.scale[0]) * float(weight.scale.min())
    sums = 2**30 if value >= PLAIN else 2**50
    return plan.with_scale("output", step * sums / value)


@dataclass(frozen=True, slots=True)
class _Layer:
    """Constant side of a layer as (outer, summed, inner), with output channels along outer and inner."""

    weights: Tensor
    layout: tuple[int, int, int]
    zero: int
    """The zero point of the weights."""
    low: int
    high: int
    """Bounds of the input less its zero point: at most 0, at least 0."""

    @property
    def depth(self) -> int:
        return self.layout[1]

    @property
    def largest_product(self) -> int:
        low, high = INTEGER_RANGES[self.weights.dtype]
        return max(high - self.zero, self.zero - low) * max(-self.low, self.high)


@measures(_set_accumulator)
def largest_accumulator(operands: Operands) -> Measured:
    """Largest magnitude of inputs * constant weights + bias in an output channel, over all inputs. Example:
    200,000 int8 weights of 127 and input zero point -128 give 127 * 255 * 200,000 = 6,477,000,000.

    None for computed weights, and if depth and bias alone keep the accumulator within 32 bits.

    Search words: overflow, saturation, int32, 24-bit accumulator.
    """
    return _largest(operands, INT32)


def _largest(operands: Operands, plain: int) -> int | None:
    """Return the largest accumulator, or None if depth and bias alone keep it below ``plain``."""
    bias = operands.one("bias")
    most = 0 if bias is None else largest_value(bias)
    if most is None or _cannot_exceed(operands) + most < plain:
        return None
    if most >= HUGE:
        return most
    layer = _layer(operands)
    if layer is None or layer.depth * layer.largest_product + most < plain:
        return None
    sums = _sums(operands, layer)
    return None if sums is None else int(sums.max(initial=0))


@measures(lambda plan, value: _set_accumulator(plan.edit("bias", lambda t: t.but(dtype="int32")), value))
def largest_int32_accumulator(operands: Operands) -> Measured:
    """``largest_accumulator`` with an int32 bias, which makes kernels accumulate int16 inputs in int32 as
    well; above 2^31 - 1 the sum can overflow. Example: int16 inputs and 1,000 int8 weights of 127 give
    127 * 32,768 * 1,000 = 4,161,536,000.

    Search words: overflow, saturation.
    """
    bias = operands.one("bias")
    return largest_accumulator(operands) if bias is not None and bias.dtype == "int32" else None


@measures(lambda plan, value: _set_accumulator(plan.edit("weight", lambda t: t.but(dtype="int4")), value))
def largest_int4_accumulator(operands: Operands) -> Measured:
    """``largest_accumulator`` with int4 weights, whose products some kernels multiply by 16. Example: 100,000
    int4 weights of 7 and input zero point -128 give 7 * 255 * 100,000 = 178,500,000."""
    weight = operands.one("weight")
    return _largest(operands, INT32 >> 4) if weight is not None and weight.dtype == "int4" else None


@measures(lambda plan, value: _set_accumulator(plan.without_inputs("bias"), value))
def unbiased_accumulator(operands: Operands) -> Measured:
    """``largest_accumulator`` without a bias; some kernels then accumulate in fewer bits. Example: int16
    inputs and 1,000 int8 weights of 127 give 127 * 32,768 * 1,000 = 4,161,536,000."""
    return largest_accumulator(operands) if operands.one("bias") is None else None


def channel_sums(operands: Operands) -> NDArray[np.int64] | None:
    """Return the largest magnitude of every output channel's accumulator; None for weights that are not constant."""
    layer = _layer(operands)
    return None if layer is None else _sums(operands, layer)


@measures(_set_rescaled_sum)
def largest_rescaled_sum(operands: Operands) -> Measured:
    """``largest_accumulator`` in output steps: accumulator * input scale * weight scale / output scale. None
    if depth and bias dtype alone keep the value below 2^29. Example: accumulator 6,477,000,000 and scales
    0.5, 0.25 and 0.5 give 1,619,250,000."""
    weights, bias, step = operands.one("weight"), operands.one("bias"), largest_step(operands)
    most = 0 if bias is None else 2**31 if bias.dtype == "int32" else largest_value(bias)
    if weights is None or step is None or most is None or step * (_cannot_exceed(operands) + most) < PLAIN:
        return None
    if most >= HUGE:
        return Fraction(step) * most
    layer = _layer(operands)
    if layer is None or step * (layer.depth * layer.largest_product + most) < PLAIN:
        return None
    data, output = one_scale(operands.one("input")), one_scale(operands.one("output"))
    sums, scales = _sums(operands, layer), weights.quantization.scale
    if sums is None or not data or not output or not sums.size or scales.size not in (1, sums.size):
        return None
    channel = int((sums * scales.astype(np.float64)).argmax())
    weight = float(scales[channel if scales.size > 1 else 0])
    return int(sums[channel]) * data * Fraction(weight) / output


@once
def largest_step(operands: Operands) -> float | None:
    """Return an accumulator step in output steps, of the channel where it is largest, in float64.

    For example, scales 0.5 and 0.25, and 0.1 of the output give 1.25.
    """
    data, output, weights = (operands.one(role) for role in ("input", "output", "weight"))
    if data is None or output is None or weights is None or not weights.quantization.scale.size:
        return None
    if data.quantization.scale.size != 1 or output.quantization.scale.size != 1:
        return None
    scale = float(output.quantization.scale[0])
    largest = float(weights.quantization.scale.max()) * float(data.quantization.scale[0])
    return largest / scale if scale > 0 and 0 < largest < float("inf") else None


@once
def _cannot_exceed(operands: Operands) -> int:
    """Return an upper bound of every sum of products from sizes and bit widths alone; it decides most layers."""
    sizes = [
        t.size for role in ("weight", "lhs", "rhs") if (t := operands.one(role)) is not None and t.is_constant
    ]
    widths = [
        BITS.get(t.dtype, 64) for role in ("weight", "input", "lhs", "rhs") if (t := operands.one(role))
    ]
    return max(sizes, default=0) << sum(widths)


def _layer(operands: Operands) -> _Layer | None:
    """Return the layer if one side of its products is constant and the other side has a single zero point, else
    None."""
    data, weights, layout = _sides(operands)
    if data is None or weights is None or layout is None or min(layout) < 1:
        return None
    zero, own = one_zero_point(data), weights.quantization.zero_point
    if zero is None or not all(t.dtype in INTEGER_RANGES and BITS[t.dtype] <= 16 for t in (data, weights)):
        return None
    low, high = INTEGER_RANGES[data.dtype]
    if not low <= zero <= high or prod(layout) != weights.size or (own.size > 1 and own.any()):
        return None
    return _Layer(weights, layout, int(own[0]) if own.size else 0, low - zero, high - zero)


def _sides(operands: Operands) -> tuple[Tensor | None, Tensor | None, tuple[int, int, int] | None]:
    """Return the input, the constant weights, and the layout of the weights, by the roles of the operator."""
    weights, data = operands.one("weight"), operands.one("input")
    if weights is not None:
        return data, weights if weights.is_constant else None, _filter_layout(operands, weights.shape)
    lhs, rhs = operands.one("lhs"), operands.one("rhs")
    if lhs is None or rhs is None or lhs.is_constant == rhs.is_constant:
        return None, None, None
    weights, data = (lhs, rhs) if lhs.is_constant else (rhs, lhs)
    if len(weights.shape) < 2:
        return None, None, None
    *outer, rows, columns = weights.shape
    adjoint = operands.option("adj_x" if weights is lhs else "adj_y")
    if (weights is lhs) != bool(adjoint):  # the summed dimension is last
        return data, weights, (prod(outer) * rows, columns, 1)
    return data, weights, (prod(outer), rows, columns)


def _filter_layout(operands: Operands, shape: tuple[int, ...]) -> tuple[int, int, int] | None:
    if operands.operator.opcode == "DEPTHWISE_CONV_2D":
        return (1, prod(shape[:-1]), shape[-1]) if len(shape) == 4 else None
    if operands.operator.opcode == "TRANSPOSE_CONV":
        return (prod(shape[:3]), shape[3], 1) if len(shape) == 4 else None
    return (shape[0], prod(shape[1:]), 1) if len(shape) > 1 else None


def _sums(operands: Operands, layer: _Layer) -> NDArray[np.int64] | None:
    """Return the largest magnitude of every output channel's accumulator."""
    found = signed_sums(layer.weights, layer.layout, layer.zero)
    if found is None:
        return None
    above, below = (part.reshape(-1) for part in found)
    if operands.operator.opcode == "TRANSPOSE_CONV":
        above, below = (
            _sum_phases(part.reshape(layer.weights.shape[:3]), operands) for part in (above, below)
        )
    most = above * layer.high + below * layer.low
    least = above * layer.low + below * layer.high
    bias = _bias(operands, most.shape[-1])
    if bias is None:
        return None
    sums: NDArray[np.int64] = (
        np.maximum(abs(most + bias), abs(least + bias)).reshape(-1, most.shape[-1]).max(0)
    )
    return sums


def _sum_phases(taps: NDArray[np.int64], operands: Operands) -> NDArray[np.int64]:
    """Return sums of filter taps as (phases, channels) for TRANSPOSE_CONV, where an output meets every ``stride``-th
    tap."""
    h, w = max(1, operands.option("stride_h")), max(1, operands.option("stride_w"))
    h, w = min(h, taps.shape[1]), min(w, taps.shape[2])
    return np.stack([taps[:, y::h, x::w].sum(axis=(1, 2)) for y in range(h) for x in range(w)])


def _bias(operands: Operands, channels: int) -> NDArray[np.int64] | int | None:
    bias = operands.one("bias")
    if bias is None:
        return 0
    most = largest_value(bias)
    values = stored_integers(bias) if bias.size == channels and most is not None and most < HUGE else None
    return None if values is None else values.reshape(-1).astype(np.int64)


def largest_value(bias: Tensor) -> int | None:
    """Return the largest magnitude in a constant bias; None if there is none."""
    found = extremes(bias)
    return None if found is None else max(-int(found[0]), int(found[1]))

"""Measurements of constant weights as an accelerator's compiler encodes and divides them."""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np

from litecheck.profile.measurements.bound import Measured, Operands
from litecheck.profile.measurements.register import dimensions, measures, option_stated
from litecheck.profile.plan import Plan

#: Types of 8 bits.
BYTES = ("int8", "uint8")


def _below(plan: Plan, value: Any) -> Plan | None:
    weight = plan.one("weight")
    if weight is None or weight.values is None or not weight.scale.size:
        return None
    lowest = np.iinfo(weight.values.dtype).min
    values = np.full(weight.shape, lowest + 1)
    values.flat[0] = lowest
    return plan.edit("weight", lambda t: t.holding(values, weight.dtype).zeroed(lowest - int(value)))


def _rows(plan: Plan, value: Any) -> Plan | None:
    source, weight = plan.one("input"), plan.one("weight")
    if source is None or weight is None or len(weight.shape) != 2 or value < 0:
        return None
    depth = max(weight.shape[-1], 2)
    plan = plan.edit("weight", lambda t: dimensions(t, (t.shape[0], depth)))
    return plan.edit("input", lambda t: dimensions(t, (1, int(value) * depth or 1)))


def _two_scales(plan: Plan, value: Any) -> Plan | None:
    if plan.one("cell_gate_bias") is None or value not in (0, 1):
        return None
    return plan.edit("cell_gate_bias", lambda t: t.scaled([0.5, 0.25])) if value else plan


@measures(_two_scales)
def per_axis_biases(operands: Operands) -> Measured:
    """How many biases state more than one scale."""
    return sum(t.quantization.scale.size > 1 for t in operands.of("bias"))


def _long_bias(plan: Plan, value: Any) -> Plan | None:
    role = "bias" if plan.one("bias") else "cell_gate_bias"
    bias, source = plan.one(role), plan.one("input")
    if bias is None or source is None or source.dtype not in BYTES or value not in (0, 1):
        return None
    held = None if bias.values is None else bias.values.astype(np.int64)
    return plan.edit(role, lambda t: t.but(dtype="int64", values=held)) if value else plan


@measures(_long_bias)
def int64_bias_of_8bit_layer(operands: Operands) -> Measured:
    """How many biases are int64 where an input of 8 bits meets constant weights."""
    source = operands.one("input")
    if source is None or source.dtype not in BYTES or any(t.data is None for t in operands.of("weight")):
        return 0
    return sum(t.dtype == "int64" for t in operands.of("bias"))


def _filters(plan: Plan, count: int, rank: int = 4) -> Plan | None:
    """A depthwise convolution of two channels with so many filters, whose result has two, too."""
    weight, stated = plan.one("weight"), option_stated(plan, 1, "depth_multiplier")
    if weight is None or stated is None or len(weight.shape) != 4 or count < 1:
        return None
    plan = stated.edit("weight", lambda t: dimensions(t, (*t.shape[:-1], count)[-rank:]))
    plan = plan.edit_all(lambda t: dimensions(t, (*t.shape[:-1], 2)), ("input", *plan.outputs))
    return plan.edit("bias", lambda t: dimensions(t, (2,)))


def _turned(plan: Plan, value: Any) -> Plan | None:
    """An image of so many pixels, or a few more, and two filters of one pixel for each of its two channels."""
    two = _filters(plan, 4)
    if two is None or value < 1:
        return None
    side = isqrt(int(value) - 1) + 1
    image = (1, side, -(-int(value) // side))
    same = option_stated(two, "SAME", "padding")
    same = same and option_stated(same, 1, "stride_h", "stride_w")
    if same is None:
        return None
    same = same.edit("weight", lambda t: dimensions(t, (1, 1, 1, 4))).edit(
        "bias", lambda t: dimensions(t, (4,))
    )
    same = same.edit("input", lambda t: dimensions(t, (*image, 2)))
    return same.edit_all(lambda t: dimensions(t, (*image, 4)), same.outputs)


@measures(_turned)
def depthwise_transposed_extent(operands: Operands) -> Measured:
    """The largest product of two of the result's height and width and the input's channels, where a depthwise convolution
    has several filters for each of several channels: results of one filter each are turned to lie side by side."""
    depths, result = _depths(operands), operands.one("output")
    if (
        depths is None
        or result is None
        or len(result.shape) < 3
        or depths[0] < 2
        or depths[1] < 2 * depths[0]
    ):
        return None
    height, width = result.shape[-3:-1]
    return max(height * width, depths[0] * max(height, width))


def _depths(operands: Operands) -> tuple[int, int, int] | None:
    """The channels of a depthwise convolution's input, of its constant filters and of its result."""
    found = operands.one("input"), operands.one("weight"), operands.one("output")
    source, weight, result = (t.shape[-1] if t and t.shape else 0 for t in found)
    return (source, weight, result) if source and found[1] and found[1].data is not None else None


def _deep(plan: Plan, value: Any) -> Plan | None:
    source, weight = plan.one("input"), plan.one("weight")
    if source is None or weight is None or len(weight.shape) != 2 or value < 1:
        return None
    plan = plan.edit("weight", lambda t: dimensions(t, (1, int(value))))
    plan = plan.edit("input", lambda t: dimensions(t, (1, int(value))))
    plan = plan.edit_all(lambda t: dimensions(t, (1, 1)), plan.outputs)
    return plan.edit("bias", lambda t: dimensions(t, (1,)))


@measures(_deep)
def weight_row_length(operands: Operands) -> Measured:
    """How long a row of weights is."""
    return max((t.shape[-1] for t in operands.of("weight") if t.shape), default=None)

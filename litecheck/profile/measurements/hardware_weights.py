"""Measurements of constant weights as an accelerator's compiler encodes and divides them."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from litecheck.model.build import quantized
from litecheck.model.types import Tensor
from litecheck.model.values import stored_integers
from litecheck.profile.measurements.bound import Measured, Operands
from litecheck.profile.measurements.register import Setter, dimensions, measures
from litecheck.profile.plan import Plan, TensorPlan

#: Types of 8 bits.
_BYTES = ("int8", "uint8")


def _lowest(tensor: Tensor) -> int | None:
    """The smallest stored integer of 8 bits less the zero point of its tensor, the first where there are several."""
    values = stored_integers(tensor) if tensor.data is not None and tensor.dtype in _BYTES else None
    if values is None or not values.size:
        return None
    points = tensor.quantization.zero_point
    return int(values.min()) - (int(points[0]) if points.size else 0)


def _below(plan: Plan, value: Any) -> Plan | None:
    weight = plan.one("weight")
    if weight is None or weight.values is None or not weight.scale.size:
        return None
    lowest = np.iinfo(weight.values.dtype).min
    values = np.full(weight.shape, lowest + 1)
    values.flat[0] = lowest
    return plan.edit("weight", lambda t: t.holding(values, weight.dtype).zeroed(lowest - int(value)))


@measures(_below)
def lowest_weight(operands: Operands) -> Measured:
    """The smallest constant weight of 8 bits less its zero point."""
    found = [least for t in operands.of("weight") if (least := _lowest(t)) is not None]
    return min(found, default=None)


def _rows(plan: Plan, value: Any) -> Plan | None:
    source, weight = plan.one("input"), plan.one("weight")
    if source is None or weight is None or len(weight.shape) != 2 or value < 0:
        return None
    depth = max(weight.shape[-1], 2)
    plan = plan.edit("weight", lambda t: dimensions(t, (t.shape[0], depth)))
    return plan.edit("input", lambda t: dimensions(t, (1, int(value) * depth or 1)))


@measures(_rows)
def whole_rows(operands: Operands) -> Measured:
    """How many rows as long as those of the weights the input's elements fill."""
    source, weight = operands.one("input"), operands.one("weight")
    if source is None or weight is None or not weight.shape or not weight.shape[-1]:
        return None
    return prod(source.shape) // weight.shape[-1]


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
    if bias is None or source is None or source.dtype not in _BYTES or value not in (0, 1):
        return None
    held = None if bias.values is None else bias.values.astype(np.int64)
    return plan.edit(role, lambda t: t.but(dtype="int64", values=held)) if value else plan


@measures(_long_bias)
def long_byte_biases(operands: Operands) -> Measured:
    """How many biases are int64 where an input of 8 bits meets constant weights."""
    source = operands.one("input")
    if source is None or source.dtype not in _BYTES or any(t.data is None for t in operands.of("weight")):
        return 0
    return sum(t.dtype == "int64" for t in operands.of("bias"))


def _left_channels(plan: Plan, value: Any) -> Plan | None:
    source, weight = plan.one("input"), plan.one("weight")
    if source is None or weight is None or len(weight.shape) != 4 or not 0 <= value < 4:
        return None
    plan = plan.edit("weight", lambda t: dimensions(t, (*t.shape[:-1], 4 + int(value))))
    return plan.edit("input", lambda t: dimensions(t, (*t.shape[:-1], 4)))


@measures(_left_channels)
def left_channels(operands: Operands) -> Measured:
    """What is left over where a depthwise convolution's constant weights are divided into as many parts as its input has
    channels, and there is a bias; None without one."""
    source, weight = operands.one("input"), operands.one("weight")
    if source is None or weight is None or not source.shape or not weight.shape or not source.shape[-1]:
        return None
    if operands.one("bias") is None or weight.data is None:
        return None
    return weight.shape[-1] % source.shape[-1]


def _deep(plan: Plan, value: Any) -> Plan | None:
    source, weight = plan.one("input"), plan.one("weight")
    if source is None or weight is None or len(weight.shape) != 2 or value < 1:
        return None
    plan = plan.edit("weight", lambda t: dimensions(t, (1, int(value))))
    plan = plan.edit("input", lambda t: dimensions(t, (1, int(value))))
    plan = plan.edit_all(lambda t: dimensions(t, (1, 1)), plan.outputs)
    return plan.edit("bias", lambda t: dimensions(t, (1,))) if plan.one("bias") is not None else plan


@measures(_deep)
def row_depth(operands: Operands) -> Measured:
    """How long a row of weights is."""
    return max((t.shape[-1] for t in operands.of("weight") if t.shape), default=None)


def _pointed(dtype: str) -> Setter:
    """Computed weights with this zero point."""

    def sets(plan: Plan, value: Any) -> Plan | None:
        weight = plan.one("weight")
        if weight is None or not weight.scale.size:
            return None
        made = TensorPlan(dtype, weight.shape, quantized(float(weight.scale[0]), int(value)))
        return plan.with_role("weight", [made])

    return sets


def _computed(operands: Operands) -> Iterator[tuple[str, int]]:
    for t in operands.of("weight"):
        points = t.quantization.zero_point
        if t.data is None and t.dtype in _BYTES and points.size:
            yield t.dtype, int(points[0])


@measures(_pointed("int8"))
def computed_zero_point(operands: Operands) -> Measured:
    """The zero point of computed weights, less 128 where they are uint8."""
    return next((point - 128 * (dtype == "uint8") for dtype, point in _computed(operands)), None)


@measures(_pointed("uint8"))
def unsigned_zero_point(operands: Operands) -> Measured:
    """The zero point of computed weights that are uint8; None of others."""
    return next((point for dtype, point in _computed(operands) if dtype == "uint8"), None)

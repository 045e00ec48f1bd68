"""Measurements of weights and biases: sums, shapes, dtypes and scales."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from litecheck.model.build import qparams
from litecheck.model.stored_values import stored_integers
from litecheck.profile.measurements.measured_operator import Measured, Operands, everything
from litecheck.profile.measurements.register import dimensions, measures
from litecheck.profile.measurements.windows import channel_axis
from litecheck.profile.operator_plan import Plan
from litecheck.profile.operators import traits_of
from litecheck.targets.generators.axes import set_bias_rows, set_inner_weight_product
from litecheck.targets.generators.feature_maps import change_last_constant, with_int4
from litecheck.targets.generators.windows import set_weight_sum

_8BIT = ("int8", "uint8")


@measures(set_weight_sum)
def weight_sum(operands: Operands) -> Measured:
    """Largest sum, over one output channel, of abs(weight - zero point) of constant 8-bit or 4-bit weights. Example:
    weights (1, -2, 3) and zero point 0 give 6."""
    weight = operands.one("weight")
    if (
        weight is None
        or weight.data is None
        or not weight.shape
        or weight.dtype not in ("int8", "uint8", "int4")
    ):
        return None
    values = stored_integers(weight)
    if values is None or not values.size:
        return None
    points = weight.quantization.zero_point
    magnitudes = np.abs(values.astype(np.int64) - (int(points[0]) if points.size else 0))
    axis = channel_axis(operands.operator, weight)
    return int(magnitudes.sum(axis=tuple(a for a in range(magnitudes.ndim) if a != axis)).max())


@measures(set_weight_sum)
def weight_sum_8bit_input(operands: Operands) -> Measured:
    """Largest sum, over one output channel, of abs(weight - zero point), if the input is int8 or uint8; else none.
    Example: int8 input, weights (1, -2, 3) and zero point 0 give 6."""
    tensor = operands.one("input")
    return weight_sum(operands) if tensor is not None and tensor.dtype in _8BIT else None


@measures(set_inner_weight_product)
def inner_weight_product(operands: Operands) -> Measured:
    """Product of all dimensions of the weights except the first and the last. Example: weights (4, 2, 3, 8) give 6."""
    weight = operands.one("weight")
    return None if weight is None else prod(weight.shape[1:-1])


def _set_weight_row_length(plan: Plan, value: Any) -> Plan | None:
    source, weight = plan.one("input"), plan.one("weight")
    if source is None or weight is None or len(weight.shape) != 2 or value < 1:
        return None
    plan = plan.edit("weight", lambda t: dimensions(t, (1, int(value))))
    plan = plan.edit("input", lambda t: dimensions(t, (1, int(value))))
    plan = plan.edit_all(lambda t: dimensions(t, (1, 1)), plan.outputs)
    return plan.edit("bias", lambda t: dimensions(t, (1,)))


@measures(_set_weight_row_length)
def weight_row_length(operands: Operands) -> Measured:
    """Last dimension of the weights. Example: weights (4, 8) give 8."""
    return max((t.shape[-1] for t in operands.of("weight") if t.shape), default=None)


@measures(set_bias_rows)
def bias_rows(operands: Operands) -> Measured:
    """Product of all dimensions of the bias except the last. Example: bias (2, 8) gives 2."""
    bias = operands.one("bias")
    return None if bias is None else prod(bias.shape[:-1])


def _set_two_weight_scales(plan: Plan, value: Any) -> Plan | None:
    domains = traits_of(plan.opcode).inputs
    role = next((r for r in plan.inputs if domains.get(r) == "weight" and plan.operands.get(r)), None)
    if role is None or value not in (0, 1):
        return None
    return plan.edit(role, lambda t: t.but(quantization=qparams([0.5, 0.25]))) if value else plan


@measures(_set_two_weight_scales)
def per_axis_weights(operands: Operands) -> Measured:
    """Number of weights with more than one scale. Example: weight scales 0.5 and 0.25 give 1.

    Search words: per-channel quantization.
    """
    return sum(t.quantization.scale.size > 1 for t in operands.of("weight"))


def _set_two_bias_scales(plan: Plan, value: Any) -> Plan | None:
    if plan.one("cell_gate_bias") is None or value not in (0, 1):
        return None
    return plan.edit("cell_gate_bias", lambda t: t.with_scale([0.5, 0.25])) if value else plan


@measures(_set_two_bias_scales)
def per_axis_biases(operands: Operands) -> Measured:
    """Number of biases with more than one scale. Example: bias scales 0.5 and 0.25 give 1.

    Search words: per-channel quantization.
    """
    return sum(t.quantization.scale.size > 1 for t in operands.of("bias"))


def _set_int64_bias(plan: Plan, value: Any) -> Plan | None:
    role = "bias" if plan.one("bias") else "cell_gate_bias"
    bias, source = plan.one(role), plan.one("input")
    if bias is None or source is None or source.dtype not in _8BIT or value not in (0, 1):
        return None
    values = None if bias.values is None else bias.values.astype(np.int64)
    return plan.edit(role, lambda t: t.but(dtype="int64", values=values)) if value else plan


@measures(_set_int64_bias)
def int64_bias_of_8bit_layer(operands: Operands) -> Measured:
    """Number of int64 biases, if the input is int8 or uint8 and all weights are constant; else 0. Example: int8 input and
    int64 bias give 1."""
    source = operands.one("input")
    if source is None or source.dtype not in _8BIT or any(t.data is None for t in operands.of("weight")):
        return 0
    return sum(t.dtype == "int64" for t in operands.of("bias"))


@measures(change_last_constant(with_int4))
def int4_constants(operands: Operands) -> Measured:
    """Number of int4 constants. Example: FULLY_CONNECTED with int4 weights gives 1."""
    return sum(t.dtype == "int4" and t.data is not None for t in everything(operands))

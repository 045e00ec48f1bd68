"""Measurements of what accelerators copy: parts of tensors with many dimensions, and operands without any."""

from __future__ import annotations

from itertools import islice
from math import prod
from typing import Any

from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import Measured, Operands, everything, short_constant
from litecheck.profile.measurements.register import dimensions, held, measures, option_fields
from litecheck.profile.plan import Plan
from litecheck.quantization import Quantization
from litecheck.targets.generators.feature_maps import ends, first_map, offset, typed
from litecheck.targets.measurements.feature_maps import PLAIN, ends_of
from litecheck.targets.measurements.quantization import POINTS


def _in_parts(plan: Plan, value: Any) -> Plan | None:
    """Two halves of a tensor with so many dimensions, joined; or only one of them."""
    found, rank = ends(plan), int(value)
    if found is None or rank < 1:
        return None
    half, whole = (2, *[1] * (rank - 1)), (4, *[1] * (rank - 1))
    if "values" in plan.inputs:
        plan = plan.with_role("values", [plan.operands["values"][0]] * 2)
        return plan.edit_all(lambda t: dimensions(t, half), {"values"}).edit_all(
            lambda t: dimensions(t, whole), plan.outputs
        )
    for role, first in (("begin", 0), ("size", 2), ("end", 2), ("strides", 1)):
        if role in plan.inputs:
            plan = held(plan, role, [first] + [int(role not in ("begin",))] * (rank - 1))
    plan = held(plan, "axis", 0) if "axis" in plan.inputs else plan
    masks = [name for name in option_fields(plan.opcode) if name.endswith("_mask")]
    plan = plan.option(**dict.fromkeys(masks, 0)) if masks else plan
    plan = plan.edit(found[0], lambda t: dimensions(t, whole))
    return plan.edit_all(lambda t: dimensions(t, half), plan.outputs)


@measures(first_map(lambda t: t.but(shape=(), values=None)))
def rank0_inputs(operands: Operands) -> Measured:
    """How many operands that go in and are computed have no dimensions."""
    outputs = operands.operator.outputs
    return sum(not t.shape and t.data is None and t.index not in outputs for t in everything(operands))


def _zero(tensor: Tensor) -> int:
    points = tensor.quantization.zero_point
    return int(points[0]) if points.size else 0


def _reversed(plan: Plan, value: Any) -> Plan | None:
    result = plan.one("output")
    if result is None or not result.shape or not 0 <= value <= len(result.shape):
        return None
    return held(plan, "axis", list(range(int(value))) or [len(result.shape)])


@measures(_reversed)
def reversed_axes(operands: Operands) -> Measured:
    """How many constant axes are no integers, or at most 31 in front of the result's last dimension: those that a mask of
    32 bits has a bit for, with the distance taken modulo 64."""
    result, axis, axes = operands.one("output"), operands.one("axis"), short_constant(operands, "axis")
    if result is None or axis is None or axis.data is None:
        return None
    return prod(axis.shape) if axes is None else sum((len(result.shape) - 1 - a) % 64 < 32 for a in axes)


def strange_zero_point(tensor: Tensor) -> bool:
    """Whether a zero point is outside int8 or uint8, or of another type other than 0."""
    return _zero(tensor) not in POINTS.get(tensor.dtype, (0,))


@measures(first_map(offset))
def first_input_zero_point_beyond_8bit(operands: Operands) -> Measured:
    """1 where the first input has a zero point outside int8 or uint8, or of another type one other than 0, else 0."""
    found = ends_of(operands)
    return None if found is None else int(strange_zero_point(found[0]))


@measures(first_map(lambda t: t.but(dtype="int8", quantization=Quantization(), values=None)))
def unquantized_io(operands: Operands) -> Measured:
    """How many of the first input, the first weight and the result state no scale and are of a type whose integers stand
    for reals."""
    tensors = [*(ends_of(operands) or ()), *islice(operands.of("weight"), 1)]
    return sum(not t.quantization.scale.size and t.dtype not in PLAIN for t in tensors)


@measures(first_map(lambda t: typed(t, "uint8").scaled([0.5], -3)))
def nonzero_zero_point_io_int32(operands: Operands) -> Measured:
    """As ``nonzero_zero_point_int32``, of the first input and the first result alone."""
    tensors = ends_of(operands) or ()
    return sum(
        _zero(t) != 0 if t.dtype == "int32" else t.dtype.startswith("uint") and _zero(t) < 0 for t in tensors
    )

"""Measurements of what accelerators copy: parts of tensors with many dimensions, and operands without any."""

from __future__ import annotations

from math import prod
from typing import Any

from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import Measured, Operands
from litecheck.profile.measurements.feature_maps import everything, maps_of
from litecheck.profile.measurements.register import dimensions, held, measures
from litecheck.profile.measurements.set_maps import ends, first_map
from litecheck.profile.plan import Plan


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
    plan = plan.edit(found[0], lambda t: dimensions(t, whole))
    return plan.edit_all(lambda t: dimensions(t, half), plan.outputs)


@measures(_in_parts)
def parted_rank(operands: Operands) -> Measured:
    """The most dimensions of a feature map where several go in or come out, or another number of elements comes out than
    goes in; None elsewhere."""
    outputs = operands.operator.outputs
    maps = maps_of(operands)
    results = [t for t in maps if t.index in outputs]
    inputs = [t for t in maps if t.index not in outputs]
    alone = len(inputs) == len(results) == 1
    if alone and prod(inputs[0].shape) == prod(results[0].shape):
        return None
    return max((len(t.shape) for t in maps), default=0)


@measures(first_map(lambda t: t.but(shape=(), values=None)))
def scalar_inputs(operands: Operands) -> Measured:
    """How many operands that go in and are computed have no dimensions."""
    outputs = operands.operator.outputs
    return sum(not t.shape and t.data is None and t.index not in outputs for t in everything(operands))


def _zero(tensor: Tensor) -> int:
    points = tensor.quantization.zero_point
    return int(points[0]) if points.size else 0


def _offset_axis(plan: Plan, value: Any) -> Plan | None:
    axis = plan.one("axis")
    if axis is None or value not in (0, 1):
        return None
    dtype = axis.dtype if axis.dtype in ("int32", "int64") else "int32"
    return plan.edit("axis", lambda t: t.but(dtype=dtype).scaled([0.5], 3)) if value else plan


@measures(_offset_axis)
def offset_axis(operands: Operands) -> Measured:
    """1 where the operand that names an axis is int32 with a zero point other than 0, or unsigned with one below, else
    0."""
    axis = operands.one("axis")
    if axis is None:
        return None
    return int(
        (axis.dtype == "int32" and _zero(axis) != 0) or (axis.dtype.startswith("uint") and _zero(axis) < 0)
    )


#: The zero points of 8 bits; other types have 0.
_POINTS = {"int8": range(-128, 128), "uint8": range(256)}


@measures(_offset_axis)
def axis_zero_points(operands: Operands) -> Measured:
    """1 where the operand that names an axis has a zero point outside int8 or uint8, or of another type one other than 0,
    else 0."""
    axis = operands.one("axis")
    return None if axis is None else int(_zero(axis) not in _POINTS.get(axis.dtype, (0,)))

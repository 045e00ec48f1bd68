"""Generators for measurements of NHWC tensors: batch size, rank, sides, paddings and channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from litecheck.profile.measurements.register import (
    dimensions,
    option_fields,
    option_stated,
    with_constant,
    with_rank,
)
from litecheck.profile.operator_plan import CHANNELS, Plan
from litecheck.targets.generators.axes import reduce_over
from litecheck.targets.generators.feature_maps import feature_map_roles


def set_batch_product(plan: Plan, value: Any) -> Plan | None:
    """Set the batch size of the first input and the output."""
    role = next(feature_map_roles(plan), None)
    if role is None or value < 1:
        return None
    roles = {role, *plan.outputs}
    return plan.edit_all(lambda t: dimensions(t, (int(value), *((1,) * 3 + t.shape)[-3:])), roles)


def set_feature_map_rank(plan: Plan, value: Any) -> Plan | None:
    """Set the rank of the first input."""
    role = next(feature_map_roles(plan), None)
    return None if role is None or value < 0 else plan.edit(role, lambda t: with_rank(t, int(value)) or t)


def set_farthest_axis(plan: Plan, value: Any) -> Plan | None:
    """Set the axis, counted from the end of the first input; 0 is an axis after the last dimension."""
    role = next(feature_map_roles(plan), None)
    if role is None or not -8 <= value <= 0:
        return None
    rank = max(len(plan.operands[role][0].shape), -int(value))
    plan = plan.edit(role, lambda t: t if len(t.shape) == rank else with_rank(t, rank) or t)
    axis = int(value) if value else rank
    return with_constant(plan, "axis", [axis]) if "axis" in plan.inputs else option_stated(plan, axis, "axis")


def set_concat_depth(plan: Plan, value: Any) -> Plan | None:
    """Set the channels of the tensors that are concatenated or split along the last dimension."""
    if value < 1:
        return None
    depth = int(value)
    if plan.operands.get("values"):
        count = len(plan.operands["values"])
        plan = plan.edit_all(lambda t: dimensions(t, (1, 2, 2, depth)), {"values"})
        plan = plan.edit_all(lambda t: dimensions(t, (1, 2, 2, depth * count)), plan.outputs)
        return option_stated(plan, 3, "axis")
    count = len(plan.operands["outputs"])
    plan = plan.edit("input", lambda t: dimensions(t, (1, 2, 2, depth * count)))
    plan = plan.edit_all(lambda t: dimensions(t, (1, 2, 2, depth)), plan.outputs)
    if plan.one("size_splits") is not None:
        plan = with_constant(plan, "size_splits", [depth] * count)
    return with_constant(plan, "axis", 3)


def set_square_side(plan: Plan, value: Any) -> Plan | None:
    """Reduce a square of this side to 1x1; for 0 a 2x3 rectangle."""
    if value < 0 or plan.one("axis") is None:
        return None
    height, width = (int(value), int(value)) if value else (2, 3)
    return reduce_over(plan, (1, height, width, CHANNELS), [1, 2])


def set_odd_sides(plan: Plan, value: Any) -> Plan | None:
    """Set the number of odd sides of the input."""
    if value not in (0, 1, 2) or plan.one("input") is None:
        return None
    sides = (5 if value else 4, 5 if value > 1 else 4)
    return plan.edit("input", lambda t: dimensions(t, (1, *sides, CHANNELS)))


def set_pads_outside_hw(plan: Plan, value: Any) -> Plan | None:
    """Pad height, and this number of sides of batch and channels."""
    if not 0 <= value <= 4 or plan.one("paddings") is None:
        return None
    paddings = np.zeros((4, 2), np.int32)
    paddings[1] = 1
    for at in range(int(value)):
        paddings[(0, 3)[at // 2], at % 2] = 1
    shape = np.array((1, 2, 2, CHANNELS))
    plan = plan.edit("paddings", lambda t: t.holding(paddings))
    plan = plan.edit("input", lambda t: dimensions(t, shape.tolist()))
    return plan.edit_all(lambda t: dimensions(t, (shape + paddings.sum(axis=1)).tolist()), plan.outputs)


def set_channel_multiplier(plan: Plan, value: Any) -> Plan | None:
    """Set the input channels so that each has this number of filters, or 1 channel if the filters do not divide."""
    weight = plan.one("weight")
    if weight is None or value < 1 or "depth_multiplier" not in option_fields(plan.opcode):
        return None
    channels = weight.shape[-1] // int(value)
    divides = channels > 0 and weight.shape[-1] % int(value) == 0
    depth = channels if divides else 1
    plan = plan.edit("input", lambda t: dimensions(t, (*t.shape[:-1], depth)))
    return option_stated(plan, weight.shape[-1] // depth, "depth_multiplier")

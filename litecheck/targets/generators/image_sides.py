"""Witnesses of measurements of planes: how many images, sides, depths joined or cut, in a plan."""

from __future__ import annotations

from typing import Any

import numpy as np

from litecheck.profile.measurements.register import dimensions, held, option_fields, option_stated, ranked
from litecheck.profile.plan import CHANNELS, Plan
from litecheck.targets.generators.axes import reduced_to
from litecheck.targets.generators.feature_maps import map_roles


def more_images(plan: Plan, value: Any) -> Plan | None:
    """So many images in the first feature map that goes in, and in the result."""
    role = next(map_roles(plan), None)
    if role is None or value < 1:
        return None
    roles = {role, *plan.outputs}
    return plan.edit_all(lambda t: dimensions(t, (int(value), *((1,) * 3 + t.shape)[-3:])), roles)


def map_ranked(plan: Plan, value: Any) -> Plan | None:
    """The first feature map that goes in with so many dimensions."""
    role = next(map_roles(plan), None)
    return None if role is None or value < 0 else plan.edit(role, lambda t: ranked(t, int(value)) or t)


def far_axis(plan: Plan, value: Any) -> Plan | None:
    """One axis, and a first feature map that has it, or one behind its last."""
    role = next(map_roles(plan), None)
    if role is None or not -8 <= value <= 0:
        return None
    rank = max(len(plan.operands[role][0].shape), -int(value))
    plan = plan.edit(role, lambda t: t if len(t.shape) == rank else ranked(t, rank) or t)
    axis = int(value) if value else rank
    return held(plan, "axis", [axis]) if "axis" in plan.inputs else option_stated(plan, axis, "axis")


def deep_parts(plan: Plan, value: Any) -> Plan | None:
    """What is joined, or split, that deep."""
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
        plan = held(plan, "size_splits", [depth] * count)
    return held(plan, "axis", 3)


def averaged(plan: Plan, value: Any) -> Plan | None:
    """A square image of that side reduced to a pixel; for 0 one that is not square."""
    if value < 0 or plan.one("axis") is None:
        return None
    height, width = (int(value), int(value)) if value else (2, 3)
    return reduced_to(plan, (1, height, width, CHANNELS), [1, 2])


def unevenly_sided(plan: Plan, value: Any) -> Plan | None:
    """An image with so many odd sides."""
    if value not in (0, 1, 2) or plan.one("input") is None:
        return None
    sides = (5 if value else 4, 5 if value > 1 else 4)
    return plan.edit("input", lambda t: dimensions(t, (1, *sides, CHANNELS)))


def outer_padded(plan: Plan, value: Any) -> Plan | None:
    """An image padded along its height, and so often along other dimensions."""
    if not 0 <= value <= 4 or plan.one("paddings") is None:
        return None
    margins = np.zeros((4, 2), np.int32)
    margins[1] = 1
    for at in range(int(value)):
        margins[(0, 3)[at // 2], at % 2] = 1
    shape = np.array((1, 2, 2, CHANNELS))
    plan = plan.edit("paddings", lambda t: t.holding(margins))
    plan = plan.edit("input", lambda t: dimensions(t, shape.tolist()))
    return plan.edit_all(lambda t: dimensions(t, (shape + margins.sum(axis=1)).tolist()), plan.outputs)


def multiplied(plan: Plan, value: Any) -> Plan | None:
    """An input with one channel for so many of the weights', or with one for all of them."""
    weight = plan.one("weight")
    if weight is None or value < 1 or "depth_multiplier" not in option_fields(plan.opcode):
        return None
    channels = weight.shape[-1] // int(value)
    many = channels > 0 and weight.shape[-1] % int(value) == 0
    depth = channels if many else 1
    plan = plan.edit("input", lambda t: dimensions(t, (*t.shape[:-1], depth)))
    return option_stated(plan, weight.shape[-1] // depth, "depth_multiplier")

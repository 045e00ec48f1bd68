"""Witnesses of measurements of feature maps: their types, scales, zero points and ranks in a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from litecheck.model.build import quantized
from litecheck.profile.measurements.register import Setter, dimensions, option_stated
from litecheck.profile.operators import facts_of
from litecheck.profile.plan import Blocks, Plan, TensorPlan
from litecheck.quantization import INTEGER_RANGES, Quantization

#: What an operand is that is streamed; the others steer, or are weights and biases.
STREAMED = ("data", "positive", "non-negative", "truth", "state", "passed")
Change = Callable[[TensorPlan], TensorPlan]


@cache
def parameters(kind: str) -> frozenset[str]:
    """The roles of an operator that are no feature maps."""
    return frozenset(role for role, what in facts_of(kind).inputs.items() if what not in STREAMED)


def map_roles(plan: Plan) -> Iterator[str]:
    """The roles of the feature maps that go in, of those that are there."""
    taken = parameters(plan.opcode)
    yield from (role for role in plan.inputs if role not in taken and plan.operands.get(role))


def ends(plan: Plan) -> tuple[str, str] | None:
    """The roles of the first feature map that goes in and of the first result."""
    first = next(map_roles(plan), None)
    result = next((role for role in plan.outputs if plan.operands.get(role)), None)
    return (first, result) if first and result else None


def typed(tensor: TensorPlan, dtype: str) -> TensorPlan:
    """The tensor with another type: a constant holds what of its values the type can, a zero point is one it allows."""
    low, high = INTEGER_RANGES.get(dtype, (-128, 127))
    if tensor.values is not None:
        tensor = tensor.holding(np.clip(tensor.values, low, high), dtype)
    tensor = tensor.but(dtype=dtype)
    narrow = dtype in ("int8", "uint8")
    return (
        tensor.zeroed(max(int(tensor.zero_point[0]), low) if narrow else 0) if tensor.scale.size else tensor
    )


def all_typed(plan: Plan, dtype: str) -> Plan:
    """The plan with all feature maps of one type."""
    return plan.edit_all(lambda t: typed(t, dtype), {*map_roles(plan), *plan.outputs})


def first_map(change: Change) -> Setter:
    """Sets a count to 1, or leaves it at 0, by a change of the first feature map that goes in."""

    def sets(plan: Plan, value: Any) -> Plan | None:
        role = next(map_roles(plan), None)
        if role is None or value not in (0, 1):
            return None
        return plan.edit(role, change) if value else plan

    return sets


def results(change: Change, fused: bool = False) -> Setter:
    """The same of the first result, where ``fused`` beside an activation that is fused into the operator."""

    def sets(plan: Plan, value: Any) -> Plan | None:
        if value not in (0, 1):
            return None
        changed = option_stated(plan, "RELU", "fused_activation_function") if fused and value else plan
        return changed.edit(plan.outputs[0], change) if changed and value else changed

    return sets


def per_axis(tensor: TensorPlan) -> TensorPlan:
    """Two scales."""
    return tensor.but(quantization=quantized([0.5, 0.25]))


def input_typed(plan: Plan, value: Any) -> Plan | None:
    """The first feature map and the result of a type."""
    found = ends(plan)
    return plan.edit_all(lambda t: typed(t, str(value)), found) if found else None


def types_apart(plan: Plan, value: Any) -> Plan | None:
    """The first feature map and the result of one type, or two."""
    found = ends(plan)
    if found is None or value not in (1, 2):
        return None
    own = plan.operands[found[0]][0].dtype
    other = own if value == 1 else "int16" if own == "int8" else "int8"
    return plan.edit(found[1], lambda t: typed(t, other))


def shortened(plan: Plan, value: Any) -> Plan | None:
    """An input of 16 bits, a result of 8."""
    found = ends(plan)
    if found is None or value not in (0, 1):
        return None
    own = plan.operands[found[0]][0].dtype
    if not value:
        return plan.edit(found[1], lambda t: typed(t, own))
    return plan.edit(found[0], lambda t: typed(t, "int16")).edit(found[1], lambda t: typed(t, "int8"))


def quotient(plan: Plan, value: Any) -> Plan | None:
    """Scales of input and result of which each is allowed, and the quotient is infinite."""
    found = ends(plan)
    if found is None or value not in (0, 1):
        return None
    return plan.scaled(found[0], 2.0**31).scaled(found[1], 2.0**-100) if value else plan


def rescaled(plan: Plan, value: Any) -> Plan | None:
    """The result with another scale than the first feature map, or with the same parameters as that."""
    found = ends(plan)
    if found is None or value not in (0, 1):
        return None
    own = plan.operands[found[0]][0].quantization
    plan = plan.edit(found[1], lambda t: t.but(quantization=own))
    return plan.edit(found[1], lambda t: t.scaled(t.scale * 2)) if value and own.scale.size else plan


def quantizations(plan: Plan, value: Any) -> Plan | None:
    """All feature maps with the parameters of the first, or the result with others."""
    found = ends(plan)
    if found is None or value not in (1, 2):
        return None
    own = plan.operands[found[0]][0].quantization
    plan = plan.edit_all(lambda t: t.but(quantization=own), {*map_roles(plan), *plan.outputs})
    return rescaled(plan, value - 1)


def offset(tensor: TensorPlan) -> TensorPlan:
    """A zero point that no 8 bits of its sign hold."""
    return tensor.scaled(
        tensor.scale if tensor.scale.size else [0.5], 200 if tensor.dtype.startswith("int") else 300
    )


def unscaled(plan: Plan, value: Any) -> Plan | None:
    """The first feature map int8 without a scale; or a scale for all that have none."""
    if value:
        return first_map(lambda t: t.but(quantization=Quantization(), dtype="int8", values=None))(plan, value)
    return plan.edit_all(
        lambda t: t if t.scale.size else t.scaled([0.5], 0), {*map_roles(plan), *plan.outputs}
    )


def constant(change: Change) -> Setter:
    """Sets a count to 1, or leaves it at 0, by a change of the last constant."""

    def sets(plan: Plan, value: Any) -> Plan | None:
        there = [r for r in plan.inputs for t in plan.operands.get(r, ())[:1] if t.values is not None]
        if not there or value not in (0, 1):
            return None
        return plan.edit(there[-1], change) if value else plan

    return sets


def emptied(tensor: TensorPlan) -> TensorPlan:
    """Nothing at all."""
    return tensor.holding(np.zeros((0, *tensor.shape[1:])))


def nibbles(tensor: TensorPlan) -> TensorPlan:
    """Constants of 4 bits."""
    assert tensor.values is not None
    return tensor.holding(np.clip(tensor.values, -7, 7), "int4")


def in_blocks(tensor: TensorPlan) -> TensorPlan:
    """Constants of 4 bits with scales in a tensor of their own."""
    rows = tensor.shape[0] if tensor.shape else 1
    return nibbles(tensor).but(blocks=Blocks(32, np.full((rows, 1), 0.5, np.float16)))


def ranks(plan: Plan, value: Any) -> Plan | None:
    """A row of pixels with so many dimensions, padded at its end."""
    rank = int(value)
    if rank < 1 or plan.one("paddings") is None:
        return None
    margins = np.zeros((rank, 2), np.int32)
    margins[-1, -1] = 1
    plan = plan.edit("paddings", lambda t: t.holding(margins))
    plan = plan.edit("input", lambda t: dimensions(t, (*[1] * (rank - 1), 4)))
    return plan.edit_all(lambda t: dimensions(t, (*[1] * (rank - 1), 5)), plan.outputs)


def spread(plan: Plan, value: Any) -> Plan | None:
    """A vector spread over an input with so many dimensions."""
    roles, rank = list(map_roles(plan)) + [r for r in plan.inputs if r == "alpha"], int(value)
    if rank < 2 or len(set(roles)) < 2:
        return None
    shape = (*[1] * (rank - 2), 2, 4)
    plan = plan.edit_all(lambda t: dimensions(t, shape), {roles[0], *plan.outputs})
    return plan.edit(roles[1], lambda t: dimensions(t, (4,)))

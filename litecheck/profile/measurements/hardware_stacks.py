"""Measurements of what PACK stacks and UNPACK takes apart, as accelerators lay an axis of 1 into each slice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import Measured, Operands, integer
from litecheck.profile.measurements.register import dimensions, measures
from litecheck.profile.plan import Plan


def _slices(operands: Operands) -> tuple[Sequence[Tensor], Sequence[Tensor]]:
    """The slices, and what they are stacked into or taken from."""
    stacked = operands.roles.get("values")
    return (
        (stacked, operands.roles.get("output", []))
        if stacked
        else (
            operands.roles.get("outputs", []),
            operands.roles.get("input", []),
        )
    )


def _two(plan: Plan, rank: int, axis: int) -> Plan | None:
    """Two slices of so many dimensions along an axis."""
    if rank < 0 or not {"values", "outputs"} & {*plan.inputs, *plan.outputs}:
        return None
    one, whole = ("values", "output") if "values" in plan.inputs else ("outputs", "input")
    plan = plan.with_role(one, [plan.operands[one][0]] * 2)
    plan = plan.edit(one, lambda t: dimensions(t, (2,) * rank)).edit(
        whole, lambda t: dimensions(t, (2,) * (rank + 1))
    )
    return plan.option(**{"values_count" if one == "values" else "num": 2, "axis": axis})


def _deep(plan: Plan, value: Any) -> Plan | None:
    return _two(plan, int(value) - 1, 0)


def _beyond(plan: Plan, value: Any) -> Plan | None:
    return _two(plan, 4, 6 if value else 0) if value in (0, 2) else None


@measures(_deep)
def sliced_rank(operands: Operands) -> Measured:
    """One more than the most dimensions of a slice that PACK stacks or UNPACK takes; None where there is one slice, and
    it is the whole but for the axis."""
    slices, whole = _slices(operands)
    axis = integer(operands, "axis")
    if len(slices) == len(whole) == 1 and axis is not None:
        place, shape = axis % (len(slices[0].shape) + 1), slices[0].shape
        if (*shape[:place], 1, *shape[place:]) == whole[0].shape:
            return None
    return max((len(t.shape) + 1 for t in slices), default=None)


@measures(_beyond)
def slices_beside(operands: Operands) -> Measured:
    """How many slices that PACK stacks, or UNPACK takes with four dimensions or more, have no place for the axis: it lies
    behind their last dimension, or behind that of the whole (of PACK's slices with five or more), or in front of the
    first of 1, 2 or 5 dimensions of a slice for PACK."""
    slices, whole = _slices(operands)
    axis = integer(operands, "axis")
    if axis is None or not whole:
        return None
    most = len(whole[0].shape)
    if not operands.roles.get("values"):
        place = axis if axis >= 0 else axis + most
        ranks = [len(t.shape) for t in slices]
        return sum(place > rank > 3 or (rank > 4 and place >= most) for rank in ranks)
    return sum(not _places(len(t.shape), axis, most) for t in slices)


def _places(rank: int, axis: int, most: int) -> bool:
    if axis >= 0:
        return axis <= rank and (rank < 5 or axis < most)
    return axis >= -rank - 1 or rank not in (1, 2, 5)

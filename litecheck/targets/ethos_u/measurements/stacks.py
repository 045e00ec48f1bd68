"""Measurements of what PACK stacks and UNPACK takes apart, as accelerators lay an axis of 1 into each slice."""

from __future__ import annotations

from typing import Any

from litecheck.profile.measurements.register import dimensions
from litecheck.profile.plan import Plan


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


def _places(rank: int, axis: int, most: int) -> bool:
    if axis >= 0:
        return axis <= rank and (rank < 5 or axis < most)
    return axis >= -rank - 1 or rank not in (1, 2, 5)

"""Measurements of kernels that shift instead of multiplying, if all scales are powers of two."""

from __future__ import annotations

from math import prod

from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.register import dimensions, measures
from litecheck.profile.measurements.scales import power_of_two_gap
from litecheck.profile.operator_plan import SHAPE, Plan

_INPUTS = ("lhs", "rhs")


def _broadcast(plan: Plan, value: int) -> Plan | None:
    for role, scale in zip((*_INPUTS, "output"), (0.25, 0.125, 0.25), strict=True):
        shape = (1, *SHAPE[1:]) if role in _INPUTS[2 - value :] else SHAPE
        plan = plan.edit(role, lambda t, s=shape: dimensions(t, s)).with_scale(role, scale)  # type: ignore[misc]
    return plan if 0 <= value < 2 else None


@measures(_broadcast)
def shifted_broadcasts(operands: Operands) -> Measured:
    """Number of inputs that broadcast, if all scales are near powers of two and ``pot_scale_int16`` is set or
    absent. Example: inputs (1, 4) and (4, 4) with scales 2^-2 and 2^-3 give 1."""
    sizes = [prod(t.shape) for role in _INPUTS if (t := operands.one(role)) is not None]
    return None if power_of_two_gap(operands) is None else sum(size != max(sizes) for size in sizes)

"""Measurements of axes that an accelerator's compiler reduces along, and of those that it reads wrongly."""

from __future__ import annotations

from math import prod
from typing import Any

from litecheck.profile.measurements.bound import Measured, Operands, short_constant
from litecheck.profile.measurements.register import measures
from litecheck.profile.plan import Plan
from litecheck.targets.generators.axes import outer, reduced_to

#: How many dimensions a shape has room for.
_PLACES = 8
#: Types of axes that are read as wider ones.
_NARROW = ("int8", "int16")


def _summed(plan: Plan, value: Any) -> Plan | None:
    return reduced_to(plan, (1, 1, int(value), 2), [2]) if value >= 1 else None


@measures(outer)
def batch_dim_checked(operands: Operands) -> Measured:
    """The dimension of the input in front of the last three, 1 where there is none."""
    source = operands.one("input")
    return None if source is None else 1 if len(source.shape) < 4 else source.shape[-4]


def _hidden(plan: Plan, value: Any) -> Plan | None:
    return reduced_to(plan, (1, int(value), 1, 2, 3, 4), [3]) if value >= 1 else None


@measures(_summed)
def reduce_transposed_extent(operands: Operands) -> Measured:
    """What the axis that is summed first makes a permutation count up to that moves it to the end: its length, the product
    of the dimensions in front of it, or of those behind; None where it is the last."""
    source, axes = operands.one("input"), short_constant(operands, "axis")
    if source is None or axes is None or not source.shape:
        return None
    shape, rank = source.shape, len(source.shape)
    first = next((a % rank for a in axes if -rank <= a < rank), rank - 1)
    if first == rank - 1:
        return None
    return max(prod(shape[:first]), shape[first], prod(shape[first + 1 :]))

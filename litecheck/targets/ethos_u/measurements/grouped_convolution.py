"""Measurements of what accelerators spread: inputs over each other, slopes over channels, filters over groups; and types."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from litecheck.model.types import Tensor
from litecheck.model.values import stored_integers
from litecheck.profile.measurements.bound import (
    Measured,
    Operands,
    integer,
)
from litecheck.profile.measurements.register import Setter, dimensions, measures, option_stated
from litecheck.profile.plan import Plan, TensorPlan
from litecheck.targets.measurements.feature_maps import ends_of, maps_of

#: How many dimensions an operand may lack before it is reshaped to those of the other.
_NEAR = 3


def _spread(operands: Operands) -> tuple[list[Tensor], Tensor] | None:
    """What goes in with more than one element, where not all of it has one shape, and the result; None of one
    constant slope."""
    tensors, found, slope = list(maps_of(operands)), ends_of(operands), operands.one("alpha")
    if slope is not None and _one_slope(slope) is not None:
        return None
    inputs = [t for t in tensors if t.index not in operands.operator.outputs and prod(t.shape) > 1]
    return (inputs, found[1]) if found and len({t.shape for t in inputs}) > 1 else None


def _one_slope(slope: Tensor) -> Fraction | None:
    """The one real number that constant slopes hold."""
    values = None if slope.data is None or not slope.size else stored_integers(slope)
    if values is None or not bool((values == values.flat[0]).all()):
        return None
    points, scales = slope.quantization.zero_point, slope.quantization.scale
    scale = Fraction(float(scales[0])) if scales.size and np.isfinite(scales[0]) else Fraction(1)
    return (int(values.flat[0]) - (int(points[0]) if points.size else 0)) * scale


def _slope(change: Callable[[TensorPlan], TensorPlan]) -> Setter:
    def sets(plan: Plan, value: Any) -> Plan | None:
        if plan.one("alpha") is None or value not in (0, 1):
            return None
        return (
            plan.edit("alpha", lambda t: change(t.holding([7], t.dtype).but(shape=(1,)))) if value else plan
        )

    return sets


def _grouped(plan: Plan, value: Any) -> Plan | None:
    """An input with so many channels more than the filters have."""
    weight = plan.one("weight")
    if weight is None or not weight.shape or value < 0:
        return None
    depth = weight.shape[-1] + int(value)
    return plan.edit("input", lambda t: dimensions(t, (*t.shape[:-1], depth)) if t.shape else t)


def _strided_groups(plan: Plan, value: Any) -> Plan | None:
    """Two groups, and a window with these strides that has two places along each side."""
    weight, source, step = plan.one("weight"), plan.one("input"), int(value)
    stated = option_stated(plan, "VALID", "padding")
    stated = stated and option_stated(stated, step, "stride_w", "stride_h")
    stated = stated and option_stated(stated, 1, "dilation_w_factor", "dilation_h_factor")
    if stated is None or weight is None or source is None or len(weight.shape) != 4 or step < 1:
        return None
    shape = (source.shape[0], *(k + step for k in weight.shape[1:3]), 2 * weight.shape[-1])
    stated = stated.edit("input", lambda t: dimensions(t, shape))
    return stated.edit_all(lambda t: dimensions(t, (shape[0], 2, 2, t.shape[-1])), plan.outputs)


@measures(_strided_groups)
def grouped_stride(operands: Operands) -> Measured:
    """The longer stride of a convolution in groups along the sides of its result that are longer than 1; None elsewhere."""
    source, weight, found = operands.one("input"), operands.one("weight"), ends_of(operands)
    if source is None or weight is None or found is None or not source.shape or not weight.shape:
        return None
    if weight.shape[-1] == source.shape[-1] or weight.data is None:
        return None
    steps = (integer(operands, "stride_h") or 1, integer(operands, "stride_w") or 1)
    sides = (1, 1, 1, *found[1].shape)[-3:-1]
    return max(s if side > 1 else 1 for s, side in zip(steps, sides, strict=True))


def _listed(plan: Plan, value: Any) -> Plan | None:
    if not 0 <= value <= len(plan.inputs):
        return None
    return plan.without(*plan.inputs[int(value) :]).but(lists_absent=value == len(plan.inputs))

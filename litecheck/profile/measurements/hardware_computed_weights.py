"""Measurements of weights that an operator computes, which an accelerator's compiler cannot encode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from litecheck.model.build import quantized
from litecheck.profile.measurements.bound import Measured, Operands
from litecheck.profile.measurements.hardware_weights import BYTES
from litecheck.profile.measurements.hardware_windows import dilations_of
from litecheck.profile.measurements.register import Setter, dimensions, measures, option_stated
from litecheck.profile.plan import Plan, TensorPlan


def _gaps(plan: Plan, value: Any) -> Plan | None:
    """Computed weights of a window with these gaps."""
    weight = plan.one("weight")
    stated = option_stated(plan, value, "dilation_w_factor", "dilation_h_factor")
    if stated is None or weight is None or value < 1:
        return None
    return stated.edit("weight", lambda t: t.but(values=None))


@measures(_gaps)
def computed_dilation(operands: Operands) -> Measured:
    """The larger dilation of a window whose weights are computed; None where they are constant."""
    weight = operands.one("weight")
    if weight is None or weight.data is not None:
        return None
    return max(dilations_of(operands))


def _computed_groups(plan: Plan, value: Any) -> Plan | None:
    weight = plan.one("weight")
    if weight is None or len(weight.shape) != 4 or value < 1:
        return None
    depth = weight.shape[-1] * int(value)
    plan = plan.edit("weight", lambda t: dimensions(t.but(values=None), (int(value), *t.shape[1:])))
    plan = plan.edit("input", lambda t: dimensions(t, (*t.shape[:-1], depth)))
    plan = plan.edit_all(lambda t: dimensions(t, (*t.shape[:-1], int(value))), plan.outputs)
    return plan.edit("bias", lambda t: dimensions(t, (int(value),)))


@measures(_computed_groups)
def computed_groups(operands: Operands) -> Measured:
    """How often the channels of computed weights go into those of the input; None where weights are constant."""
    source, weight = operands.one("input"), operands.one("weight")
    if source is None or weight is None or weight.data is not None or not source.shape or not weight.shape:
        return None
    return source.shape[-1] // (weight.shape[-1] or 1)


def _pointed(dtype: str) -> Setter:
    """Computed weights with this zero point."""

    def sets(plan: Plan, value: Any) -> Plan | None:
        weight = plan.one("weight")
        if weight is None or not weight.scale.size:
            return None
        made = TensorPlan(dtype, weight.shape, quantized(float(weight.scale[0]), int(value)))
        return plan.with_role("weight", [made])

    return sets


def _computed(operands: Operands) -> Iterator[tuple[str, int]]:
    for t in operands.of("weight"):
        points = t.quantization.zero_point
        if t.data is None and t.dtype in BYTES and points.size:
            yield t.dtype, int(points[0])


@measures(_pointed("int8"))
def computed_zero_point(operands: Operands) -> Measured:
    """The zero point of computed weights, less 128 where they are uint8."""
    return next((point - 128 * (dtype == "uint8") for dtype, point in _computed(operands)), None)


@measures(_pointed("int8"))
def window_zero_point(operands: Operands) -> Measured:
    """As ``computed_zero_point``; None where the weights are int8 and the input is of another type."""
    source = operands.one("input")
    other = source is not None and source.dtype != "int8"
    if other and any(dtype == "int8" for dtype, _ in _computed(operands)):
        return None
    return computed_zero_point(operands)


@measures(lambda plan, value: _pointed("uint8")(plan, 3) if value else plan)
def unsigned_computed_weights(operands: Operands) -> Measured:
    """How many computed weights are uint8 and the input is not."""
    source = operands.one("input")
    if source is None or source.dtype == "uint8":
        return 0
    return sum(t.dtype == "uint8" and t.data is None for t in operands.of("weight"))


@measures(lambda plan, value: _pointed("uint8")(plan, -value))
def negative_zero_point(operands: Operands) -> Measured:
    """How far below 0 the zero point of computed weights is that are uint8."""
    return next((max(-point, 0) for dtype, point in _computed(operands) if dtype == "uint8"), 0)

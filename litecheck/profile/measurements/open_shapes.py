"""Measurements of dimensions that are open until the model runs, and of results whose shape a compiler's reader works out
where they are not."""

from __future__ import annotations

from typing import Any

from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import (
    Measured,
    Operands,
    everything,
    indexed_shape,
    integer,
    short_constant,
)
from litecheck.profile.measurements.register import measures
from litecheck.profile.measurements.set_axes import joined, padded
from litecheck.profile.plan import Plan, TensorPlan


def is_open(tensor: Tensor) -> bool:
    """Whether the signature leaves a dimension other than the first open."""
    signature = tensor.shape_signature
    return signature is not None and tensor.data is None and min(signature[1:], default=0) < 0


def _opened(plan: Plan, value: Any) -> Plan | None:
    """A result whose last dimension is open."""

    def opened(t: TensorPlan) -> TensorPlan:
        shape = t.shape if len(t.shape) > 1 else (1, *t.shape, 1)[:2]
        return t.but(shape=shape, signature=(*shape[:-1], -1))

    return None if value not in (0, 1) else plan.edit(plan.outputs[0], opened) if value else plan


@measures(_opened)
def open_dimensions(operands: Operands) -> Measured:
    """How many operands that are computed have a dimension, other than the first, that is open until the model runs."""
    stated = [t for t in everything(operands) if t.shape_signature]
    return sum(map(is_open, stated)) if stated else 0


@measures(joined)
def joined_gap(operands: Operands) -> Measured:
    """How many dimensions of CONCATENATION's result are not those of all values, or their sum along the axis, unless that
    one is open."""
    values, result = operands.roles.get("values", ()), operands.one("output")
    axis = integer(operands, "axis")
    if not values or result is None or axis is None:
        return None
    rank = len(result.shape)
    if any(len(v.shape) != rank for v in values) or not -rank <= axis < rank:
        return 1
    others = [n for n in range(rank) if n != axis % rank]
    apart = sum(any(v.shape[n] != result.shape[n] for v in values) for n in others)
    signature = result.shape_signature or result.shape
    return apart + (signature[axis] >= 0 and sum(v.shape[axis] for v in values) != result.shape[axis])


@measures(padded)
def padded_gap(operands: Operands) -> Measured:
    """How many dimensions of the result are not those of the input and its constant paddings, where no dimension of the
    result but the first is open."""
    shape, margins, result = (
        indexed_shape(operands),
        short_constant(operands, "paddings"),
        operands.one("output"),
    )
    if shape is None or margins is None or result is None:
        return None
    if is_open(result):
        return 0
    shape = shape or (1,)
    if len(margins) < 2 * len(shape):
        return 1
    wanted = [d + a + b for d, a, b in zip(shape, margins[::2], margins[1::2], strict=False)]
    apart = sum(a != b for a, b in zip(wanted, result.shape, strict=False))
    return apart + max(len(wanted) - len(result.shape), 0)


def _computed(plan: Plan, value: Any) -> Plan | None:
    return plan.edit("paddings", lambda t: t.but(values=None)) if value == 1 else plan if value == 0 else None


@measures(_computed)
def computed_paddings(operands: Operands) -> Measured:
    """1 where paddings are computed and no dimension of the result but the first is open, else 0."""
    paddings, result = operands.one("paddings"), operands.one("output")
    if paddings is None or result is None:
        return None
    return int(paddings.data is None and not is_open(result))

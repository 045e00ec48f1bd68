"""Measurements of dimensions that are open until the model runs, and of results whose shape a compiler's reader works out
where they are not."""

from __future__ import annotations

from typing import Any

from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import (
    Measured,
    Operands,
    everything,
)
from litecheck.profile.measurements.register import measures
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
def dynamic_dimensions(operands: Operands) -> Measured:
    """How many operands that are computed have a dimension, other than the first, that is open until the model runs."""
    stated = [t for t in everything(operands) if t.shape_signature]
    return sum(map(is_open, stated)) if stated else 0


def _computed(plan: Plan, value: Any) -> Plan | None:
    return plan.edit("paddings", lambda t: t.but(values=None)) if value == 1 else plan if value == 0 else None


@measures(_computed)
def computed_paddings(operands: Operands) -> Measured:
    """1 where paddings are computed and no dimension of the result but the first is open, else 0."""
    paddings, result = operands.one("paddings"), operands.one("output")
    if paddings is None or result is None:
        return None
    return int(paddings.data is None and not is_open(result))

"""Measurements of weights that an operator computes, which an accelerator's compiler cannot encode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from litecheck.model.build import quantized
from litecheck.profile.measurements.bound import Operands
from litecheck.profile.measurements.register import Setter
from litecheck.profile.plan import Plan, TensorPlan
from litecheck.targets.ethos_u.measurements.weights import BYTES


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

"""Measurements of weights, biases, states and other parameters as an accelerator's compiler packs them."""

from __future__ import annotations

from typing import Any

from litecheck.model.build import quantized
from litecheck.profile.measurements.bound import Measured, Operands, everything, short_constant
from litecheck.profile.measurements.register import Setter, held, measures
from litecheck.profile.operators import facts_of
from litecheck.profile.plan import Plan
from litecheck.targets.generators.feature_maps import (
    constant,
    nibbles,
)


def _one(kind: str, **change: Any) -> Setter:
    """Sets the count to 1, or 0, by a change of the first weight or state there is."""

    def sets(plan: Plan, value: Any) -> Plan | None:
        facts = facts_of(plan.opcode).inputs
        role = next((r for r in plan.inputs if facts.get(r) == kind and plan.operands.get(r)), None)
        if role is None or value not in (0, 1):
            return None
        return plan.edit(role, lambda t: t.but(**change)) if value else plan

    return sets


@measures(_one("weight", quantization=quantized([0.5, 0.25])))
def per_axis_weights(operands: Operands) -> Measured:
    """How many weights state more than one scale."""
    return sum(t.quantization.scale.size > 1 for t in operands.of("weight"))


@measures(constant(nibbles))
def int4_constants(operands: Operands) -> Measured:
    """How many constants are int4."""
    return sum(t.dtype == "int4" and t.data is not None for t in everything(operands))


def _inferring(plan: Plan, value: Any) -> Plan | None:
    """So many sizes left to be worked out."""
    sizes = plan.one("size_splits")
    if sizes is None or sizes.shape[:1] < (value,) or value < 0:
        return None
    known = [1] * (sizes.shape[0] - int(value))
    return held(plan, "size_splits", [-1] * int(value) + known)


@measures(_inferring)
def inferred_sizes(operands: Operands) -> Measured:
    """How many sizes of parts are -1: to be worked out."""
    return (short_constant(operands, "size_splits") or []).count(-1)

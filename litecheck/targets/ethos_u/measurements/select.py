"""Measurements of types and scales that an accelerator's compiler does not compute with each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import Measured, Operands
from litecheck.profile.measurements.register import measures
from litecheck.profile.plan import Plan
from litecheck.quantization import Quantization
from litecheck.targets.generators.feature_maps import all_typed, map_roles, typed
from litecheck.targets.measurements.feature_maps import maps_of


def _inputs(operands: Operands) -> list[Tensor]:
    return [t for t in maps_of(operands) if t.index not in operands.operator.outputs]


def _unscaled(tensors: Sequence[Tensor]) -> int:
    return sum(not t.quantization.scale.size for t in tensors)


def _bare(plan: Plan, value: Any) -> Plan | None:
    roles = [*map_roles(plan), *plan.outputs]
    if not 0 <= value <= 1:
        return None
    plan = all_typed(plan, "int32").edit_all(lambda t: t.scaled([0.5], 0), roles)
    return plan.edit(roles[0], lambda t: t.but(quantization=Quantization())) if value else plan


def _chosen(plan: Plan, value: Any) -> Plan | None:
    if value not in (0, 1) or plan.one("on_false") is None:
        return None
    return plan.edit("on_true", lambda t: typed(t.but(values=None), "int16" if value else "int8"))


@measures(_chosen)
def select_dtype_mismatch(operands: Operands) -> Measured:
    """1 where what is chosen from has two types, or the result another, or the condition another and is not int8 beside
    a signed one, else 0; truth values are taken for int8, and a result of 8 bits may have either sign."""
    roles = ("condition", "on_true", "on_false", "output")
    tensors = [operands.one(role) for role in roles]
    condition, one, other, result = ("int8" if t and t.dtype == "bool" else t and t.dtype for t in tensors)
    if one is None or other is None:
        return 0
    narrow = {one, result} <= {"int8", "uint8"}
    asked = condition == one or (condition == "int8" and one != "uint8")
    return int(one != other or not (one == result or narrow) or not asked)

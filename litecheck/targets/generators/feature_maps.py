"""Generators for measurements of feature maps: dtypes, scales and zero points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from litecheck.model.build import qparams
from litecheck.profile.measurements.register import Setter
from litecheck.profile.operator_plan import Blocks, Plan, TensorPlan
from litecheck.profile.operators import traits_of
from litecheck.quantization import INTEGER_RANGES, Quantization

#: Domains of roles that are feature maps. The remaining roles are parameters, weights and biases.
_FEATURE_MAPS = ("data", "positive", "non-negative", "predicate", "state", "forwarded")
Change = Callable[[TensorPlan], TensorPlan]


@cache
def parameter_roles(kind: str) -> frozenset[str]:
    """Return the input roles of an operator that are not feature maps."""
    return frozenset(role for role, domain in traits_of(kind).inputs.items() if domain not in _FEATURE_MAPS)


def feature_map_roles(plan: Plan) -> Iterator[str]:
    """Yield the roles of the feature maps among the inputs that are present."""
    excluded = parameter_roles(plan.opcode)
    yield from (role for role in plan.inputs if role not in excluded and plan.operands.get(role))


def io_roles(plan: Plan) -> tuple[str, str] | None:
    """Return the roles of the first feature map among the inputs and of the first output."""
    first = next(feature_map_roles(plan), None)
    result = next((role for role in plan.outputs if plan.operands.get(role)), None)
    return (first, result) if first and result else None


def with_dtype(tensor: TensorPlan, dtype: str) -> TensorPlan:
    """Change the dtype. Values of a constant are clipped, and the zero point becomes a value that the dtype allows."""
    low, high = INTEGER_RANGES.get(dtype, (-128, 127))
    if tensor.values is not None:
        tensor = tensor.holding(np.clip(tensor.values, low, high), dtype)
    tensor = tensor.but(dtype=dtype)
    is_8bit = dtype in ("int8", "uint8")
    return (
        tensor.with_zero_point(max(int(tensor.zero_point[0]), low) if is_8bit else 0)
        if tensor.scale.size
        else tensor
    )


def with_io_dtype(plan: Plan, dtype: str) -> Plan:
    """Change the dtype of all feature maps."""
    return plan.edit_all(lambda t: with_dtype(t, dtype), {*feature_map_roles(plan), *plan.outputs})


def change_first_input(change: Change) -> Setter:
    """Return a setter of a count of 0 or 1 that changes the first feature map among the inputs."""

    def sets(plan: Plan, value: Any) -> Plan | None:
        role = next(feature_map_roles(plan), None)
        if role is None or value not in (0, 1):
            return None
        return plan.edit(role, change) if value else plan

    return sets


def change_first_output(change: Change) -> Setter:
    """Return a setter of a count of 0 or 1 that changes the first output."""

    def sets(plan: Plan, value: Any) -> Plan | None:
        if value not in (0, 1):
            return None
        return plan.edit(plan.outputs[0], change) if value else plan

    return sets


def with_two_scales(tensor: TensorPlan) -> TensorPlan:
    """Set two scales, 0.5 and 0.25."""
    return tensor.but(quantization=qparams([0.5, 0.25]))


def set_io_dtype(plan: Plan, value: Any) -> Plan | None:
    """Set the dtype of the first input and the output."""
    found = io_roles(plan)
    return plan.edit_all(lambda t: with_dtype(t, str(value)), found) if found else None


def set_io_dtype_count(plan: Plan, value: Any) -> Plan | None:
    """Give the first input and the output equal dtypes (1) or different dtypes (2)."""
    found = io_roles(plan)
    if found is None or value not in (1, 2):
        return None
    own = plan.operands[found[0]][0].dtype
    other = own if value == 1 else "int16" if own == "int8" else "int8"
    return plan.edit(found[1], lambda t: with_dtype(t, other))


def set_narrowing_dtype(plan: Plan, value: Any) -> Plan | None:
    """Make the input int16 and the output int8 (1), or the dtypes equal (0)."""
    found = io_roles(plan)
    if found is None or value not in (0, 1):
        return None
    own = plan.operands[found[0]][0].dtype
    if not value:
        return plan.edit(found[1], lambda t: with_dtype(t, own))
    return plan.edit(found[0], lambda t: with_dtype(t, "int16")).edit(
        found[1], lambda t: with_dtype(t, "int8")
    )


def set_io_scale_mismatch(plan: Plan, value: Any) -> Plan | None:
    """Give the output twice the scale of the first input (1), or the same quantization (0)."""
    found = io_roles(plan)
    if found is None or value not in (0, 1):
        return None
    own = plan.operands[found[0]][0].quantization
    plan = plan.edit(found[1], lambda t: t.but(quantization=own))
    return plan.edit(found[1], lambda t: t.with_scale(t.scale * 2)) if value and own.scale.size else plan


def set_quantization_count(plan: Plan, value: Any) -> Plan | None:
    """Give all feature maps the quantization of the first (1), or the output a different scale (2)."""
    found = io_roles(plan)
    if found is None or value not in (1, 2):
        return None
    own = plan.operands[found[0]][0].quantization
    plan = plan.edit_all(lambda t: t.but(quantization=own), {*feature_map_roles(plan), *plan.outputs})
    return set_io_scale_mismatch(plan, value - 1)


def with_zero_point_beyond_8bit(tensor: TensorPlan) -> TensorPlan:
    """Set a zero point outside the range of int8 (200) or uint8 (300)."""
    return tensor.with_scale(
        tensor.scale if tensor.scale.size else [0.5], 200 if tensor.dtype.startswith("int") else 300
    )


def set_unquantized_inputs(plan: Plan, value: Any) -> Plan | None:
    """Make the first input int8 without a scale (1), or give all feature maps a scale (0)."""
    if value:
        return change_first_input(lambda t: t.but(quantization=Quantization(), dtype="int8", values=None))(
            plan, value
        )
    return plan.edit_all(
        lambda t: t if t.scale.size else t.with_scale([0.5], 0), {*feature_map_roles(plan), *plan.outputs}
    )


def change_last_constant(change: Change) -> Setter:
    """Return a setter of a count of 0 or 1 that changes the last constant."""

    def sets(plan: Plan, value: Any) -> Plan | None:
        constants = [r for r in plan.inputs for t in plan.operands.get(r, ())[:1] if t.values is not None]
        if not constants or value not in (0, 1):
            return None
        return plan.edit(constants[-1], change) if value else plan

    return sets


def with_int4(tensor: TensorPlan) -> TensorPlan:
    """Make a constant int4."""
    assert tensor.values is not None
    return tensor.holding(np.clip(tensor.values, -7, 7), "int4")


def with_blockwise_int4(tensor: TensorPlan) -> TensorPlan:
    """Make a constant int4 with blockwise quantization."""
    rows = tensor.shape[0] if tensor.shape else 1
    return with_int4(tensor).but(blocks=Blocks(32, np.full((rows, 1), 0.5, np.float16)))

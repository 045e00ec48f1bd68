"""Measurements of hybrid operators: integer weights under activations that the kernel quantizes on the fly."""

from __future__ import annotations

from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.register import measures
from litecheck.profile.operator_plan import CHANNELS, Plan
from litecheck.quantization import INTEGER_RANGES

_FLOATS = ("float32", "float16", "bfloat16", "float64")


def _weight_roles(plan: Plan) -> list[str]:
    """Return the roles of weights."""
    return [role for role in plan.operands if "weight" in role] or ["rhs"]


def _set_computed(plan: Plan, value: int) -> Plan | None:
    scales = [0.25 + min(n, value - 1) / 4 for n in range(CHANNELS)]
    return (
        plan.edit_all(lambda t: t.but(values=None).with_scale(scales), _weight_roles(plan))
        if value > 0
        else None
    )


def _scale_count(scales: int) -> int:
    """Return the number of scales of a tensor: this number if below 2, else a scale for each channel."""
    return scales if scales < 2 else CHANNELS


def _set_asymmetric(plan: Plan, value: int) -> Plan | None:
    plan = plan.edit_all(lambda t: t.but(values=None), _weight_roles(plan))
    return plan.option(asymmetric_quantize_inputs=bool(value))


def _set_unsigned(plan: Plan, value: int) -> Plan | None:
    scales = [0.25] * _scale_count(value)
    return plan.edit_all(lambda t: t.but(dtype="uint8", values=None).with_scale(scales), _weight_roles(plan))


def _set_groups(plan: Plan, value: int) -> Plan | None:
    """Set this number of groups of the weights' depth, with a single scale."""
    weight = plan.one("weight")
    if weight is None or not weight.scale.size or value < 1 or weight.shape[0] % value:
        return None
    plan = plan.edit("weight", lambda t: t.with_scale(t.scale[:1]))
    return plan.edit("input", lambda t: t.but(shape=(*t.shape[:-1], weight.shape[-1] * value)))


def _set_axis(plan: Plan, value: int) -> Plan | None:
    """Set the scales along the columns, or along the dimension ``value`` dimensions before them."""
    rhs = plan.one("rhs") if 0 <= value < CHANNELS else None
    return (
        plan.edit("rhs", lambda t: t.with_axis(len(t.shape) - 1 - value)).option(adj_y=False) if rhs else None
    )


def _set_types(plan: Plan, value: int) -> Plan | None:
    roles = [role for role in _weight_roles(plan) if plan.one(role)]
    first = plan.one(roles[0]) if roles else None
    if first is None or not 0 < value <= 2:
        return None
    plan = plan.edit_all(lambda t: t.but(dtype=first.dtype), roles)
    return plan.edit(roles[1], lambda t: t.but(dtype="uint8", values=None)) if value == 2 else plan


@measures(_set_computed)
def computed_weight_scales(operands: Operands) -> Measured:
    """Number of different scales of computed weights; 0 for constant weights. Example: scales (0.5, 0.25,
    0.5) give 2."""
    computed = [t for t in _weights(operands) if not t.is_constant]
    return len({float(s) for t in computed for s in t.quantization.scale})


@measures(_set_asymmetric)
def computed_weight_sums(operands: Operands) -> Measured:
    """Number of computed weights of an operator with ``asymmetric_quantize_inputs``, else 0. Example: a
    single computed weight tensor gives 1.

    Kernels compute the row sums of the weights once and reuse them.
    """
    if not operands.option("asymmetric_quantize_inputs"):
        return 0
    return sum(not t.is_constant for t in _weights(operands))


@measures(_set_groups)
def groups_of_one_scale(operands: Operands) -> Measured:
    """Number of groups of a convolution with per-tensor weights; None for per-axis weights. Example: 8 input
    channels and filters of depth 2 give 4."""
    given, weight = operands.one("input"), operands.one("weight")
    if given is None or weight is None or weight.quantization.scale.size != 1:
        return None
    channels, depth = (t.shape[-1] if t.shape else 0 for t in (given, weight))
    return channels // depth if depth else None


@measures(_set_unsigned)
def unsigned_weight_scales(operands: Operands) -> Measured:
    """Number of scales of uint8 weights; None without uint8 weights. Example: uint8 weights with a scale for
    each of 8 channels give 8."""
    return max((t.quantization.scale.size for t in _weights(operands) if t.dtype == "uint8"), default=None)


@measures(_set_axis)
def column_axis_gap(operands: Operands) -> Measured:
    """Number of dimensions between the axis of the rhs scales and the columns of the product. Example: rhs
    (2, 3, 4) with scales along dimension 1 gives 1.

    Columns are the last dimension, with ``adj_y`` the second to last; None for a single scale.
    """
    rhs = operands.one("rhs")
    if rhs is None or rhs.quantization.scale.size < 2:
        return None
    return abs(len(rhs.shape) - (2 if operands.option("adj_y") else 1) - rhs.quantization.axis)


@measures(
    lambda plan, value: plan.edit(
        "input", lambda t: t.but(dtype="float16", values=None).with_scale([0.5] * _scale_count(value))
    )
)
def float_scales(operands: Operands) -> Measured:
    """Number of scales of a float input. Example: a float16 constant with a scale for each of 8 channels
    gives 8."""
    given = operands.one("input")
    return given.quantization.scale.size if given is not None and given.dtype in _FLOATS else None


@measures(_set_types, beside_faults=True)
def weight_types(operands: Operands) -> Measured:
    """Number of different dtypes of the weights; recurrent kernels require a single dtype. Example: int8 and
    uint8 weights give 2."""
    return len({t.dtype for t in _weights(operands)})


def _weights(operands: Operands) -> list[Tensor]:
    """Return integer operands in roles of weights, or the right-hand side if no role is of weights."""
    roles = [role for role in operands.roles if "weight" in role] or ["rhs"]
    return [t for role in roles for t in operands.roles.get(role, ()) if t.dtype in INTEGER_RANGES]

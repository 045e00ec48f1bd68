"""Measurements of hybrid operators: integer weights under activations that the kernel quantizes on the fly."""

from __future__ import annotations

from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import Measured, Operands
from litecheck.profile.measurements.register import measures
from litecheck.profile.plan import CHANNELS, Plan
from litecheck.quantization import INTEGER_RANGES

_FLOATS = ("float32", "float16", "bfloat16", "float64")


def _weighted(plan: Plan) -> list[str]:
    """The roles of weights."""
    return [role for role in plan.operands if "weight" in role] or ["rhs"]


def _computed(plan: Plan, value: int) -> Plan | None:
    scales = [0.25 + min(n, value - 1) / 4 for n in range(CHANNELS)]
    return plan.edit_all(lambda t: t.but(values=None).scaled(scales), _weighted(plan)) if value > 0 else None


def _one_or_all(scales: int) -> int:
    """How many scales a tensor can have that has more than so many."""
    return scales if scales < 2 else CHANNELS


def _summed(plan: Plan, value: int) -> Plan | None:
    plan = plan.edit_all(lambda t: t.but(values=None), _weighted(plan))
    return plan.option(asymmetric_quantize_inputs=bool(value))


def _unsigned(plan: Plan, value: int) -> Plan | None:
    scales = [0.25] * _one_or_all(value)
    return plan.edit_all(lambda t: t.but(dtype="uint8", values=None).scaled(scales), _weighted(plan))


def _grouped(plan: Plan, value: int) -> Plan | None:
    """So many groups of the weights' depth, under one scale."""
    weight = plan.one("weight")
    if weight is None or not weight.scale.size or value < 1 or weight.shape[0] % value:
        return None
    plan = plan.edit("weight", lambda t: t.scaled(t.scale[:1]))
    return plan.edit("input", lambda t: t.but(shape=(*t.shape[:-1], weight.shape[-1] * value)))


def _along(plan: Plan, value: int) -> Plan | None:
    """Scales along the columns, or so many dimensions before them."""
    rhs = plan.one("rhs") if 0 <= value < CHANNELS else None
    return plan.edit("rhs", lambda t: t.along(len(t.shape) - 1 - value)).option(adj_y=False) if rhs else None


def _of_types(plan: Plan, value: int) -> Plan | None:
    roles = [role for role in _weighted(plan) if plan.one(role)]
    first = plan.one(roles[0]) if roles else None
    if first is None or not 0 < value <= 2:
        return None
    plan = plan.edit_all(lambda t: t.but(dtype=first.dtype), roles)
    return plan.edit(roles[1], lambda t: t.but(dtype="uint8", values=None)) if value == 2 else plan


@measures(_computed)
def computed_weight_scales(operands: Operands) -> Measured:
    """How many different scales weights have that are computed at run time; 0 for constant weights."""
    computed = [t for t in _weights(operands) if not t.is_constant]
    return len({float(s) for t in computed for s in t.quantization.scale})


@measures(_summed)
def computed_weight_sums(operands: Operands) -> Measured:
    """How many weights are computed at run time while inputs are quantized with a zero point, which takes their sums.

    Kernels add the rows of weights up once and keep the sums.
    """
    if not operands.option("asymmetric_quantize_inputs"):
        return 0
    return sum(not t.is_constant for t in _weights(operands))


@measures(_grouped)
def groups_of_one_scale(operands: Operands) -> Measured:
    """In how many groups a convolution is done whose weights have one scale; None where they have several."""
    given, weight = operands.one("input"), operands.one("weight")
    if given is None or weight is None or weight.quantization.scale.size != 1:
        return None
    channels, depth = (t.shape[-1] if t.shape else 0 for t in (given, weight))
    return channels // depth if depth else None


@measures(_unsigned)
def unsigned_weight_scales(operands: Operands) -> Measured:
    """How many scales the uint8 weights of an operator state; None where none are uint8."""
    return max((t.quantization.scale.size for t in _weights(operands) if t.dtype == "uint8"), default=None)


@measures(_along)
def column_axis_gap(operands: Operands) -> Measured:
    """How many dimensions the scales of a right-hand side run beside those of the product's columns.

    Columns are its last dimension, with ``adj_y`` the one before; None where there is one scale at most.
    """
    rhs = operands.one("rhs")
    if rhs is None or rhs.quantization.scale.size < 2:
        return None
    return abs(len(rhs.shape) - (2 if operands.option("adj_y") else 1) - rhs.quantization.axis)


@measures(
    lambda plan, value: plan.edit(
        "input", lambda t: t.but(dtype="float16", values=None).scaled([0.5] * _one_or_all(value))
    )
)
def float_scales(operands: Operands) -> Measured:
    """How many scales a floating-point input states."""
    given = operands.one("input")
    return given.quantization.scale.size if given is not None and given.dtype in _FLOATS else None


@measures(_of_types)
def weight_types(operands: Operands) -> Measured:
    """How many types the weights of an operator have; a recurrent kernel takes them for one."""
    return len({t.dtype for t in _weights(operands)})


def _weights(operands: Operands) -> list[Tensor]:
    """The operands whose role says that they are weights, and the right-hand side of a product of integers."""
    roles = [role for role in operands.roles if "weight" in role] or ["rhs"]
    return [t for role in roles for t in operands.roles.get(role, ()) if t.dtype in INTEGER_RANGES]

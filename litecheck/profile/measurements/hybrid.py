"""Measurements of hybrid operators: integer weights under activations that the kernel quantizes on the fly."""

from __future__ import annotations

from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import Measured, Operands
from litecheck.quantization import INTEGER_RANGES

_FLOATS = ("float32", "float16", "bfloat16", "float64")


def computed_weight_scales(operands: Operands) -> Measured:
    """How many different scales weights have that are computed at run time; 0 for constant weights."""
    computed = [t for t in _weights(operands) if not t.is_constant]
    return len({float(s) for t in computed for s in t.quantization.scale})


def computed_weight_sums(operands: Operands) -> Measured:
    """How many weights are computed at run time while inputs are quantized with a zero point, which takes their sums.

    Kernels add the rows of weights up once and keep the sums.
    """
    if not operands.option("asymmetric_quantize_inputs"):
        return 0
    return sum(not t.is_constant for t in _weights(operands))


def unsigned_weight_scales(operands: Operands) -> Measured:
    """How many scales the uint8 weights of an operator state; None where none are uint8."""
    return max((t.quantization.scale.size for t in _weights(operands) if t.dtype == "uint8"), default=None)


def column_axis_gap(operands: Operands) -> Measured:
    """How many dimensions the scales of a right-hand side run beside those of the product's columns.

    Columns are its last dimension, with ``adj_y`` the one before; None where there is one scale at most.
    """
    rhs = operands.one("rhs")
    if rhs is None or rhs.quantization.scale.size < 2:
        return None
    return abs(len(rhs.shape) - (2 if operands.option("adj_y") else 1) - rhs.quantization.axis)


def float_scales(operands: Operands) -> Measured:
    """How many scales a floating-point input states."""
    given = operands.one("input")
    return given.quantization.scale.size if given is not None and given.dtype in _FLOATS else None


def weight_types(operands: Operands) -> Measured:
    """How many types the weights of an operator have; a recurrent kernel takes them for one."""
    return len({t.dtype for t in _weights(operands)})


def _weights(operands: Operands) -> list[Tensor]:
    """The operands whose role says that they are weights, and the right-hand side of a product of integers."""
    roles = [role for role in operands.roles if "weight" in role] or ["rhs"]
    return [t for role in roles for t in operands.roles.get(role, ()) if t.dtype in INTEGER_RANGES]


#: By their names, in the order the documentation lists them.
DYNAMIC = (
    computed_weight_scales, computed_weight_sums, unsigned_weight_scales, weight_types, column_axis_gap, float_scales,
)  # fmt: skip

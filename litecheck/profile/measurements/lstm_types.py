"""Measurements of the types of an LSTM's tensors that the table of types does not list by combination."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.register import measures
from litecheck.profile.operator_plan import CHANNELS, Plan, TensorPlan
from litecheck.quantization import Quantization


def _set_values(tensor: TensorPlan, values: NDArray[Any]) -> TensorPlan:
    return tensor.but(dtype=values.dtype.name, shape=values.shape, values=values, quantization=Quantization())


def _set_integer_biases(plan: Plan, value: int) -> Plan | None:
    """Set a float32 input, ``value`` int32 gate biases, and float32 for the remaining biases."""
    biases = [role for role in plan.inputs if role.endswith("gate_bias") and plan.one(role)]
    if not 0 <= value <= len(biases):
        return None
    plan = plan.edit("input", lambda t: t.but(dtype="float32", quantization=Quantization(), values=None))
    for number, role in enumerate(biases):
        zeros = np.zeros(CHANNELS, "int32" if number < value else "float32")
        plan = plan.edit(role, partial(_set_values, values=zeros))
    return plan


@measures(_set_integer_biases)
def integer_biases(operands: Operands) -> Measured:
    """Number of gate biases of a float LSTM that are not of float32. Example: a float32 input and an int32 bias of the
    forget gate give 1."""
    given = operands.one("input")
    if given is None or given.dtype != "float32":
        return None
    biases = (t for role, tensors in operands.roles.items() if role.endswith("gate_bias") for t in tensors)
    return sum(t.dtype != "float32" for t in biases)

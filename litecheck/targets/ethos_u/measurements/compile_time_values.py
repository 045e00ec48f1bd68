"""Measurements of shapes, paddings and buffers that the compiler must know at compile time."""

from __future__ import annotations

from typing import Any

from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands, everything
from litecheck.profile.measurements.register import measures
from litecheck.profile.operator_plan import Plan, TensorPlan
from litecheck.targets.generators.feature_maps import change_first_input


def has_dynamic_dimension(tensor: Tensor) -> bool:
    """Return True if a dimension after the first is dynamic."""
    signature = tensor.shape_signature
    return signature is not None and tensor.data is None and min(signature[1:], default=0) < 0


def _set_dynamic_dimension(plan: Plan, value: Any) -> Plan | None:
    """Make the last dimension of the output dynamic."""

    def dynamic(t: TensorPlan) -> TensorPlan:
        shape = t.shape if len(t.shape) > 1 else (1, *t.shape, 1)[:2]
        return t.but(shape=shape, signature=(*shape[:-1], -1))

    return None if value not in (0, 1) else plan.edit(plan.outputs[0], dynamic) if value else plan


@measures(_set_dynamic_dimension)
def dynamic_dimensions(operands: Operands) -> Measured:
    """Number of computed tensors with a dynamic dimension other than the first. Example: RELU with the shape signature
    (1, -1) of input and output gives 2."""
    return sum(map(has_dynamic_dimension, everything(operands)))


def _set_computed_paddings(plan: Plan, value: Any) -> Plan | None:
    return plan.edit("paddings", lambda t: t.but(values=None)) if value == 1 else plan if value == 0 else None


@measures(_set_computed_paddings)
def computed_paddings(operands: Operands) -> Measured:
    """1 if the paddings are computed and the output has no dynamic dimension other than the first, else 0. Example: PAD
    by paddings that another operator computes gives 1."""
    paddings, output = operands.one("paddings"), operands.one("output")
    if paddings is None or output is None:
        return None
    return int(paddings.data is None and not has_dynamic_dimension(output))


@measures(change_first_input(lambda t: t.but(shape=(), values=None)))
def rank0_inputs(operands: Operands) -> Measured:
    """Number of computed inputs of rank 0. Example: ADD of shapes () and (4,) gives 1."""
    outputs = operands.operator.outputs
    return sum(not t.shape and t.data is None and t.index not in outputs for t in everything(operands))


def _set_missing_buffer_table(plan: Plan, value: Any) -> Plan | None:
    """Remove the buffer table of a model without constants."""
    constants = any(t.values is not None for tensors in plan.operands.values() for t in tensors)
    return plan.but(lists_buffers=not value) if value in (0, 1) and not (value and constants) else None


@measures(_set_missing_buffer_table)
def missing_buffer_table(operands: Operands) -> Measured:
    """1 if the file has no buffers, not even the empty first one, else 0. Example: an empty field ``buffers`` gives 1."""
    return int(not operands.model.buffers)

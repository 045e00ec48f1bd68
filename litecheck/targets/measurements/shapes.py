"""Measurements of output shapes, and of optional tensors that are present."""

from __future__ import annotations

from typing import Any

import numpy as np

from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands, everything
from litecheck.profile.measurements.register import Setter, measures
from litecheck.profile.operator_plan import Plan, TensorPlan
from litecheck.targets.generators.feature_maps import change_last_constant, with_blockwise_int4
from litecheck.targets.measurements.feature_maps import feature_maps_of, io_of


def _set_output_shape(plan: Plan, value: Any) -> Plan | None:
    """Make the last dimension of the output longer by 1."""
    role = plan.outputs[0]

    def longer(t: TensorPlan) -> TensorPlan:
        return t.but(shape=(*t.shape[:-1], t.shape[-1] + 1)) if t.shape else t.but(shape=(2,))

    return plan.edit(role, longer) if value else plan


@measures(_set_output_shape)
def broadcast_shape_mismatch(operands: Operands) -> Measured:
    """1 if the output shape equals neither an input shape nor the broadcast shape of the inputs, else 0. Shapes below
    rank 4 get leading 1s. Example: inputs (1, 4, 4, 8) and (8,), output (1, 4, 4, 4) gives 1."""
    io = io_of(operands)
    if io is None:
        return None
    output = _rank4_shape(io[1])
    inputs = [_rank4_shape(t) for t in feature_maps_of(operands) if t.index not in operands.operator.outputs]
    if output in inputs:
        return 0
    known = [shape for shape in (*inputs, output) if shape is not None]
    if len(known) <= len(inputs):
        return 1
    try:
        return int(np.broadcast_shapes(*known[:-1]) != output)
    except ValueError:
        return 1


def _rank4_shape(tensor: Tensor) -> tuple[int, ...] | None:
    """Return the shape with leading 1s up to rank 4; None if the file has no shape."""
    return None if tensor.shapeless else (1,) * (4 - len(tensor.shape)) + tensor.shape


@measures(_set_output_shape)
def output_shape_differs(operands: Operands) -> Measured:
    """1 if the output shape differs from the shape of the first input, else 0; rank 0 counts as (1,). Example: input
    (1, 4) and output (4,) give 1."""
    io = io_of(operands)
    return None if io is None else int(_rank1_shape(io[0]) != _rank1_shape(io[1]))


def _rank1_shape(tensor: Tensor) -> tuple[int, ...]:
    return () if tensor.shapeless else tensor.shape or (1,)


def _count_present(operands: Operands, prefix: str) -> int:
    return sum(bool(ts) for role, ts in operands.roles.items() if role.startswith(prefix))


def _set_present(prefix: str) -> Setter:
    """Return a setter of the number of tensors in roles with this prefix: int16 constants."""

    def sets(plan: Plan, value: Any) -> Plan | None:
        roles = [role for role in plan.inputs if role.startswith(prefix)]
        if not 0 <= value <= len(roles):
            return None
        for n, role in enumerate(roles):
            own = plan.operands.get(role) or (
                TensorPlan(name=role).holding(np.ones(4), "int16").with_scale(2.0**-10),
            )
            plan = plan.with_role(role, own if n < value else ())
        return plan

    return sets


@measures(_set_present("cell_to_"))
def peephole_weights(operands: Operands) -> Measured:
    """Number of peephole weights of an LSTM. Example: cell_to_forget_weights and cell_to_output_weights give 2."""
    return _count_present(operands, "cell_to_")


@measures(_set_present("projection_"))
def projection_tensors(operands: Operands) -> Measured:
    """Number of projection tensors of an LSTM. Example: projection_weights and projection_bias give 2."""
    return _count_present(operands, "projection_")


@measures(change_last_constant(with_blockwise_int4))
def blockwise_int4(operands: Operands) -> Measured:
    """Number of int4 tensors with blockwise quantization (scales in a separate tensor). Example: FULLY_CONNECTED with
    blockwise int4 weights gives 1."""
    return sum(t.dtype == "int4" and t.quantization.details is not None for t in everything(operands))

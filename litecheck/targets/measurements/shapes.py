"""Measurements of the shapes of feature maps, and of which operands there are."""

from __future__ import annotations

from typing import Any

import numpy as np

from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import Measured, Operands, everything
from litecheck.profile.measurements.register import Setter, measures
from litecheck.profile.plan import Plan, TensorPlan
from litecheck.targets.generators.feature_maps import constant, in_blocks
from litecheck.targets.measurements.feature_maps import ends_of, maps_of


def _shape(plan: Plan, value: Any) -> Plan | None:
    role = plan.outputs[0]

    def longer(t: TensorPlan) -> TensorPlan:
        return t.but(shape=(*t.shape[:-1], t.shape[-1] + 1)) if t.shape else t.but(shape=(2,))

    return plan.edit(role, longer) if value else plan


@measures(_shape)
def broadcast_shape_mismatch(operands: Operands) -> Measured:
    """1 where the result has neither the shape of an input nor the one all inputs are spread to, else 0; shapes are
    filled up to four dimensions with 1 in front, but for those of which the file does not even list none."""
    ends = ends_of(operands)
    if ends is None:
        return None
    result = _bare(ends[1])
    shapes = [_bare(t) for t in maps_of(operands) if t.index not in operands.operator.outputs]
    if result in shapes:
        return 0
    filled = [shape for shape in (*shapes, result) if shape is not None]
    if len(filled) <= len(shapes):
        return 1
    try:
        return int(np.broadcast_shapes(*filled[:-1]) != result)
    except ValueError:
        return 1


def _bare(tensor: Tensor) -> tuple[int, ...] | None:
    """A shape of four dimensions at least, with 1 in front; None where the file lists none."""
    return None if tensor.shapeless else (1,) * (4 - len(tensor.shape)) + tensor.shape


@measures(_shape)
def output_shape_differs(operands: Operands) -> Measured:
    """1 where the result has another shape than the first input, without dimensions [1], else 0."""
    ends = ends_of(operands)
    return None if ends is None else int(_one(ends[0]) != _one(ends[1]))


def _one(tensor: Tensor) -> tuple[int, ...]:
    return () if tensor.shapeless else tensor.shape or (1,)


def _present(operands: Operands, *parts: str) -> int:
    return sum(bool(ts) for role, ts in operands.roles.items() if role.startswith(parts))


def _some(part: str) -> Setter:
    """Sets how many operands are there whose names begin so, constants of 16 bits."""

    def sets(plan: Plan, value: Any) -> Plan | None:
        roles = [role for role in plan.inputs if role.startswith(part)]
        if not 0 <= value <= len(roles):
            return None
        for n, role in enumerate(roles):
            own = plan.operands.get(role) or (
                TensorPlan(name=role).holding(np.ones(4), "int16").scaled(2.0**-10),
            )
            plan = plan.with_role(role, own if n < value else ())
        return plan

    return sets


@measures(_some("cell_to_"))
def peephole_weights(operands: Operands) -> Measured:
    """How many weights an LSTM has through which gates look at the cell."""
    return _present(operands, "cell_to_")


@measures(_some("projection_"))
def projection_tensors(operands: Operands) -> Measured:
    """How many operands an LSTM has that project its output."""
    return _present(operands, "projection_")


@measures(constant(in_blocks))
def blockwise_int4(operands: Operands) -> Measured:
    """How many operands are int4 and have scales that stand in another tensor."""
    return sum(t.dtype == "int4" and t.quantization.details is not None for t in everything(operands))

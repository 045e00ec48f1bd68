"""Measurements of the dtypes and ranks of feature maps: inputs and outputs that are data, not parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands, everything, once
from litecheck.profile.measurements.register import Setter, measures
from litecheck.profile.measurements.vocabulary import TYPES
from litecheck.profile.operator_plan import Plan
from litecheck.targets.generators.feature_maps import (
    change_first_input,
    parameter_roles,
    set_io_dtype,
    set_io_dtype_count,
    set_narrowing_dtype,
)

#: Types that need no scale.
TYPES_WITHOUT_SCALE = ("int32", "int64", "bool", "float32", "float16", "bfloat16", "float64")
#: Types of feature maps that every NPU supports.
NPU_TYPES = ("int8", "int16", "uint8")


@once
def feature_maps_of(operands: Operands) -> Sequence[Tensor]:
    """Return the feature maps among inputs and outputs."""
    excluded = parameter_roles(operands.operator.kind)
    return [t for role, ts in operands.roles.items() if role not in excluded for t in ts]


def set_first_role(change: dict[str, Any]) -> Setter:
    """Return a setter of a count of 0 or 1 that changes the first input."""

    def sets(plan: Plan, value: Any) -> Plan | None:
        role = next((r for r in plan.inputs if plan.operands.get(r)), None)
        if role is None or value not in (0, 1):
            return None
        return plan.edit(role, lambda t: t.but(**change) if value else t)

    return sets


@measures(change_first_input(lambda t: t.but(dtype="bool", values=None)))
def bool_graph_io(operands: Operands) -> Measured:
    """Number of bool feature maps of rank 1 or more that are inputs or outputs of the subgraph. Example: LOGICAL_NOT
    of a subgraph input, as subgraph output, gives 2."""
    tensors = [t for t in feature_maps_of(operands) if t.dtype == "bool" and t.data is None and t.shape]
    if not tensors:
        return 0
    io = {*operands.subgraph.inputs, *operands.subgraph.outputs}
    return sum(t.index in io for t in tensors)


@measures(set_first_role({"shape": (), "values": None}))
def rank0_feature_maps(operands: Operands) -> Measured:
    """Number of computed tensors of rank 0, the operator's intermediate tensors included. Example: ADD of shapes ()
    and (4,) gives 1."""
    indices = operands.operator.intermediates
    intermediates = [operands.subgraph.tensors[i] for i in indices if i >= 0] if indices else []
    return sum(not t.shape and t.data is None for t in (*everything(operands), *intermediates))


def outputs_of(operands: Operands) -> list[Tensor]:
    """Return the feature maps among the outputs."""
    return [t for t in feature_maps_of(operands) if t.index in operands.operator.outputs]


@measures(set_narrowing_dtype)
def dtype_change_not_int8_to_int16(operands: Operands) -> Measured:
    """1 if the dtypes of input and output differ, except for int8 to int16, else 0. Example: int16 to int8 gives 1."""
    io = io_of(operands)
    if io is None:
        return None
    types = (io[0].dtype, io[1].dtype)
    return int(types[0] != types[1] and types != ("int8", "int16"))


@once
def io_of(operands: Operands) -> tuple[Tensor, Tensor] | None:
    """Return the first feature map among the inputs and the first among the outputs."""
    outputs = operands.operator.outputs
    source = next((t for t in feature_maps_of(operands) if t.index not in outputs), None)
    result = next((t for t in feature_maps_of(operands) if t.index in outputs), None)
    return None if source is None or result is None else (source, result)


@measures(set_io_dtype_count)
def io_dtype_count(operands: Operands) -> Measured:
    """Number of different dtypes of the first input and the first output. Example: int8 and int16 give 2."""
    io = io_of(operands)
    return None if io is None else len({t.dtype for t in io})


@measures(set_io_dtype, *NPU_TYPES, "int32", "int64", "bool", gives=TYPES)
def input_dtype(operands: Operands) -> Measured:
    """Dtype of the first input. Example: SOFTMAX of an int16 tensor gives int16."""
    io = io_of(operands)
    return None if io is None else io[0].dtype

"""Measurements of feature maps, what an accelerator streams through: inputs and results that are data, not parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import Measured, Operands, everything, once
from litecheck.profile.measurements.register import Setter, measures
from litecheck.profile.measurements.vocabulary import TYPES
from litecheck.profile.plan import Plan
from litecheck.targets.generators.feature_maps import (
    first_map,
    input_typed,
    parameters,
    shortened,
    types_apart,
)  # fmt: skip

#: Types whose integers may stand for themselves.
PLAIN = ("int32", "int64", "bool", "float32", "float16", "bfloat16", "float64")
#: The types of feature maps that every accelerator streams.
NARROW = ("int8", "int16", "uint8")


@once
def maps_of(operands: Operands) -> Sequence[Tensor]:
    """The feature maps that go in and come out."""
    steering = parameters(operands.operator.kind)
    return [t for role, ts in operands.roles.items() if role not in steering for t in ts]


def first(change: dict[str, Any]) -> Setter:
    """Sets the count to 1, or 0, by a change of the first operand."""

    def sets(plan: Plan, value: Any) -> Plan | None:
        role = next((r for r in plan.inputs if plan.operands.get(r)), None)
        if role is None or value not in (0, 1):
            return None
        return plan.edit(role, lambda t: t.but(**change) if value else t)

    return sets


@measures(first_map(lambda t: t.but(dtype="bool", values=None)))
def bool_graph_io(operands: Operands) -> Measured:
    """How many feature maps that have dimensions and go into the subgraph or come out of it hold truth values."""
    maps = [t for t in maps_of(operands) if t.dtype == "bool" and t.data is None and t.shape]
    if not maps:
        return 0
    borders = {*operands.subgraph.inputs, *operands.subgraph.outputs}
    return sum(t.index in borders for t in maps)


@measures(first({"shape": (), "values": None}))
def rank0_feature_maps(operands: Operands) -> Measured:
    """How many operands that are computed have no dimensions, those between an operator's steps among them."""
    between = operands.operator.intermediates
    inner = [operands.subgraph.tensors[i] for i in between if i >= 0] if between else []
    return sum(not t.shape and t.data is None for t in (*everything(operands), *inner))


def results_of(operands: Operands) -> list[Tensor]:
    return [t for t in maps_of(operands) if t.index in operands.operator.outputs]


@measures(shortened)
def dtype_change_not_int8_to_int16(operands: Operands) -> Measured:
    """1 where the result is of another type than the input, unless int8 becomes int16, else 0."""
    ends = ends_of(operands)
    if ends is None:
        return None
    types = (ends[0].dtype, ends[1].dtype)
    return int(types[0] != types[1] and types != ("int8", "int16"))


@once
def ends_of(operands: Operands) -> tuple[Tensor, Tensor] | None:
    """The first feature map that goes in and the first result."""
    made = operands.operator.outputs
    source = next((t for t in maps_of(operands) if t.index not in made), None)
    result = next((t for t in maps_of(operands) if t.index in made), None)
    return None if source is None or result is None else (source, result)


@measures(types_apart)
def io_dtype_count(operands: Operands) -> Measured:
    """How many types the first input and the first result have."""
    ends = ends_of(operands)
    return None if ends is None else len({t.dtype for t in ends})


@measures(input_typed, *NARROW, "int32", "int64", "bool", gives=TYPES)
def input_dtype(operands: Operands) -> Measured:
    """The type of the first input."""
    ends = ends_of(operands)
    return None if ends is None else ends[0].dtype

"""Measurements of slices: SPLIT, STRIDED_SLICE and REVERSE_V2, and inputs that are slices of a larger tensor."""

from __future__ import annotations

from math import prod
from typing import Any

from litecheck.model.output_first_order import visit_order_of
from litecheck.model.types import Operator, Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands, integer, short_constant
from litecheck.profile.measurements.register import measures, with_constant
from litecheck.profile.operator_plan import Plan
from litecheck.profile.operators import traits_of
from litecheck.targets.ethos_u.measurements.reductions import input_shape
from litecheck.targets.generators.axes import (
    set_negative_strides,
    set_num_splits_mismatch,
    set_strides_outside_hw,
)


@measures(lambda plan, value: with_constant(plan, "axis", [-4] if value else [0]))
def axis_is_minus_rank(operands: Operands) -> Measured:
    """1 if an axis is -rank or less, else 0. Example: axis -4 of rank 4 gives 1."""
    shape, axes = input_shape(operands), short_constant(operands, "axis")
    return None if shape is None or axes is None else int(any(a <= -len(shape) for a in axes))


@measures(set_num_splits_mismatch)
def num_splits_mismatch(operands: Operands) -> Measured:
    """Difference between the number of outputs and the option num_splits. Example: 1 output and num_splits 3 give 2."""
    stated = integer(operands, "num_splits")
    return None if stated is None else abs(stated - len(operands.operator.outputs))


def _set_inferred_sizes(plan: Plan, value: Any) -> Plan | None:
    """Set this number of sizes to -1."""
    sizes = plan.one("size_splits")
    if sizes is None or sizes.shape[:1] < (value,) or value < 0:
        return None
    known = [1] * (sizes.shape[0] - int(value))
    return with_constant(plan, "size_splits", [-1] * int(value) + known)


@measures(_set_inferred_sizes)
def inferred_sizes(operands: Operands) -> Measured:
    """Number of sizes of SPLIT_V that are -1. Example: size_splits (-1, 2, -1) gives 2."""
    return (short_constant(operands, "size_splits") or []).count(-1)


def _strides(operands: Operands) -> list[tuple[int, int]] | None:
    """Return (dimension, stride) for all dimensions that have a begin, an end and a stride, and no ellipsis."""
    shape, mask = input_shape(operands), integer(operands, "ellipsis_mask") or 0
    stated = [short_constant(operands, role) for role in ("begin", "end", "strides")]
    if shape is None or stated[2] is None:
        return None
    length = min(len(shape), *(len(values) for values in stated if values is not None))
    return [(n, step) for n, step in enumerate(stated[2][:length]) if not mask >> n & 1]


@measures(set_negative_strides)
def negative_strides(operands: Operands) -> Measured:
    """Number of strides of STRIDED_SLICE below 1, dimensions of an ellipsis excluded. Example: strides (1, -1) give 1."""
    steps = _strides(operands)
    return None if steps is None else sum(step < 1 for _, step in steps)


@measures(set_strides_outside_hw)
def strides_outside_hw(operands: Operands) -> Measured:
    """Number of strides of STRIDED_SLICE above 1 outside the third and second last dimension (height and width).
    Example: strides (1, 2, 2, 2) give 1."""
    shape, steps = input_shape(operands), _strides(operands)
    if shape is None or steps is None:
        return None
    return sum(step > 1 and len(shape) - n not in (2, 3) for n, step in steps)


def _set_reversed_axes(plan: Plan, value: Any) -> Plan | None:
    output = plan.one("output")
    if output is None or not output.shape or not 0 <= value <= len(output.shape):
        return None
    return with_constant(plan, "axis", list(range(int(value))) or [len(output.shape)])


@measures(_set_reversed_axes)
def reversed_axes(operands: Operands) -> Measured:
    """Number of reversed axes; an axis from the rank on is not counted. Example: axes 1 and 2 of rank 4 give 2.

    Vela 5.2.0 collects the axes in a mask of 32 bits: the bit is (rank - 1 - axis) modulo 64, and bits from 32 on are
    lost. An axis tensor that does not hold integers counts with all its elements.
    """
    output, axis, axes = operands.one("output"), operands.one("axis"), short_constant(operands, "axis")
    if output is None or axis is None or axis.data is None:
        return None
    return prod(axis.shape) if axes is None else sum((len(output.shape) - 1 - a) % 64 < 32 for a in axes)


def _set_shared_slice_inputs(plan: Plan, value: Any) -> Plan | None:
    """Make this number of inputs slices of larger tensors, and outputs of the model as well."""
    roles = [role for role in ("lhs", "rhs") if (t := plan.one(role)) and t.values is None and t.shape]
    return plan.but(cut_roles=tuple(roles[: int(value)])) if 0 <= value <= len(roles) else None


@measures(_set_shared_slice_inputs)
def shared_slice_inputs(operands: Operands) -> Measured:
    """Number of inputs that are slices of a larger tensor and have a second reader. Example: SQUARED_DIFFERENCE of
    the two outputs of a SPLIT, of which one is also an output of the subgraph, gives 1.

    A second reader is an operator on the NPU that the compiler visits first, an output of the subgraph, or the second
    input of the same operator. With a reader on the CPU the input is not counted.
    """
    tensors = {t.index: t for ts in operands.roles.values() for t in ts if t.data is None}
    operator, subgraph = operands.operator, operands.subgraph
    visits = visit_order_of(operands.model, subgraph)

    def is_shared(index: int) -> bool:
        readers = visits.graph.consumers[index]
        others = [n for n in readers if n != operator.index and n in visits.operators]
        if not operands.aside.isdisjoint(others):
            return False
        return (
            readers.count(operator.index) > 1 or visits.readers.get(index, operator.index) != operator.index
        )

    return sum(
        is_shared(index)
        for index in set(operator.inputs) & tensors.keys()
        if (writer := visits.graph.producer[index]) >= 0
        and _outputs_are_slices(subgraph.operators[writer], subgraph.tensors)
    )


def _outputs_are_slices(writer: Operator, tensors: tuple[Tensor, ...]) -> bool:
    """Return True if the outputs are slices of the input; along an axis, all dimensions before must be 1."""
    cuts = traits_of(writer.kind).slices
    if cuts != "axis":
        return cuts == "ranges"
    shape = tensors[writer.inputs[0]].shape
    axis = 0 if writer.options is None else int(writer.options.get("axis", 0))
    return prod(shape[: axis if axis >= 0 else len(shape) + axis]) == 1

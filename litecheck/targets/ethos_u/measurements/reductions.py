"""Measurements of reductions (MEAN, SUM, REDUCE_MAX, ARG_MAX): axes, their lengths, and the batch."""

from __future__ import annotations

from math import prod
from typing import Any

from litecheck.profile.measurements.measured_operator import Measured, Operands, short_constant
from litecheck.profile.measurements.register import measures
from litecheck.profile.operator_plan import Plan
from litecheck.targets.generators.axes import (
    ELEMENT_WEIGHTS,
    reduce_over,
    set_axis_from_end,
    set_batch,
    set_depth_reduction,
    set_reduced_count,
    set_reduced_length,
)


def input_shape(operands: Operands) -> tuple[int, ...] | None:
    """Return the shape of the tensor ``input``."""
    tensor = operands.one("input")
    return None if tensor is None else tensor.shape


def _axes(operands: Operands) -> list[int] | None:
    """Return the constant axes, counted from the front; None if an axis is out of range."""
    shape, axes = input_shape(operands), short_constant(operands, "axis")
    if shape is None or axes is None or not all(-len(shape) <= a < len(shape) for a in axes):
        return None
    return sorted({a % len(shape) for a in axes})


@measures(set_batch)
def input_batch_product(operands: Operands) -> Measured:
    """Batch size of the input: the product of all dimensions before the last three. Example: (2, 3, 4, 4, 8) gives 6."""
    shape = input_shape(operands)
    return None if shape is None else prod(shape[:-3])


@measures(set_batch)
def batch_dim_checked(operands: Operands) -> Measured:
    """Input dimension before the last three; 1 below rank 4. Example: (2, 3, 4, 4, 8) gives 3."""
    source = operands.one("input")
    return None if source is None else 1 if len(source.shape) < 4 else source.shape[-4]


@measures(set_reduced_length)
def longest_reduced_axis(operands: Operands) -> Measured:
    """Length of the longest reduced dimension. Example: input (1, 5, 7, 8) and axes 1, 2 give 7."""
    shape, axes = input_shape(operands), _axes(operands)
    return None if not shape or not axes else max(shape[a] for a in axes)


@measures(set_reduced_count)
def reduced_magnitude(operands: Operands) -> Measured:
    """Number of input elements per output element, times 2 for uint8 and times 256 for int16. Example: int16 input
    (1, 5, 7, 8) and axes 1, 2 give 8,960."""
    shape, axes, tensor = input_shape(operands), _axes(operands), operands.one("input")
    if not shape or not axes or tensor is None:
        return None
    return prod(shape[a] for a in axes) * ELEMENT_WEIGHTS.get(tensor.dtype, 1)


@measures(set_depth_reduction)
def depth_reduction(operands: Operands) -> Measured:
    """1 if the last dimension is reduced, and height, width and channels are above 1, else 0. Dimensions are counted
    from the front after padding the shape with 1s to rank 4. Example: input (1, 5, 7, 8) and axis 3 give 1."""
    shape, axes = input_shape(operands), _axes(operands)
    if not shape or not axes or len(shape) - 1 not in axes:
        return 0
    return int(all(d > 1 for d in ((1,) * (4 - len(shape)) + shape)[1:4]))


@measures(set_axis_from_end)
def axis_from_end(operands: Operands) -> Measured:
    """Constant axis, counted from the end. Example: axis 3 of rank 4 gives -1."""
    shape, axes = input_shape(operands), short_constant(operands, "axis")
    if shape is None or axes is None or len(axes) != 1:
        return None
    return axes[0] - len(shape) if axes[0] >= 0 else axes[0]


@measures(set_reduced_length)
def axis_length(operands: Operands) -> Measured:
    """Length of the dimension of the constant axis. Example: input (1, 5, 7, 8) and axis 3 give 8."""
    shape, axes = input_shape(operands), _axes(operands)
    return None if not shape or not axes else shape[axes[0]]


def _set_reduce_transposed_extent(plan: Plan, value: Any) -> Plan | None:
    return reduce_over(plan, (1, 1, int(value), 2), [2]) if value >= 1 else None


@measures(_set_reduce_transposed_extent)
def reduce_transposed_extent(operands: Operands) -> Measured:
    """Largest of the length of the first reduced axis, the product of the dimensions before, and the product of the
    dimensions after; none for the last axis. Example: input (1, 5, 7, 8) and axis 1 give 56.

    The compiler transposes this axis to the end.
    """
    source, axes = operands.one("input"), short_constant(operands, "axis")
    if source is None or axes is None or not source.shape:
        return None
    shape, rank = source.shape, len(source.shape)
    first = next((a % rank for a in axes if -rank <= a < rank), rank - 1)
    if first == rank - 1:
        return None
    return max(prod(shape[:first]), shape[first], prod(shape[first + 1 :]))

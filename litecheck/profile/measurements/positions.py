"""Measurements of positions: constants that name elements, slices, places and segments of a tensor, one by one.

Most count what is wrong: 0 is right. All are None where the constant is none, is computed at run time, or is not made of
integers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from litecheck.profile.measurements.bound import Measured, Operands
from litecheck.profile.measurements.constants import indexed_shape, long_constant, short_constant, stated_axes
from litecheck.profile.measurements.register import measures
from litecheck.profile.measurements.setters import dimensions, faulty, held
from litecheck.profile.plan import Plan


def _outside(plan: Plan, value: int) -> Plan | None:
    role = "ids" if "ids" in plan.operands else "indices"
    return held(plan, role, faulty(99, 0, value, value + 1))


def _pointed(plan: Plan, places: list[int]) -> Plan | None:
    """Index tuples of one number each, into the first of four dimensions."""
    shape = "shape" if "shape" in plan.operands else "output_shape"
    plan = held(plan, "indices", [[place] for place in places])
    return held(plan, shape, [4] * 4) if shape in plan.operands else plan


def _written_twice(plan: Plan, value: int) -> Plan | None:
    places = [1] * (value + 1) if value else [0, 1]
    plan = held(plan, "indices", [[place] for place in places])
    plan = held(plan, "shape", [4, 3]).edit("output", lambda tensor: dimensions(tensor, (4, 3)))
    return plan.edit("updates", lambda tensor: dimensions(tensor, (len(places), 3)))


@measures(_outside)
def indices_out_of_range(operands: Operands) -> Measured:
    """How many constant indices name no slice of the table, or of the input along the axis."""
    indices = long_constant(operands, "ids" if "ids" in operands.roles else "indices")
    table, axes = operands.one("table"), stated_axes(operands)
    shape = indexed_shape(operands) if table is None else table.shape
    axis = 0 if table is not None else axes[0] if axes else None
    if indices is None or shape is None or axis is None or not -len(shape) <= axis < len(shape):
        return None
    return int(((indices < 0) | (indices >= shape[axis])).sum())


@measures(lambda plan, value: _pointed(plan, faulty(99, 0, value, value + 1)))
def tuples_out_of_range(operands: Operands) -> Measured:
    """How many constant index tuples name no place of the input, or of the shape that is filled."""
    known = _tuples(operands)
    if known is None:
        return None
    rows, shape = known
    return int(((rows < 0) | (rows >= np.array(shape, np.int64))).any(axis=1).sum())


@measures(_written_twice)
def repeated_tuples(operands: Operands) -> Measured:
    """How many constant index tuples name a place that another one before them names."""
    known = _tuples(operands)
    return None if known is None else len(known[0]) - len(np.unique(known[0], axis=0))


def _tuples(operands: Operands) -> tuple[NDArray[np.int64], tuple[int, ...]] | None:
    """Constant index tuples, one a row, and the lengths of the dimensions they go along."""
    indices, tensor = long_constant(operands, "indices"), operands.one("indices")
    role = "shape" if "shape" in operands.roles else "output_shape"
    shape = indexed_shape(operands) if operands.one("input") is not None else short_constant(operands, role)
    if indices is None or tensor is None or shape is None:
        return None
    flat = "output_shape" in operands.roles and len(tensor.shape) < 2
    deep = 1 if flat else tensor.shape[-1] if tensor.shape else 0
    if not 0 < deep <= len(shape) or indices.size % deep:
        return None
    return indices.reshape(-1, deep), tuple(shape[:deep])


@measures(lambda plan, value: held(plan, "lengths", faulty(9, 1, value)).option(seq_dim=1))
def lengths_too_long(operands: Operands) -> Measured:
    """How many sequence lengths exceed the dimension that holds the sequences."""
    shape, lengths, dim = (
        indexed_shape(operands),
        long_constant(operands, "lengths"),
        operands.option("seq_dim"),
    )
    if shape is None or lengths is None or not 0 <= dim < len(shape):
        return None
    return int((lengths > shape[dim]).sum())


@measures(lambda plan, value: held(plan, "segment_ids", range(0, 2 * value + 1, 2)))
def segments_out_of_order(operands: Operands) -> Measured:
    """How many segment numbers are neither the one before nor the next; the first is 0."""
    numbers = long_constant(operands, "segment_ids")
    if numbers is None or not numbers.size:
        return None
    steps = np.diff(numbers)
    return int(numbers[0] != 0) + int(((steps != 0) & (steps != 1)).sum())


@measures(lambda plan, value: held(held(plan, "num_segments", 4), "segment_ids", faulty(9, 0, value)))
def segments_out_of_range(operands: Operands) -> Measured:
    """How many segment numbers are not below ``num_segments``; negative ones are left out of every segment."""
    numbers, count = long_constant(operands, "segment_ids"), short_constant(operands, "num_segments")
    return None if numbers is None or not count or count[0] < 0 else int((numbers >= count[0]).sum())

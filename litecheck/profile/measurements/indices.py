"""Measurements of constants that are indices: axes, permutations, beginnings, paddings, positions, sizes.

Most count what is wrong: 0 is right. All are None where the constant is none, is computed at run time, or is not made of
integers; none of them trusts the shapes they are held against to fit.
"""

from __future__ import annotations

from itertools import pairwise
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from litecheck.model.shapes.call import constant_integers, constant_numbers
from litecheck.model.types import Tensor
from litecheck.model.values import stored
from litecheck.profile.measurements.bound import Measured, Operands
from litecheck.profile.measurements.constants import (
    LONG,
    indexed_shape,
    long_constant,
    outside,
    short_constant,
    stated_axes,
)

_READ_TOGETHER = ("begin", "size", "indices", "shape", "start", "limit", "delta", "shape1", "shape2")


def smallest(tensor: Tensor) -> Measured:
    """The smallest value of a constant of integers."""
    values = constant_integers(tensor)
    return None if values is None or not values.size else int(values.min())


def zeros(tensor: Tensor) -> Measured:
    """How many values of a constant of integers are 0."""
    values = constant_integers(tensor)
    return None if values is None else int((values == 0).sum())


def float_zeros(tensor: Tensor) -> Measured:
    """How many values of a constant of floats are 0."""
    values = constant_numbers(tensor)
    return None if values is None or values.dtype.kind != "f" else int((values == 0).sum())


def at_zero_point(tensor: Tensor) -> Measured:
    """How many values of a constant of integers are its zero point, and so stand for 0; without one 0 itself does."""
    values, zero_points = constant_integers(tensor), tensor.quantization.zero_point
    if values is None or zero_points.size > 1:
        return None
    return int((values == (int(zero_points[0]) if zero_points.size else 0)).sum())


def unknowns(tensor: Tensor) -> Measured:
    """How many values of a constant of integers are -1, which stands for whatever is left."""
    values = constant_integers(tensor)
    return None if values is None else int((values == -1).sum())


def index_types(operands: Operands) -> Measured:
    """How many types the operands have that are read together: begin and size, indices and shape, the ends of a range."""
    return len({tensor.dtype for role in _READ_TOGETHER for tensor in operands.roles.get(role, ())})


def axis_out_of_range(operands: Operands) -> Measured:
    """How many axes name no dimension of the input; negative ones count from the back."""
    shape = indexed_shape(operands)
    return None if shape is None else outside(stated_axes(operands), len(shape))


def reduced_axis_out_of_range(operands: Operands) -> Measured:
    """How many axes name no dimension of the input that is reduced; of a single value any axis may be stated."""
    shape = indexed_shape(operands)
    return outside(stated_axes(operands), len(shape)) if shape else None


def inserted_axis_out_of_range(operands: Operands) -> Measured:
    """How many axes name no place where a dimension can be put in: there is one more place than dimensions."""
    tensor = operands.one("input") or operands.one("values") or operands.one("indices")
    return None if tensor is None else outside(stated_axes(operands), len(tensor.shape) + 1)


def axes_apart(operands: Operands) -> Measured:
    """How many axes do not follow the one before, in ascending order: REVERSE_V2 reverses neighbours alone."""
    axes, shape = stated_axes(operands), indexed_shape(operands)
    if axes is None or shape is None or axis_out_of_range(operands):
        return None
    ordered = sorted(axis % len(shape) for axis in axes)
    return sum(b - a != 1 for a, b in pairwise(ordered))


def batch_dims_out_of_range(operands: Operands) -> Measured:
    """1 where GATHER's ``batch_dims`` lie behind its axis or are more than its indices have dimensions, else 0."""
    shape, indices, axes = indexed_shape(operands), operands.one("indices"), stated_axes(operands)
    if shape is None or indices is None or not axes:
        return None
    axis, dims = axes[0], operands.option("batch_dims")
    dims += len(indices.shape) if dims < 0 else 0
    axis += len(shape) if axis < 0 else 0
    return int(not 0 <= dims <= min(axis, len(indices.shape)))


def perm_out_of_range(operands: Operands) -> Measured:
    """How many entries of ``perm`` name no dimension of the input; negative ones count from the back."""
    shape, perm = indexed_shape(operands), short_constant(operands, "perm")
    return None if shape is None else outside(perm, len(shape))


def perm_repeats(operands: Operands) -> Measured:
    """How many entries of ``perm`` name a dimension that an earlier one names."""
    shape, perm = indexed_shape(operands), short_constant(operands, "perm")
    if perm is None or not shape:
        return None
    return len(perm) - len({entry % len(shape) if -len(shape) <= entry < 0 else entry for entry in perm})


def _new_shape(operands: Operands) -> list[int] | None:
    """RESHAPE's new shape: the operand's if there is one of int32, else the options'."""
    shape = operands.one("shape")
    if shape is not None and (not shape.is_constant or shape.dtype == "int32"):
        return short_constant(operands, "shape")
    options = operands.operator.options
    stated = options.get("new_shape", ()) if options is not None else ()
    return [int(v) for v in stated[:LONG]]


def stretched_dimensions(operands: Operands) -> Measured:
    """How many dimensions of the new shape are -1, for as many as are left."""
    shape = _new_shape(operands)
    return None if shape is None else shape.count(-1)


def negative_dimensions(operands: Operands) -> Measured:
    """How many dimensions of the new shape are below -1."""
    shape = _new_shape(operands)
    return None if shape is None else sum(dim < -1 for dim in shape)


def indices_out_of_range(operands: Operands) -> Measured:
    """How many constant indices name no slice of the table, or of the input along the axis."""
    indices = long_constant(operands, "ids" if "ids" in operands.roles else "indices")
    table, axes = operands.one("table"), stated_axes(operands)
    shape = indexed_shape(operands) if table is None else table.shape
    axis = 0 if table is not None else axes[0] if axes else None
    if indices is None or shape is None or axis is None or not -len(shape) <= axis < len(shape):
        return None
    return int(((indices < 0) | (indices >= shape[axis])).sum())


def tuples_out_of_range(operands: Operands) -> Measured:
    """How many constant index tuples name no place of the input, or of the shape that is filled."""
    known = _tuples(operands)
    if known is None:
        return None
    rows, shape = known
    return int(((rows < 0) | (rows >= np.array(shape, np.int64))).any(axis=1).sum())


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


def sequence_dims_at_fault(operands: Operands) -> Measured:
    """How many of ``seq_dim`` and ``batch_dim`` name no dimension of the input; 1 where both name the same."""
    shape = indexed_shape(operands)
    dims = [operands.option(name) for name in ("seq_dim", "batch_dim")]
    if shape is None:
        return None
    return sum(not 0 <= dim < len(shape) for dim in dims) or int(dims[0] == dims[1])


def fft_lengths_at_fault(operands: Operands) -> Measured:
    """How many lengths of a Fourier transform are no powers of two."""
    lengths = short_constant(operands, "fft_length")
    return None if lengths is None else sum(n < 1 or n & (n - 1) != 0 for n in lengths)


def segments_out_of_order(operands: Operands) -> Measured:
    """How many segment numbers are neither the one before nor the next; the first is 0."""
    numbers = long_constant(operands, "segment_ids")
    if numbers is None or not numbers.size:
        return None
    steps = np.diff(numbers)
    return int(numbers[0] != 0) + int(((steps != 0) & (steps != 1)).sum())


def segments_out_of_range(operands: Operands) -> Measured:
    """How many segment numbers are not below ``num_segments``; negative ones are left out of every segment."""
    numbers, count = long_constant(operands, "segment_ids"), short_constant(operands, "num_segments")
    return None if numbers is None or not count or count[0] < 0 else int((numbers >= count[0]).sum())


def range_never_ends(operands: Operands) -> Measured:
    """``yes`` where RANGE steps away from its limit, or not at all."""
    ends = [_scalar(operands.one(role)) for role in ("start", "limit", "delta")]
    start, limit, delta = ends
    if start is None or limit is None or delta is None:
        return None
    away = delta == 0 or (limit > start and delta < 0) or (limit < start and delta > 0)
    return "yes" if away else "no"


def _scalar(tensor: Tensor | None) -> float | int | None:
    if tensor is None or tensor.data is None or tensor.size != 1 or tensor.nbytes != len(tensor.data):
        return None
    values = stored(tensor)
    if values is None or values.dtype.kind not in "iuf":
        return None
    value = values.reshape(-1)[0].item()
    return value if isinstance(value, (int, float)) and isfinite(value) else None


def index_vector_dim_at_fault(operands: Operands) -> Measured:
    """1 where STABLEHLO_GATHER's ``index_vector_dim`` is no dimension of the indices, else 0."""
    indices = operands.one("indices")
    return None if indices is None else int(not 0 <= operands.option("index_vector_dim") < len(indices.shape))


#: By their names, in the order the documentation lists them.
INDICES = (
    index_types, axis_out_of_range, reduced_axis_out_of_range, inserted_axis_out_of_range, axes_apart,
    batch_dims_out_of_range, perm_out_of_range, perm_repeats, stretched_dimensions, negative_dimensions,
    indices_out_of_range, tuples_out_of_range, repeated_tuples, lengths_too_long, sequence_dims_at_fault,
    fft_lengths_at_fault, segments_out_of_order, segments_out_of_range, range_never_ends,
    index_vector_dim_at_fault,
)  # fmt: skip
#: Of one operand, by the name behind the dot.
OPERAND_INDICES = (smallest, zeros, float_zeros, at_zero_point, unknowns)

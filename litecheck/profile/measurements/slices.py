"""Measurements of constants that select elements, slices, positions, paddings and segments of a tensor.

Most count errors, so 0 is correct. All are None if the tensor is absent, computed at run time, or not of integers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from litecheck.profile.measurements.measured_operator import (
    Measured,
    Operands,
    indexed_shape,
    long_constant,
    short_constant,
    stated_axes,
)
from litecheck.profile.measurements.register import dimensions, invalid, measures, with_constant
from litecheck.profile.operator_plan import Plan


def _set_slice(plan: Plan, value: int) -> Plan | None:
    output = plan.one("output")
    sizes = [dim - (n < value) for n, dim in enumerate(output.shape)] if output else []
    return with_constant(with_constant(plan, "begin", [0] * len(sizes)), "size", sizes)


def _set_shrunk(plan: Plan, value: int, begin: int, stride: int) -> Plan | None:
    """Set ``value`` shrunk dimensions to this begin and stride."""
    plan = with_constant(
        with_constant(plan, "begin", invalid(begin, 0, value)), "strides", invalid(stride, 1, value)
    )
    return plan.option(shrink_axis_mask=(1 << max(value, 1)) - 1, begin_mask=0)


def _cut(plan: Plan, value: int) -> Plan | None:
    plan = with_constant(plan, "axis", 0).edit("input", lambda t: dimensions(t, (8 + value, *t.shape[1:])))
    return plan.option(num_splits=4) if 0 <= value < 4 else None


def _slice(operands: Operands) -> list[tuple[int, int, int]] | None:
    """Return (begin, size, length) of each dimension of SLICE."""
    begin, size = short_constant(operands, "begin"), short_constant(operands, "size")
    shape = indexed_shape(operands)
    if shape is None or begin is None or size is None:
        return None
    return list(zip(begin, size, shape, strict=False))


@measures(
    lambda plan, value: with_constant(with_constant(plan, "begin", invalid(9, 0, value)), "size", [1] * 4)
)
def slices_out_of_range(operands: Operands) -> Measured:
    """Number of dimensions in which SLICE begins or ends outside the input; size -1 means the rest. Example:
    input (4, 4), begin (0, 3) and size (4, 2) give 1."""
    parts = _slice(operands)
    if parts is None:
        return None
    return sum(begin < 0 or size < -1 or begin + max(size, 0) > dim for begin, size, dim in parts)


@measures(_set_slice)
def sliced_shape_differs(operands: Operands) -> Measured:
    """Number of output dimensions of SLICE that differ from begin and size. Example: size (2, 3) and output
    (2, 4) give 1.

    The kernel trusts an output shape in the file.
    """
    parts, given, output = _slice(operands), operands.one("input"), operands.one("output")
    if parts is None or output is None or not output.shape:
        return None
    if any(
        dim < 0 for tensor in (given, output) if tensor is not None for dim in tensor.shape_signature or ()
    ):
        return None
    lengths = [dim - begin if size == -1 else size for begin, size, dim in parts]
    return sum(a != b for a, b in zip(lengths, output.shape, strict=False))


def _shrunk(operands: Operands) -> list[tuple[int, int, int]] | None:
    """Return (begin, stride, length) of each shrunk dimension of STRIDED_SLICE."""
    lists = [short_constant(operands, role) for role in ("begin", "strides")]
    shape = indexed_shape(operands)
    if shape is None or lists[0] is None or lists[1] is None:
        return None
    if operands.option("ellipsis_mask") or operands.option("new_axis_mask"):
        return None
    mask = operands.option("shrink_axis_mask")
    free = operands.option("begin_mask")
    parts = enumerate(zip(*lists, shape, strict=False))  # type: ignore[arg-type]
    return [part for at, part in parts if mask >> at & 1 and not free >> at & 1]


@measures(lambda plan, value: _set_shrunk(plan, value, 9, 1))
def shrunk_out_of_range(operands: Operands) -> Measured:
    """Number of shrunk dimensions of STRIDED_SLICE with an index past the end. Example: dimension 4 and begin
    4 give 1."""
    places = _shrunk(operands)
    return None if places is None else sum(begin >= length for begin, _, length in places)


@measures(lambda plan, value: _set_shrunk(plan, value, 0, -1))
def shrunk_backwards(operands: Operands) -> Measured:
    """Number of shrunk dimensions of STRIDED_SLICE with a negative stride. Example: stride -1 in a shrunk
    dimension gives 1."""
    places = _shrunk(operands)
    return None if places is None else sum(stride < 0 for _, stride, _ in places)


def _offset(plan: Plan, value: int) -> Plan | None:
    plan = with_constant(with_constant(plan, "begin", [0] * 4), "strides", [1] * 4)
    return with_constant(plan, "end", invalid(9, 0, value)).option(
        offset=True, begin_mask=0, end_mask=0, shrink_axis_mask=0, new_axis_mask=0, ellipsis_mask=0
    )


@measures(_offset)
def offset_ends_out_of_range(operands: Operands) -> Measured:
    """Number of dimensions of STRIDED_SLICE with ``offset`` in which begin plus end is outside the input, or is not
    the last element although ``end_mask`` asks for it. Example: dimension 4, begin 1 and end 4 give 1."""
    lists = [short_constant(operands, role) for role in ("begin", "end", "strides")]
    shape = indexed_shape(operands)
    if shape is None or any(one is None for one in lists) or not operands.option("offset"):
        return None
    if operands.option("ellipsis_mask") or operands.option("new_axis_mask"):
        return None
    free, dropped = operands.option("begin_mask"), operands.option("shrink_axis_mask")
    whole = operands.option("end_mask")
    count = 0
    for at, (begin, end, stride, dim) in enumerate(zip(*lists, shape, strict=False)):  # type: ignore[arg-type]
        if not stride or dropped >> at & 1:
            continue
        stop = slice(None if free >> at & 1 else begin, None, stride).indices(dim)[0] + end
        if whole >> at & 1:
            count += stop != (dim if stride > 0 else -1)
        else:
            count += not (0 <= stop <= dim if stride > 0 else -1 <= stop < dim)
    return count


@measures(lambda plan, value: plan.option(new_axis_mask=(1 << value) - 1) if value >= 0 else None)
def new_axes_and_ellipses(operands: Operands) -> Measured:
    """Number of bits in ``new_axis_mask`` and ``ellipsis_mask`` of STRIDED_SLICE. Example: new_axis_mask 5 and
    ellipsis_mask 0 give 2."""
    masks = (operands.option("new_axis_mask") or 0) | (operands.option("ellipsis_mask") or 0)
    return bin(masks).count("1")


@measures(lambda plan, value: with_constant(plan, "paddings", [[9, 9]] * value + [[0, 0]] * (4 - value)))
def reflected_too_far(operands: Operands) -> Measured:
    """Number of dimensions with more padding than values to mirror: the dimension, minus 1 in mode REFLECT.
    Example: dimension 3 with padding (3, 0) in mode REFLECT gives 1."""
    shape, paddings = indexed_shape(operands), short_constant(operands, "paddings")
    if shape is None or paddings is None:
        return None
    edge = 0 if operands.option("mode") else 1
    sides = zip(paddings[::2], paddings[1::2], shape, strict=False)
    return sum(max(before, after) > max(dim - edge, 0) for before, after, dim in sides)


@measures(lambda plan, value: with_constant(with_constant(plan, "size_splits", [4 + value]), "axis", 0))
def split_gap(operands: Operands) -> Measured:
    """Difference between the sum of the sizes of SPLIT_V and the dimension; with a size of -1 only a surplus
    counts. Example: dimension 6 and sizes (2, 3) give 1."""
    sizes, shape, axes = (
        short_constant(operands, "size_splits"),
        indexed_shape(operands),
        stated_axes(operands),
    )
    if sizes is None or shape is None or not axes or not -len(shape) <= axes[0] < len(shape):
        return None
    gap = sum(size for size in sizes if size != -1) - shape[axes[0]]
    return max(gap, 0) if -1 in sizes else abs(gap)


@measures(_cut)
def split_remainder(operands: Operands) -> Measured:
    """Dimension modulo number of parts of SPLIT. Example: dimension 7 and 2 parts give 1."""
    shape, axes, parts = indexed_shape(operands), stated_axes(operands), operands.option("num_splits")
    if shape is None or not axes or parts < 1 or not -len(shape) <= axes[0] < len(shape):
        return None
    return shape[axes[0]] % parts


@measures(lambda plan, value: with_constant(plan, "k", 4 + value))
def k_beyond(operands: Operands) -> Measured:
    """Number of values that TOPK_V2 selects beyond the last dimension. Example: k 5 and dimension 4 give 1."""
    shape, k = indexed_shape(operands), short_constant(operands, "k")
    return max(k[0] - shape[-1], 0) if shape and k else None


def _outside(plan: Plan, value: int) -> Plan | None:
    role = "ids" if "ids" in plan.operands else "indices"
    return with_constant(plan, role, invalid(99, 0, value, value + 1))


def _set_tuples(plan: Plan, places: list[int]) -> Plan | None:
    """Set index tuples of one number each, and four dimensions of length 4."""
    shape = "shape" if "shape" in plan.operands else "output_shape"
    plan = with_constant(plan, "indices", [[place] for place in places])
    return with_constant(plan, shape, [4] * 4) if shape in plan.operands else plan


def _written_twice(plan: Plan, value: int) -> Plan | None:
    places = [1] * (value + 1) if value else [0, 1]
    plan = with_constant(plan, "indices", [[place] for place in places])
    plan = with_constant(plan, "shape", [4, 3]).edit("output", lambda tensor: dimensions(tensor, (4, 3)))
    return plan.edit("updates", lambda tensor: dimensions(tensor, (len(places), 3)))


@measures(_outside)
def indices_out_of_range(operands: Operands) -> Measured:
    """Number of constant indices outside the table, or outside the input along the axis. Example: a table of
    10 rows and indices (3, 10) give 1."""
    indices = long_constant(operands, "ids" if "ids" in operands.roles else "indices")
    table, axes = operands.one("table"), stated_axes(operands)
    shape = indexed_shape(operands) if table is None else table.shape
    axis = 0 if table is not None else axes[0] if axes else None
    if indices is None or shape is None or axis is None or not -len(shape) <= axis < len(shape):
        return None
    return int(((indices < 0) | (indices >= shape[axis])).sum())


@measures(lambda plan, value: _set_tuples(plan, invalid(99, 0, value, value + 1)))
def tuples_out_of_range(operands: Operands) -> Measured:
    """Number of constant index tuples outside the input, or outside the shape that is filled. Example: input
    (2, 3) and tuples (0, 1) and (1, 3) give 1."""
    known = _tuples(operands)
    if known is None:
        return None
    rows, shape = known
    return int(((rows < 0) | (rows >= np.array(shape, np.int64))).any(axis=1).sum())


@measures(_written_twice)
def repeated_tuples(operands: Operands) -> Measured:
    """Number of repeated constant index tuples. Example: tuples (0, 1), (0, 1) and (1, 1) give 1."""
    known = _tuples(operands)
    return None if known is None else len(known[0]) - len(np.unique(known[0], axis=0))


def _tuples(operands: Operands) -> tuple[NDArray[np.int64], tuple[int, ...]] | None:
    """Return constant index tuples, one for each row, and the lengths of the indexed dimensions."""
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


@measures(lambda plan, value: with_constant(plan, "lengths", invalid(9, 1, value)).option(seq_dim=1))
def lengths_too_long(operands: Operands) -> Measured:
    """Number of sequence lengths above the dimension of the sequences. Example: dimension 4 and lengths (3,
    5) give 1."""
    shape, lengths, dim = (
        indexed_shape(operands),
        long_constant(operands, "lengths"),
        operands.option("seq_dim"),
    )
    if shape is None or lengths is None or not 0 <= dim < len(shape):
        return None
    return int((lengths > shape[dim]).sum())


@measures(lambda plan, value: with_constant(plan, "segment_ids", range(0, 2 * value + 1, 2)))
def segments_out_of_order(operands: Operands) -> Measured:
    """Number of segment ids that do not start at 0 or do not increase by 0 or 1. Example: ids (0, 0, 2) give
    1."""
    numbers = long_constant(operands, "segment_ids")
    if numbers is None or not numbers.size:
        return None
    steps = np.diff(numbers)
    return int(numbers[0] != 0) + int(((steps != 0) & (steps != 1)).sum())


@measures(
    lambda plan, value: with_constant(
        with_constant(plan, "num_segments", 4), "segment_ids", invalid(9, 0, value)
    )
)
def segments_out_of_range(operands: Operands) -> Measured:
    """Number of segment ids of ``num_segments`` or more; negative ids belong to no segment. Example:
    num_segments 3 and ids (0, 3) give 1."""
    numbers, count = long_constant(operands, "segment_ids"), short_constant(operands, "num_segments")
    return None if numbers is None or not count or count[0] < 0 else int((numbers >= count[0]).sum())

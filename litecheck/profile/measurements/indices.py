"""Measurements of indices: axes, permutations, new shapes, ends of ranges.

Most count errors, so 0 is correct. All are None if the tensor is absent, computed at run time, or not of integers. No
measurement assumes that the shapes match.
"""

from __future__ import annotations

from itertools import pairwise
from math import isfinite

from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import (
    LONG,
    Measured,
    Operands,
    count_axes_outside,
    indexed_shape,
    short_constant,
    stated_axes,
)
from litecheck.profile.measurements.register import (
    Setter,
    dimensions,
    invalid,
    measures,
    option_stated,
    with_constant,
    with_dtype,
)
from litecheck.profile.measurements.vocabulary import YES_OR_NO
from litecheck.profile.operator_plan import CHANNELS, Plan

_READ_TOGETHER = ("begin", "size", "indices", "shape", "start", "limit", "delta", "shape1", "shape2")


def _axes_setter(places: int) -> Setter:
    """Return a setter of the number of axes beyond the four dimensions; ``places`` is added to the axis."""

    def sets(plan: Plan, value: int) -> Plan | None:
        axes = [CHANNELS + places] * value or [0]
        if "axis" in plan.operands:
            return with_constant(plan, "axis", axes)
        return option_stated(plan, axes[0], "axis")

    return sets


def _permutation_setter(entry: int) -> Setter:
    """Return a setter of the number of wrong entries at the end of a permutation."""

    def sets(plan: Plan, value: int) -> Plan | None:
        wrong = [entry and entry + n for n in range(value)]
        return with_constant(plan, "perm", [*range(CHANNELS - value), *wrong])

    return sets


def _set_step(plan: Plan, value: str) -> Plan | None:
    for role, number in (("start", 0), ("limit", 4), ("delta", 0 if value == "yes" else 1)):
        plan = with_constant(plan, role, number)
    return plan


@measures(lambda plan, value: with_dtype(plan, value, *_READ_TOGETHER), beside_faults=False)
def index_types(operands: Operands) -> Measured:
    """Number of different dtypes of index tensors that a kernel reads together: begin and size, indices and
    shape, start, limit and delta. Example: int32 begin and int64 size give 2."""
    return len({tensor.dtype for role in _READ_TOGETHER for tensor in operands.roles.get(role, ())})


@measures(_axes_setter(0))
def axis_out_of_range(operands: Operands) -> Measured:
    """Number of axes outside the rank of the input; negative axes count from the end. Example: rank 4 and
    axes (1, 4) give 1."""
    shape = indexed_shape(operands)
    return None if shape is None else count_axes_outside(stated_axes(operands), len(shape))


@measures(_axes_setter(0))
def reduced_axis_out_of_range(operands: Operands) -> Measured:
    """Number of axes outside the rank of a reduced input, with or without keepdims; None for rank 0. Example: rank 4
    and axes (1, -5) give 1."""
    shape = indexed_shape(operands)
    return count_axes_outside(stated_axes(operands), len(shape)) if shape else None


@measures(_axes_setter(1))
def inserted_axis_out_of_range(operands: Operands) -> Measured:
    """Number of axes at which no dimension can be inserted: below -(rank + 1) or above rank. Example: rank 3
    and axis 4 give 1."""
    tensor = operands.one("input") or operands.one("values") or operands.one("indices")
    return None if tensor is None else count_axes_outside(stated_axes(operands), len(tensor.shape) + 1)


@measures(
    lambda plan, value: with_constant(plan, "axis", range(0, 2 * value + 1, 2)) if 0 <= value < 2 else None
)
def axes_apart(operands: Operands) -> Measured:
    """Number of gaps between the sorted axes of REVERSE_V2, which reverses adjacent dimensions only. Example:
    axes (0, 2, 3) give 1."""
    axes, shape = stated_axes(operands), indexed_shape(operands)
    if axes is None or shape is None or axis_out_of_range(operands):
        return None
    ordered = sorted(axis % len(shape) for axis in axes)
    return sum(b - a != 1 for a, b in pairwise(ordered))


@measures(lambda plan, value: with_constant(plan, "axis", 0).option(axis=0, batch_dims=value))
def batch_dims_out_of_range(operands: Operands) -> Measured:
    """1 if ``batch_dims`` of GATHER is above its axis or above the rank of the indices, else 0. Example: axis
    0 and batch_dims 1 give 1."""
    shape, indices, axes = indexed_shape(operands), operands.one("indices"), stated_axes(operands)
    if shape is None or indices is None or not axes:
        return None
    axis, dims = axes[0], operands.option("batch_dims")
    dims += len(indices.shape) if dims < 0 else 0
    axis += len(shape) if axis < 0 else 0
    return int(not 0 <= dims <= min(axis, len(indices.shape)))


@measures(_permutation_setter(CHANNELS + 1))
def perm_out_of_range(operands: Operands) -> Measured:
    """Number of entries of ``perm`` outside the rank of the input; negative entries count from the end.
    Example: rank 3 and perm (0, 3, 1) give 1."""
    shape, perm = indexed_shape(operands), short_constant(operands, "perm")
    return None if shape is None else count_axes_outside(perm, len(shape))


@measures(_permutation_setter(0))
def perm_repeats(operands: Operands) -> Measured:
    """Number of repeated dimensions in ``perm`` of a TRANSPOSE. Example: perm (0, 1, 1) gives 1."""
    shape, perm = indexed_shape(operands), short_constant(operands, "perm")
    if perm is None or not shape:
        return None
    return len(perm) - len({entry % len(shape) if -len(shape) <= entry < 0 else entry for entry in perm})


def _set_listed_dimensions(plan: Plan, value: int) -> Plan | None:
    if not 0 <= value <= CHANNELS:
        return None
    for role, number in (("begin", 0), ("end", 1), ("strides", 1)):
        plan = with_constant(plan, role, [number] * (CHANNELS - value))
    return plan.edit("input", lambda t: dimensions(t, [CHANNELS] * CHANNELS))


@measures(_set_listed_dimensions)
def whole_dimensions(operands: Operands) -> Measured:
    """Number of dimensions of the input after those that ``begin`` of STRIDED_SLICE lists. Example: input (2, 3, 4) and
    begin (0,) give 2."""
    shape, begin = indexed_shape(operands), short_constant(operands, "begin")
    return None if shape is None or begin is None else max(len(shape) - len(begin), 0)


def _new_shape(operands: Operands) -> list[int] | None:
    """Return RESHAPE's new shape: the operand's if it is int32 or computed, else the options'."""
    shape = operands.one("shape")
    if shape is not None and (not shape.is_constant or shape.dtype == "int32"):
        return short_constant(operands, "shape")
    options = operands.operator.options
    option_stated = options.get("new_shape", ()) if options is not None else ()
    return [int(v) for v in option_stated[:LONG]]


def _set_extra_elements(plan: Plan, value: int) -> Plan | None:
    plan = plan.edit("input", lambda t: dimensions(t, (CHANNELS,)))
    return plan.edit("output", lambda t: dimensions(t, (CHANNELS + value,))) if value >= 0 else None


@measures(_set_extra_elements)
def element_gap(operands: Operands) -> Measured:
    """Difference between the number of elements of input and output. Example: input (2, 6) and output (3, 5) give 3."""
    source, output = operands.one("input"), operands.one("output")
    return None if source is None or output is None else abs(source.size - output.size)


@measures(lambda plan, value: with_constant(plan, "shape", invalid(-1, 4, value)))
def stretched_dimensions(operands: Operands) -> Measured:
    """Number of dimensions of -1 in the new shape, which the kernel infers. Example: shape (-1, 4, -1) gives
    2."""
    shape = _new_shape(operands)
    return None if shape is None else shape.count(-1)


@measures(lambda plan, value: with_constant(plan, "shape", invalid(-2, 4, value)))
def negative_dimensions(operands: Operands) -> Measured:
    """Number of dimensions below -1 in the new shape. Example: shape (-2, 4) gives 1."""
    shape = _new_shape(operands)
    return None if shape is None else sum(dim < -1 for dim in shape)


@measures(lambda plan, value: plan.option(seq_dim=value and 9, batch_dim=9 if value == 2 else not value))
def sequence_dims_mismatch(operands: Operands) -> Measured:
    """Number of ``seq_dim`` and ``batch_dim`` outside the rank of the input; 1 if both are equal. Example:
    rank 3, seq_dim 5 and batch_dim 0 give 1."""
    shape = indexed_shape(operands)
    dims = [operands.option(name) for name in ("seq_dim", "batch_dim")]
    if shape is None:
        return None
    return sum(not 0 <= dim < len(shape) for dim in dims) or int(dims[0] == dims[1])


@measures(lambda plan, value: with_constant(plan, "fft_length", invalid(3, 4, value, 2)))
def fft_lengths_not_power_of_two(operands: Operands) -> Measured:
    """Number of FFT lengths that are not powers of two. Example: lengths (8, 6) give 1."""
    lengths = short_constant(operands, "fft_length")
    return None if lengths is None else sum(n < 1 or n & (n - 1) != 0 for n in lengths)


@measures(_set_step, "yes", "no", gives=YES_OR_NO)
def range_not_terminating(operands: Operands) -> Measured:
    """``yes`` if delta of RANGE is 0 or leads away from the limit, else ``no``. Example: start 0, limit 5 and
    delta -1 give ``yes``."""
    ends = [_scalar(operands.one(role)) for role in ("start", "limit", "delta")]
    start, limit, delta = ends
    if start is None or limit is None or delta is None:
        return None
    away = delta == 0 or (limit > start and delta < 0) or (limit < start and delta > 0)
    return "yes" if away else "no"


def _scalar(tensor: Tensor | None) -> float | int | None:
    if tensor is None or tensor.data is None or tensor.size != 1 or tensor.nbytes != len(tensor.data):
        return None
    values = stored_integers(tensor)
    if values is None or values.dtype.kind not in "iuf":
        return None
    value = values.reshape(-1)[0].item()
    return value if isinstance(value, (int, float)) and isfinite(value) else None


@measures(lambda plan, value: plan.option(index_vector_dim=9 * value))
def index_vector_dim_out_of_range(operands: Operands) -> Measured:
    """1 if ``index_vector_dim`` of STABLEHLO_GATHER is not a dimension of the indices, else 0. Example:
    indices of rank 2 and index_vector_dim 2 give 1."""
    indices = operands.one("indices")
    return None if indices is None else int(not 0 <= operands.option("index_vector_dim") < len(indices.shape))

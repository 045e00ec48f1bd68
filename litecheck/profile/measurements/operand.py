"""Measurements of a tensor: its dimensions, its parameters, and the values of a constant."""

from __future__ import annotations

import numpy as np

from litecheck.model.shapes.call import constant_integers, constant_numbers
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import Measured, one_scale, one_zero_point
from litecheck.profile.measurements.register import OperandSetter, dimensions, measures_operand, with_rank
from litecheck.profile.measurements.vocabulary import YES_OR_NO
from litecheck.profile.operator_plan import CHANNELS, TensorPlan
from litecheck.quantization import BITS, INTEGER_RANGES


def _set_lowest(tensor: TensorPlan, value: int) -> TensorPlan | None:
    low, high = INTEGER_RANGES.get(tensor.dtype, (0, -1))
    return tensor.with_zero_point(low - value) if low <= low - value <= high else None


@measures_operand(_set_lowest)
def lowest(tensor: Tensor) -> Measured:
    """Lowest value of the tensor, as stored integer - zero point. Example: int8 with zero point -128 gives 0,
    with zero point 3 gives -131."""
    zero_point = one_zero_point(tensor)
    return (
        None
        if zero_point is None or tensor.dtype not in INTEGER_RANGES
        else INTEGER_RANGES[tensor.dtype][0] - zero_point
    )


@measures_operand(with_rank)
def rank(tensor: Tensor) -> Measured:
    """Number of dimensions. Example: shape (1, 4, 4, 8) gives 4."""
    return len(tensor.shape)


def _length_setter(axis: int) -> OperandSetter:
    """Return a setter of the length of a dimension."""

    def sets(tensor: TensorPlan, value: int) -> TensorPlan | None:
        shape = list(tensor.shape)
        if value < 0 or len(shape) != CHANNELS:
            return None
        shape[axis] = value
        return dimensions(tensor, shape)

    return sets


@measures_operand(_length_setter(-1))
def channels(tensor: Tensor) -> Measured:
    """Size of the last dimension. Example: shape (1, 4, 4, 8) gives 8.

    Search words: depth, vector width, lanes, alignment of channels.
    """
    return tensor.shape[-1] if tensor.shape else None


@measures_operand(_length_setter(0))
def batch(tensor: Tensor) -> Measured:
    """Size of the first dimension. Example: shape (2, 4, 4, 8) gives 2."""
    return tensor.shape[0] if tensor.shape else None


@measures_operand(_length_setter(1))
def height(tensor: Tensor) -> Measured:
    """Size of dimension 1 of a tensor of rank 4. Example: shape (1, 5, 6, 8) gives 5.

    Search words: line buffer, image size.
    """
    return tensor.shape[1] if len(tensor.shape) == 4 else None


@measures_operand(_length_setter(2))
def width(tensor: Tensor) -> Measured:
    """Size of dimension 2 of a tensor of rank 4. Example: shape (1, 5, 6, 8) gives 6.

    Search words: line buffer, row length, image size.
    """
    return tensor.shape[2] if len(tensor.shape) == 4 else None


@measures_operand(lambda tensor, value: dimensions(tensor, (value,)) if value >= 0 else None)
def elements(tensor: Tensor) -> Measured:
    """Number of elements. Example: shape (2, 3) gives 6."""
    return tensor.size


def _set_bytes(tensor: TensorPlan, value: int) -> TensorPlan | None:
    count, rest = divmod(8 * value, BITS.get(tensor.dtype, 8))
    return dimensions(tensor, (count,)) if value >= 0 and not rest else None


@measures_operand(_set_bytes)
def stored_bytes(tensor: Tensor) -> Measured:
    """Number of bytes. Example: int16 of shape (2, 3) gives 12, int4 of shape (3,) gives 2.

    Search words: SRAM, memory, buffer, tile size.
    """
    return tensor.nbytes


def _set_int4(tensor: TensorPlan, value: int) -> TensorPlan | None:
    """Set int4 with a single scale, or with a scale for each channel."""
    return tensor.but(dtype="int4", values=None).with_scale([0.25] * (value if value < 2 else CHANNELS), 0)


@measures_operand(_set_int4)
def int4_scales(tensor: Tensor) -> Measured:
    """Number of scales of an int4 tensor. Example: int4 weights with a scale for each of 8 channels give 8."""
    return int(tensor.quantization.scale.size) if tensor.dtype == "int4" else None


@measures_operand(
    lambda tensor, value: (
        tensor.with_scale([0.25] * CHANNELS, [3] * value + [0] * (CHANNELS - value))
        if 0 <= value <= CHANNELS
        else None
    )
)
def channel_zero_points(tensor: Tensor) -> Measured:
    """Number of nonzero zero points of a tensor with per-axis scales. Example: zero points (0, 3, 0, 0) give
    1."""
    q = tensor.quantization
    return int(np.count_nonzero(q.zero_point)) if q.scale.size > 1 else None


def _fill(tensor: TensorPlan, value: int) -> TensorPlan:
    """Set a constant of one repeated number; int32 becomes int64 for a number beyond its range."""
    wide = tensor.dtype == "int32" and value > INTEGER_RANGES["int32"][1]
    return tensor.holding(np.full(tensor.shape, int(value)), "int64" if wide else "")


@measures_operand(_fill)
def largest(tensor: Tensor) -> Measured:
    """Largest magnitude of the stored integers of a constant. Example: values (-5, 3) give 5."""
    values = stored_integers(tensor) if tensor.dtype in INTEGER_RANGES else None
    return max(int(values.max()), -int(values.min())) if values is not None and values.size else None


@measures_operand(
    lambda tensor, value: (
        tensor.holding(np.zeros(tensor.shape)) if value == "yes" else tensor.but(values=None)
    ),
    "yes",
    "no",
    gives=YES_OR_NO,
)
def constant(tensor: Tensor) -> Measured:
    """``yes`` if the file holds the values of the tensor, else ``no``. Example: the output of an operator
    gives ``no``."""
    return "yes" if tensor.is_constant else "no"


@measures_operand(lambda tensor, value: tensor.with_scale(float(value)) if value > 0 else None)
def scale(tensor: Tensor) -> Measured:
    """Per-tensor scale, as an exact number. Example: the float32 scale 0.1 gives 13421773/134217728."""
    return one_scale(tensor)


@measures_operand(
    lambda tensor, value: tensor.holding(np.full(tensor.shape, value), "int64" if value >> 31 else "int32")
)
def smallest(tensor: Tensor) -> Measured:
    """Smallest value of an integer constant. Example: values (3, -1) give -1."""
    values = constant_integers(tensor)
    return None if values is None or not values.size else int(values.min())


def _count_setter(bad: int, good: int, dtype: str) -> OperandSetter:
    """Return a setter of the number of values equal to ``bad`` in a constant."""
    return lambda tensor, value: tensor.holding([bad] * value + [good] * max(CHANNELS - value, 0), dtype)


@measures_operand(_count_setter(0, 1, "int32"))
def zeros(tensor: Tensor) -> Measured:
    """Number of values of 0 in an integer constant. Example: values (0, 2, 0) give 2."""
    values = constant_integers(tensor)
    return None if values is None else int((values == 0).sum())


@measures_operand(_count_setter(0, 1, "float32"))
def float_zeros(tensor: Tensor) -> Measured:
    """Number of values of 0 in a float constant. Example: values (0.0, 1.5) give 1."""
    values = constant_numbers(tensor)
    return None if values is None or values.dtype.kind != "f" else int((values == 0).sum())


def _set_at_zero_point(tensor: TensorPlan, value: int) -> TensorPlan:
    zero = int(tensor.zero_point[0]) if tensor.zero_point.size else 0
    dtype = tensor.dtype if tensor.dtype in INTEGER_RANGES else "int32"
    return tensor.holding([zero] * value + [zero + 1] * max(CHANNELS - value, 0), dtype)


@measures_operand(_set_at_zero_point)
def at_zero_point(tensor: Tensor) -> Measured:
    """Number of values equal to the zero point in an integer constant, which represent 0. Without a zero
    point, values of 0 count. Example: values (3, 5, 3) and zero point 3 give 2."""
    values, zero_points = constant_integers(tensor), tensor.quantization.zero_point
    if values is None or zero_points.size > 1:
        return None
    return int((values == (int(zero_points[0]) if zero_points.size else 0)).sum())


@measures_operand(_count_setter(-1, 1, "int32"))
def unknowns(tensor: Tensor) -> Measured:
    """Number of values of -1 in an integer constant, which the kernel infers. Example: values (-1, 4) give 1."""
    values = constant_integers(tensor)
    return None if values is None else int((values == -1).sum())

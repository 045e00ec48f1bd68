"""Measurements of the quantization of the first input, the first weight and the first output."""

from __future__ import annotations

from itertools import islice

from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.register import measures
from litecheck.quantization import Quantization
from litecheck.targets.generators.feature_maps import (
    change_first_input,
    with_dtype,
    with_zero_point_beyond_8bit,
)
from litecheck.targets.measurements.feature_maps import TYPES_WITHOUT_SCALE, io_of
from litecheck.targets.measurements.quantization import INPUT_ZERO_POINTS


def _first_zero_point(tensor: Tensor) -> int:
    points = tensor.quantization.zero_point
    return int(points[0]) if points.size else 0


@measures(change_first_input(with_zero_point_beyond_8bit))
def first_input_zero_point_beyond_8bit(operands: Operands) -> Measured:
    """1 if the zero point of the first input is outside int8 or uint8, or not 0 for other dtypes, else 0. Example: an
    int16 input with zero point 5 gives 1."""
    io = io_of(operands)
    if io is None:
        return None
    return int(_first_zero_point(io[0]) not in INPUT_ZERO_POINTS.get(io[0].dtype, (0,)))


@measures(change_first_input(lambda t: t.but(dtype="int8", quantization=Quantization(), values=None)))
def unquantized_io(operands: Operands) -> Measured:
    """Number of tensors without a scale among the first input, the first weight and the first output; int32, int64, bool
    and float are not counted. Example: an int8 input without a scale and an int8 output with scale 0.5 give 1."""
    tensors = [*(io_of(operands) or ()), *islice(operands.of("weight"), 1)]
    return sum(not t.quantization.scale.size and t.dtype not in TYPES_WITHOUT_SCALE for t in tensors)


@measures(change_first_input(lambda t: with_dtype(t, "uint8").with_scale([0.5], -3)))
def nonzero_zero_point_io_int32(operands: Operands) -> Measured:
    """Number of tensors among the first input and the first output that are int32 with a zero point other than 0, or
    unsigned with a negative zero point. Example: an int32 input with zero point 3 gives 1."""
    tensors = io_of(operands) or ()
    return sum(
        _first_zero_point(t) != 0
        if t.dtype == "int32"
        else t.dtype.startswith("uint") and _first_zero_point(t) < 0
        for t in tensors
    )

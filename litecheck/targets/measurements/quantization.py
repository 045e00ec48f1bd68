"""Measurements of scales and zero points of feature maps, and of their differences between inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from litecheck.model.build import qparams
from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands, everything, once
from litecheck.profile.measurements.register import Setter, measures
from litecheck.profile.operators import traits_of
from litecheck.targets.generators.feature_maps import (
    change_first_input,
    change_first_output,
    set_io_scale_mismatch,
    set_quantization_count,
    set_unquantized_inputs,
    with_dtype,
    with_two_scales,
    with_zero_point_beyond_8bit,
)
from litecheck.targets.measurements.feature_maps import (
    TYPES_WITHOUT_SCALE,
    feature_maps_of,
    io_of,
    outputs_of,
    set_first_role,
)

#: Zero points of inputs by dtype; dtypes without an entry have a zero point of 0.
INPUT_ZERO_POINTS = {"int8": range(-128, 128), "uint8": range(256), "uint16": (0, 32768)}
#: Zero points of outputs: of signed integers (True), and of all other dtypes (False).
_OUTPUT_ZERO_POINTS = {True: range(-128, 128), False: frozenset((*range(256), 32768))}
_HUGE, _TINY = 2.0**32, 2.0**-60


@once
def _are_ordinary(operands: Operands) -> bool:
    """Return True if every feature map has a single ordinary scale and a zero point that its dtype allows.

    Most operators have. The measurements of single scales and zero points then need no further look.
    """
    for t in feature_maps_of(operands):
        scale, points = t.quantization.scale, t.quantization.zero_point
        if scale.size != 1 or points.size != 1 or not _TINY < scale.item() < _HUGE:
            return False
        if points.item() not in INPUT_ZERO_POINTS.get(t.dtype, (0,)):
            return False
    return True


def _set_scale(scale: float, zero_point: int = 0, dtype: str = "int8") -> Setter:
    return set_first_role({"quantization": qparams(scale, zero_point), "dtype": dtype})


def _are_below_2_32(scales: NDArray[np.float32]) -> bool:
    """Return True if no scale can be 2^32 or more. Several scales are tested by the sum of their squares."""
    if scales.size == 1:
        return -_HUGE < scales.item() < _HUGE
    return not scales.size or bool(scales.dot(scales) < _HUGE)


@once
def _tensors_with_large_scales(operands: Operands) -> list[Tensor]:
    """Return tensors that include all with a scale that is not finite, or 2^32 or more."""
    return [t for t in everything(operands) if not _are_below_2_32(t.quantization.scale)]


@measures(_set_scale(_HUGE))
def scales_above_2_32(operands: Operands) -> Measured:
    """Number of tensors with a scale of 2^32 or more. Example: input scale 2^32 and output scale 0.5 give 1."""
    return sum(bool((t.quantization.scale >= _HUGE).any()) for t in _tensors_with_large_scales(operands))


@measures(change_first_input(with_two_scales))
def per_axis_feature_maps(operands: Operands) -> Measured:
    """Number of tensors with more than one scale, except weights and biases. Example: input scales 0.5, 0.25 and output
    scale 0.5 give 1.

    Search words: per-channel quantization of activations.
    """
    return sum(t.quantization.scale.size > 1 for t in _all_but_weights(operands))


def _all_but_weights(operands: Operands) -> Iterator[Tensor]:
    domains = traits_of(operands.operator.kind).inputs
    for role, tensors in operands.roles.items():
        if domains.get(role) not in ("weight", "bias"):
            yield from tensors


@measures(set_unquantized_inputs)
def unquantized_feature_maps(operands: Operands) -> Measured:
    """Number of feature maps and weights without a scale, except states and dtypes that need none (int32, int64, bool,
    float). Example: an int8 input without a scale and an int8 output with scale 0.5 give 1."""
    states = {t.index for t in operands.of("state")}
    feature_maps = () if _are_ordinary(operands) else feature_maps_of(operands)
    tensors = (t for t in (*feature_maps, *operands.of("weight")) if t.index not in states)
    return sum(not t.quantization.scale.size and t.dtype not in TYPES_WITHOUT_SCALE for t in tensors)


def _largest_zero_point(tensor: Tensor) -> int:
    points = tensor.quantization.zero_point
    if points.size < 2:
        return points.item(0) if points.size else 0
    return int(points[np.argmax(np.abs(points))])


@measures(change_first_input(lambda t: with_dtype(t, "int32").with_scale([0.5], 3)))
def nonzero_zero_point_int32(operands: Operands) -> Measured:
    """Number of int32 feature maps with a zero point other than 0, and of unsigned feature maps with a negative zero
    point. Example: an int32 input with zero point 3 gives 1."""
    tensors = feature_maps_of(operands)
    signed = sum(t.dtype == "int32" and _largest_zero_point(t) != 0 for t in tensors)
    return signed + sum(t.dtype.startswith("uint") and _largest_zero_point(t) < 0 for t in tensors)


def quantizations_of(tensors: Sequence[Tensor]) -> set[tuple[bytes, bytes]]:
    """Return the different pairs of scales and zero points."""
    return {(t.quantization.scale.tobytes(), t.quantization.zero_point.tobytes()) for t in tensors}


@measures(set_quantization_count)
def feature_map_quantizations(operands: Operands) -> Measured:
    """Number of different pairs of scale and zero point of the feature maps. Example: MAXIMUM of two inputs with
    (0.5, 3) to an output with (0.25, 3) gives 2."""
    return len(quantizations_of(feature_maps_of(operands)))


@measures(set_io_scale_mismatch)
def io_scale_mismatch(operands: Operands) -> Measured:
    """1 if the first input and the first output have different scales, else 0. Example: RESHAPE from scale 0.5 to 0.25
    gives 1."""
    io = io_of(operands)
    if io is None or not all(t.quantization.scale.size for t in io):
        return 0
    return len({t.quantization.scale.tobytes() for t in io}) - 1


@measures(change_first_input(with_zero_point_beyond_8bit))
def input_zero_points_beyond_8bit(operands: Operands) -> Measured:
    """Number of inputs with a zero point that their dtype does not allow: -128..127 for int8, 0..255 for uint8, 0 or
    32768 for uint16, 0 for all other dtypes. Example: an int16 input with zero point 5 gives 1."""
    feature_maps = () if _are_ordinary(operands) else feature_maps_of(operands)
    inputs = [
        *operands.roles.get("indices", ()),
        *(t for t in feature_maps if t.index not in operands.operator.outputs),
    ]
    return sum(_largest_zero_point(t) not in INPUT_ZERO_POINTS.get(t.dtype, (0,)) for t in inputs)


@measures(change_first_output(with_zero_point_beyond_8bit))
def output_zero_points_beyond_8bit(operands: Operands) -> Measured:
    """Number of outputs with a zero point outside -128..127 (signed dtypes), or outside 0..255 and 32768 (all other
    dtypes). Example: an int16 output with zero point 200 gives 1."""
    outputs = () if _are_ordinary(operands) else outputs_of(operands)
    return sum(_largest_zero_point(t) not in _OUTPUT_ZERO_POINTS[t.dtype.startswith("int")] for t in outputs)

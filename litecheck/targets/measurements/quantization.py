"""Measurements of scales and zero points of feature maps, and of how they differ between what goes in and what comes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from litecheck.model.build import quantized
from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import Measured, Operands, everything, once
from litecheck.profile.measurements.register import Setter, measures
from litecheck.profile.operators import facts_of
from litecheck.targets.generators.feature_maps import (
    first_map,
    offset,
    per_axis,
    quantizations,
    rescaled,
    results,
    typed,
    unscaled,
)  # fmt: skip
from litecheck.targets.measurements.feature_maps import (
    PLAIN,
    ends_of,
    first,
    maps_of,
    results_of,
)

#: The zero points a type may have that is not plain.
POINTS = {"int8": range(-128, 128), "uint8": range(256), "uint16": (0, 32768)}
#: The zero points of results, by whether they have a sign.
_SIGNED = {True: range(-128, 128), False: frozenset((*range(256), 32768))}
_HUGE, _TINY = 2.0**32, 2.0**-60


@once
def _everyday(operands: Operands) -> bool:
    """Whether each feature map has one scale of everyday size and one zero point that its type may have: nearly all have,
    and what is asked of scales and zero points one by one is then settled."""
    for t in maps_of(operands):
        scale, points = t.quantization.scale, t.quantization.zero_point
        if scale.size != 1 or points.size != 1 or not _TINY < scale.item() < _HUGE:
            return False
        if points.item() not in POINTS.get(t.dtype, (0,)):
            return False
    return True


def _scaled(scale: float, zero_point: int = 0, dtype: str = "int8") -> Setter:
    return first({"quantization": quantized(scale, zero_point), "dtype": dtype})


def _usual(scales: NDArray[np.float32]) -> bool:
    """Whether none can be odd: of several, where the sum of their squares is no more than one of them may be."""
    if scales.size == 1:
        return -_HUGE < scales.item() < _HUGE
    return not scales.size or bool(scales.dot(scales) < _HUGE)


@once
def _oddly_scaled(operands: Operands) -> list[Tensor]:
    """The operands among which are all with a scale that is not finite, or of 2^32 or above."""
    return [t for t in everything(operands) if not _usual(t.quantization.scale)]


@measures(_scaled(_HUGE))
def scales_above_2_32(operands: Operands) -> Measured:
    """How many operands state a scale of 2^32 or above."""
    return sum(bool((t.quantization.scale >= _HUGE).any()) for t in _oddly_scaled(operands))


@measures(first_map(per_axis))
def per_axis_feature_maps(operands: Operands) -> Measured:
    """How many operands that are no weights or biases state more than one scale."""
    return sum(t.quantization.scale.size > 1 for t in _but_weights(operands))


def _but_weights(operands: Operands) -> Iterator[Tensor]:
    facts = facts_of(operands.operator.kind).inputs
    for role, tensors in operands.roles.items():
        if facts.get(role) not in ("weight", "bias"):
            yield from tensors


@measures(unscaled)
def unquantized_feature_maps(operands: Operands) -> Measured:
    """How many feature maps and weights state no scale and are of a type whose integers stand for reals; states aside."""
    states = {t.index for t in operands.of("state")}
    maps = () if _everyday(operands) else maps_of(operands)
    tensors = (t for t in (*maps, *operands.of("weight")) if t.index not in states)
    return sum(not t.quantization.scale.size and t.dtype not in PLAIN for t in tensors)


def _zero(t: Tensor) -> int:
    points = t.quantization.zero_point
    if points.size < 2:
        return points.item(0) if points.size else 0
    return int(points[np.argmax(np.abs(points))])


@measures(first_map(lambda t: typed(t, "int32").scaled([0.5], 3)))
def nonzero_zero_point_int32(operands: Operands) -> Measured:
    """How many feature maps are int32 with a zero point other than 0, or unsigned with one below."""
    tensors = maps_of(operands)
    wide = sum(t.dtype == "int32" and _zero(t) != 0 for t in tensors)
    return wide + sum(t.dtype.startswith("uint") and _zero(t) < 0 for t in tensors)


def quantizations_of(tensors: Sequence[Tensor]) -> set[tuple[bytes, bytes]]:
    return {(t.quantization.scale.tobytes(), t.quantization.zero_point.tobytes()) for t in tensors}


@measures(quantizations)
def feature_map_quantizations(operands: Operands) -> Measured:
    """How many different scales and zero points the feature maps have."""
    return len(quantizations_of(maps_of(operands)))


@measures(rescaled)
def io_scale_mismatch(operands: Operands) -> Measured:
    """1 where the result's scale is another than the first input's and both state one, else 0."""
    ends = ends_of(operands)
    if ends is None or not all(t.quantization.scale.size for t in ends):
        return 0
    return len({t.quantization.scale.tobytes() for t in ends}) - 1


@measures(first_map(offset))
def input_zero_points_beyond_8bit(operands: Operands) -> Measured:
    """How many feature maps and indices that go in have a zero point outside int8 or uint8, or of another type one other
    than 0."""
    maps = () if _everyday(operands) else maps_of(operands)
    inputs = [
        *operands.roles.get("indices", ()),
        *(t for t in maps if t.index not in operands.operator.outputs),
    ]
    return sum(_zero(t) not in POINTS.get(t.dtype, (0,)) for t in inputs)


@measures(results(offset))
def output_zero_points_beyond_8bit(operands: Operands) -> Measured:
    """How many results have a zero point outside the 8 bits of their sign, 32768 of those without sign aside."""
    results = () if _everyday(operands) else results_of(operands)
    return sum(_zero(t) not in _SIGNED[t.dtype.startswith("int")] for t in results)

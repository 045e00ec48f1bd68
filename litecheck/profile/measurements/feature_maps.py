"""Measurements of feature maps, what an accelerator streams through: inputs and results that are data, not parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.model.build import quantized
from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import Measured, Operands, everything, once, word
from litecheck.profile.measurements.register import Setter, measures
from litecheck.profile.measurements.set_axes import first_typed
from litecheck.profile.measurements.set_maps import (
    first_map,
    fused_words,
    input_typed,
    offset,
    parameters,
    per_axis,
    quantizations,
    quotient,
    rescaled,
    results,
    shortened,
    signs_mixed,
    typed,
    types_apart,
    unscaled,
)  # fmt: skip
from litecheck.profile.measurements.vocabulary import TYPES
from litecheck.profile.operators import facts_of
from litecheck.profile.plan import Plan

#: Types whose integers may stand for themselves.
PLAIN = ("int32", "int64", "bool", "float32", "float16", "bfloat16", "float64")
#: The types of feature maps that every accelerator streams.
NARROW = ("int8", "int16", "uint8")
_HUGE = 2.0**32


@once
def maps_of(operands: Operands) -> Sequence[Tensor]:
    """The feature maps that go in and come out."""
    steering = parameters(operands.operator.kind)
    return [t for role, ts in operands.roles.items() if role not in steering for t in ts]


def _first(change: dict[str, Any]) -> Setter:
    """Sets the count to 1, or 0, by a change of the first operand."""

    def sets(plan: Plan, value: Any) -> Plan | None:
        role = next((r for r in plan.inputs if plan.operands.get(r)), None)
        if role is None or value not in (0, 1):
            return None
        return plan.edit(role, lambda t: t.but(**change) if value else t)

    return sets


def _scaled(scale: float, zero_point: int = 0, dtype: str = "int8") -> Setter:
    return _first({"quantization": quantized(scale, zero_point), "dtype": dtype})


@measures(first_map(lambda t: t.but(dtype="bool", values=None)))
def bool_maps(operands: Operands) -> Measured:
    """How many feature maps that are computed and have dimensions hold truth values."""
    return sum(t.dtype == "bool" and t.data is None and bool(t.shape) for t in maps_of(operands))


@measures(first_map(lambda t: t.but(dtype="bool", values=None)))
def bool_borders(operands: Operands) -> Measured:
    """How many feature maps that have dimensions and go into the subgraph or come out of it hold truth values."""
    maps = [t for t in maps_of(operands) if t.dtype == "bool" and t.data is None and t.shape]
    if not maps:
        return 0
    borders = {*operands.subgraph.inputs, *operands.subgraph.outputs}
    return sum(t.index in borders for t in maps)


def _usual(scales: NDArray[np.float32]) -> bool:
    if scales.size == 1:
        return -_HUGE < scales.item() < _HUGE
    return not scales.size or bool(np.abs(scales).max() < _HUGE)


@once
def _oddly_scaled(operands: Operands) -> list[Tensor]:
    """The operands with a scale that is not finite, or of 2^32 or above."""
    return [t for t in everything(operands) if not _usual(t.quantization.scale)]


@measures(_scaled(float("inf")))
def infinite_scales(operands: Operands) -> Measured:
    """How many operands state a scale that is no finite number."""
    return sum(not np.isfinite(t.quantization.scale).all() for t in _oddly_scaled(operands))


@measures(_scaled(_HUGE))
def huge_scales(operands: Operands) -> Measured:
    """How many operands state a scale of 2^32 or above."""
    return sum(bool((t.quantization.scale >= _HUGE).any()) for t in _oddly_scaled(operands))


@measures(_first({"shape": (), "values": None}))
def scalar_maps(operands: Operands) -> Measured:
    """How many operands that are computed have no dimensions, those between an operator's steps among them."""
    between = operands.operator.intermediates
    inner = [operands.subgraph.tensors[i] for i in between if i >= 0] if between else []
    return sum(not t.shape and t.data is None for t in (*everything(operands), *inner))


@measures(first_map(per_axis))
def per_axis_maps(operands: Operands) -> Measured:
    """How many operands that are no weights or biases state more than one scale."""
    return sum(t.quantization.scale.size > 1 for t in _but_weights(operands))


def _but_weights(operands: Operands) -> Iterator[Tensor]:
    facts = facts_of(operands.operator.kind).inputs
    for role, tensors in operands.roles.items():
        if facts.get(role) not in ("weight", "bias"):
            yield from tensors


def _fuses(operands: Operands) -> bool:
    return word(operands, "fused_activation_function") not in (None, "NONE")


def _results(operands: Operands) -> list[Tensor]:
    return [t for t in maps_of(operands) if t.index in operands.operator.outputs]


@measures(results(per_axis, fused=True))
def fused_per_axis_results(operands: Operands) -> Measured:
    """How many results state more than one scale where an activation is fused into the operator."""
    return sum(t.quantization.scale.size > 1 for t in _results(operands)) if _fuses(operands) else 0


@measures(shortened)
def downcast(operands: Operands) -> Measured:
    """1 where the result is of another type than the input, unless int8 becomes int16, else 0."""
    ends = ends_of(operands)
    if ends is None:
        return None
    types = (ends[0].dtype, ends[1].dtype)
    return int(types[0] != types[1] and types != ("int8", "int16"))


@measures(unscaled)
def unquantized_maps(operands: Operands) -> Measured:
    """How many feature maps and weights state no scale and are of a type whose integers stand for reals; states aside."""
    states = {t.index for t in operands.of("state")}
    tensors = (t for t in (*maps_of(operands), *operands.of("weight")) if t.index not in states)
    return sum(not t.quantization.scale.size and t.dtype not in PLAIN for t in tensors)


def _zero(t: Tensor) -> int:
    points = t.quantization.zero_point
    if points.size < 2:
        return points.item(0) if points.size else 0
    return int(points[np.argmax(np.abs(points))])


@measures(first_map(lambda t: typed(t, "int32").scaled([0.5], 3)))
def offset_integers(operands: Operands) -> Measured:
    """How many feature maps are int32 with a zero point other than 0, or unsigned with one below."""
    tensors = maps_of(operands)
    wide = sum(t.dtype == "int32" and _zero(t) != 0 for t in tensors)
    return wide + sum(t.dtype.startswith("uint") and _zero(t) < 0 for t in tensors)


@once
def ends_of(operands: Operands) -> tuple[Tensor, Tensor] | None:
    """The first feature map that goes in and the first result."""
    made = operands.operator.outputs
    source = next((t for t in maps_of(operands) if t.index not in made), None)
    result = next((t for t in maps_of(operands) if t.index in made), None)
    return None if source is None or result is None else (source, result)


@measures(quotient)
def overflowing_quotient(operands: Operands) -> Measured:
    """1 where the input's scale over the output's is beyond float32, else 0."""
    ends = ends_of(operands)
    if ends is None or not all(t.quantization.scale.size for t in ends):
        return 0
    over, under = (t.quantization.scale.item(0) for t in ends)
    if under and 2.0**-126 < abs(over / under) < 2.0**127:
        return 0
    with np.errstate(all="ignore"):
        quotient = np.float32(over) / np.float32(under)
    return int(not np.isfinite(quotient))


def quantizations_of(tensors: Sequence[Tensor]) -> set[tuple[bytes, bytes]]:
    return {(t.quantization.scale.tobytes(), t.quantization.zero_point.tobytes()) for t in tensors}


@measures(quantizations)
def map_quantizations(operands: Operands) -> Measured:
    """How many different scales and zero points the feature maps have."""
    return len(quantizations_of(maps_of(operands)))


@measures(rescaled)
def requantized_result(operands: Operands) -> Measured:
    """1 where the result's scale is another than the first input's and both state one, else 0."""
    ends = ends_of(operands)
    if ends is None or not all(t.quantization.scale.size for t in ends):
        return 0
    return len({t.quantization.scale.tobytes() for t in ends}) - 1


@measures(types_apart)
def map_types(operands: Operands) -> Measured:
    """How many types the first input and the first result have."""
    ends = ends_of(operands)
    return None if ends is None else len({t.dtype for t in ends})


@measures(input_typed, *NARROW, "int32", "int64", "bool", gives=TYPES)
def input_type(operands: Operands) -> Measured:
    """The type of the first input."""
    ends = ends_of(operands)
    return None if ends is None else ends[0].dtype


@measures(input_typed, *NARROW, "int32", "int64", "bool", gives=TYPES)
def listed_type(operands: Operands) -> Measured:
    """The type of the first input, where a list and not the reader of models speaks of it."""
    return input_type(operands)


@measures(signs_mixed)
def unsigned_mix(operands: Operands) -> Measured:
    """1 where the first input is unsigned and the result is neither of its type nor int32, or the input is a signed
    integer and the result is none; else 0."""
    ends = ends_of(operands)
    if ends is None or not ends[0].dtype.startswith(("int", "uint")):
        return None
    source, result = (t.dtype for t in ends)
    if source.startswith("u"):
        return int(result not in (source, "int32"))
    return int(not result.startswith("int"))


@measures(first_typed("int32"))
def wide_maps(operands: Operands) -> Measured:
    """How many feature maps are int32."""
    return sum(t.dtype == "int32" for t in maps_of(operands))


@measures(fused_words)
def fused_wide_maps(operands: Operands) -> Measured:
    """How many results are int32 where an activation is fused into the operator."""
    return sum(t.dtype == "int32" for t in _results(operands)) if _fuses(operands) else 0


#: The zero points a type may have that is not plain.
POINTS = {"int8": range(-128, 128), "uint8": range(256), "uint16": (0, 32768)}


@measures(first_map(offset))
def input_zero_points(operands: Operands) -> Measured:
    """How many feature maps and indices that go in have a zero point outside int8 or uint8, or of another type one other
    than 0."""
    inputs = [
        *operands.roles.get("indices", ()),
        *(t for t in maps_of(operands) if t.index not in operands.operator.outputs),
    ]
    return sum(_zero(t) not in POINTS.get(t.dtype, (0,)) for t in inputs)


#: The zero points of results, by whether they have a sign.
_SIGNED = {True: range(-128, 128), False: frozenset((*range(256), 32768))}


@measures(results(offset))
def output_zero_points(operands: Operands) -> Measured:
    """How many results have a zero point outside the 8 bits of their sign, 32768 of those without sign aside."""
    return sum(_zero(t) not in _SIGNED[t.dtype.startswith("int")] for t in _results(operands))


@measures(first_typed("int64"))
def longest_maps(operands: Operands) -> Measured:
    """How many feature maps that go in are int64."""
    return sum(t.dtype == "int64" for t in maps_of(operands) if t.index not in operands.operator.outputs)


@measures(first_typed("int32"))
def narrow_maps(operands: Operands) -> Measured:
    """How many feature maps are neither int8, int16, uint8 nor truth values."""
    return sum(t.dtype not in (*NARROW, "bool") for t in maps_of(operands))

"""Table lookup as in LiteRT: 256 entries for 8-bit tensors, interpolation between 513 entries for 16-bit tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.numerics.fixedpoint import Ints, round_half_away
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, Operand, OutputSpec

Floats: TypeAlias = Array
Real: TypeAlias = Callable[[Floats], Floats]

_FLOAT32 = np.float32
#: Elements per tile: their indices, 8 bytes each, fit into a second-level cache.
TILE = 1 << 15
#: 256 values of an 8-bit type, by its numpy kind, in the order of their bytes.
_EVERY: dict[str, Ints] = {
    kind: np.arange(256, dtype=np.uint8).view(f"{kind}1").astype(np.int64) for kind in "iu"
}
for _values in _EVERY.values():
    _values.flags.writeable = False


def libm(function: Real) -> Real:
    """Return a float32 function of the C library: the float64 output rounded once (glibc differs in about 1 of 1000)."""

    def rounded(x: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return np.asarray(function(x.astype(np.float64))).astype(x.dtype)

    return rounded


def each_value(data: Array, function: Callable[[Ints], Ints], dtype: str) -> Array:
    """Return ``function`` of every element. For an 8-bit tensor it is computed once for each of the 256 values."""
    stored_type = np.dtype(NUMPY_TYPES[dtype])
    if data.itemsize > 1 or data.size < 256:
        return function(data.astype(np.int64)).astype(stored_type)
    table = function(_EVERY[data.dtype.kind]).astype(stored_type)
    return take_entries(table, data.view(np.uint8))


def take_entries(table: Array, index: Array) -> Array:
    """Return table[index] for a table of rank 1. ``take`` is three times faster, but needs 8 bytes for each index."""
    flat = index.reshape(-1)
    made = np.empty(flat.shape, table.dtype)
    for at in range(0, flat.size, TILE):
        made[at : at + TILE] = table.take(flat[at : at + TILE])
    return made.reshape(index.shape)


def entries(x: Ints, function: Real, input: Operand, output: OutputSpec, round_: str) -> Ints:
    """Return the table of an 8-bit operator in LiteRT: round(f(s (x - z)) / s_out) + z_out, saturated.

    All steps are in float32: the product, f, the product with the reciprocal of the output scale, rounding half away and
    adding the zero point. With ``half-even`` (XNNPACK), the zero point is added before rounding half to even. Values
    beyond int32 saturate, which is undefined in C++. Source: tflite/kernels/internal/common.h, LUTPopulateInt8.
    """
    with np.errstate(all="ignore"):
        real = function(input.scale * (x - input.zero_point).astype(np.float32))
        scaled, zero_point = real * (_FLOAT32(1) / output.scale), _FLOAT32(output.zero_point)
        half_even = round_ == "half-even"
        rounded = np.rint(scaled + zero_point) if half_even else round_half_away(scaled) + zero_point
    low, high = INTEGER_RANGES[output.dtype]
    stored: Ints = np.clip(rounded, low, high).astype(np.int64)
    return stored


def words(function: Real, ends: tuple[Any, Any], out_ends: tuple[Any, Any]) -> Ints:
    """Return the 513 entries between ``ends`` from which 16-bit operators interpolate, in the width of the ends' type.

    An entry is the value of the function minus half the error of the straight line to the next entry, at its middle.
    Source: tflite/kernels/internal/common.h, LUTPopulateInt16.
    """
    (low, high), (out_low, out_high) = ends, out_ends
    width = type(low)
    step = (high - low) / width(512)
    inverse = width(65536) / (out_high - out_low)
    i = np.arange(512).astype(width)
    start = low + i * step
    with np.errstate(all="ignore"):
        value, middle = function(start) * inverse, function(start + step / width(2)) * inverse
        following = function(low + (i + width(1)) * step) * inverse
        sample = round_half_away(value)
        error = round_half_away((following + sample) / width(2)) - round_half_away(middle)
        last = round_half_away(function(np.array([high], width)) * inverse)
        bias = round_half_away(error / width(2))
        table = np.append(sample - np.where(np.isfinite(error), bias, 0), last)
    entries: Ints = np.clip(table, -32768, 32767).astype(np.int64)
    return entries


def interpolate(x: Ints, table: Ints) -> Ints:
    """Return int16 values interpolated from 513 entries: the upper 9 bits select two, the lower 7 a position between
    them."""
    index = 256 + (x >> 7)
    base = table[index]
    slope = (table[index + 1] - base).astype(np.int16).astype(np.int64)
    between: Ints = (base + ((slope * (x & 127) + 64) >> 7)).astype(np.int16).astype(np.int64)
    return between


def _ends(scale: np.float32, zero_point: int) -> tuple[np.float32, np.float32]:
    return scale * _FLOAT32(-32768 - zero_point), scale * _FLOAT32(32767 - zero_point)


def look_up(input: Operand, output: OutputSpec, function: Real, round_: str = "half-away") -> Array:
    """Return f of a tensor: a table entry in 8 bits, interpolated between two entries in 16 bits, direct in float32."""
    if input.dtype == "float32":
        return function(input.data)
    if input.dtype != "int16":
        return each_value(input.data, lambda x: entries(x, function, input, output, round_), output.dtype)
    ends = _ends(input.scale, input.zero_point), _ends(output.scale, output.zero_point)
    table = words(function, *ends)
    return interpolate(input.data.astype(np.int64), table).astype(np.int16)


def quotient(width: str, *factors: np.float32, over: np.float32) -> float:
    """Return the product of scales divided by a scale, in ``float32`` (LiteRT's activations) or ``float64``.

    For example, 0.1 * 0.2 / 0.3 gives 0.06666667014 in float32 and 0.06666666601 in float64.
    """
    wide = _FLOAT32 if width == "float32" else np.float64
    product = wide(factors[0])
    for factor in factors[1:]:
        product = product * wide(factor)
    return float(product / wide(over))

"""Quantization in every variant that a device may have: a recipe of named choices, computed for selected elements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from litecheck.quantizer.rounding import ROUNDINGS
from litecheck.quantizer.types import Parameters

Arithmetic = Literal["float32", "float64", "float16", "reciprocal"]
Scales = Literal["given", "float16", "bfloat16", "largest", "first"]
ZeroPoints = Literal["given", "plus-1", "minus-1", "negated", "ignored"]
Saturation = Literal["full", "symmetric", "7-bit", "wrap-around"]

Floats = NDArray[Any]
Integers = NDArray[np.int64]

#: Limit of quotients before they become integers: far beyond every stored type, and safe to add to.
_HUGE = float(2**62)


@dataclass(frozen=True, slots=True)
class Recipe:
    """A variant of the computation from a real value to a stored integer. Each field is a choice.

    ``axis`` is the dimension of the scales, -1 for the axis of the parameters.
    """

    rounding: str = "half-away"
    zero_point_first: bool = False
    arithmetic: Arithmetic = "float32"
    scale: Scales = "given"
    axis: int = -1
    zero_point: ZeroPoints = "given"
    saturation: Saturation = "full"


def quantize_with(
    recipe: Recipe, real: Floats, scale: Floats, zero_point: Integers, limits: tuple[int, int]
) -> Integers:
    """Return the integers that a device with this recipe stores for finite real values, element by element.

    ``scale`` and ``zero_point`` broadcast against ``real``. ``limits`` is the range of the stored type.
    """
    with np.errstate(all="ignore"):
        quotient = _divide(recipe.arithmetic, real, _SCALES.get(recipe.scale, np.asarray)(scale))
        offset = _ZERO_POINTS[recipe.zero_point](zero_point)
        if recipe.zero_point_first:
            quotient, offset = quotient + offset.astype(quotient.dtype), np.zeros(1, np.int64)
        rounded = ROUNDINGS[recipe.rounding](quotient).astype(np.float64)
    whole = np.clip(np.nan_to_num(rounded), -_HUGE, _HUGE).astype(np.int64)
    return _saturate(recipe.saturation, whole + offset, *limits)


def _divide(arithmetic: Arithmetic, real: Floats, scale: Floats) -> Floats:
    if arithmetic == "reciprocal":
        one = np.float32(1)
        product: Floats = real.astype(np.float32) * (one / scale.astype(np.float32))
        return product
    dtype = np.dtype(arithmetic)
    return real.astype(dtype) / scale.astype(dtype)


def _to_bfloat16(scale: Floats) -> Floats:
    """Round to the nearest bfloat16, ties to even, and return it as float32. For example, 0.1 becomes 0.10009765625."""
    bits = scale.astype(np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return rounded.astype(np.uint32).view(np.float32)


_SCALES: dict[str, Callable[[Floats], Floats]] = {
    "float16": lambda s: s.astype(np.float16).astype(np.float32),
    "bfloat16": _to_bfloat16,
}

_ZERO_POINTS: dict[str, Callable[[Integers], Integers]] = {
    "given": lambda z: z,
    "plus-1": lambda z: z + 1,
    "minus-1": lambda z: z - 1,
    "negated": lambda z: -z,
    "ignored": lambda z: z * 0,
}


def _saturate(saturation: Saturation, values: Integers, low: int, high: int) -> Integers:
    if saturation == "wrap-around":
        return (values - low) % (high - low + 1) + low
    if saturation == "symmetric":
        low = max(low, -high)
    elif saturation == "7-bit":
        low, high = (low // 2, high // 2) if low else (0, high // 2)
    return np.clip(values, low, high)


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """The parameters of single elements, by their position in a tensor of ``shape`` in C order."""

    parameters: Parameters
    shape: tuple[int, ...]

    def at(self, positions: Integers, recipe: Recipe) -> tuple[Floats, Integers]:
        """Return scale and zero point of each element, by the recipe's choice of scales."""
        scales = self.parameters.scale.reshape(-1)
        zeros = self.parameters.zero_point
        offsets = np.zeros(scales.size, np.int64) if zeros is None else zeros.astype(np.int64).reshape(-1)
        if recipe.scale in ("largest", "first"):
            one = int(scales.argmax()) if recipe.scale == "largest" else 0
            return scales[one : one + 1], offsets[one : one + 1]
        slots = self._slots(positions, recipe.axis)
        return scales[slots % scales.size], offsets[slots % offsets.size]

    def _slots(self, positions: Integers, other: int) -> Integers:
        axis = self.parameters.axis
        if axis is None:
            return np.zeros(1, np.int64)
        axis = (axis if other < 0 else other) % len(self.shape)
        inner = int(np.prod(self.shape[axis + 1 :], dtype=np.int64))
        channel = positions // inner % self.shape[axis]
        block = self.parameters.block_size
        if not block:
            return channel
        blocks = -(-self.shape[axis] // block)
        outer = positions // (inner * self.shape[axis])
        return (outer * blocks + channel // block) * inner + positions % inner

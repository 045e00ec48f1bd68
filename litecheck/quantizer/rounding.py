"""Rounding modes by name, and the conversion of rounded quotients to stored integers: zero point and saturation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[Any]


def _half(up: Callable[[Floats], Any], down: Callable[[Floats], Any]) -> Callable[[Floats], Floats]:
    """Return a rounding to nearest. ``up`` and ``down`` select the fractions that round away from the truncated value.

    A value minus its truncation is exact. Adding a half, or subtracting the floor, would round.
    """

    def rounded(values: Floats) -> Floats:
        whole = np.trunc(values)
        fraction = values - whole
        result: Floats = whole + up(fraction) - down(fraction)
        return result

    return rounded


#: The rounding modes by name. Each maps floats to integral floats of the same type.
ROUNDINGS: dict[str, Callable[[Floats], Floats]] = {
    "half-away": _half(lambda f: f >= 0.5, lambda f: f <= -0.5),
    "half-even": np.rint,
    "half-up": _half(lambda f: f >= 0.5, lambda f: f < -0.5),
    "half-down": _half(lambda f: f > 0.5, lambda f: f <= -0.5),
    "toward-zero": np.trunc,
    "floor": np.floor,
    "ceil": np.ceil,
}


def to_integers(
    rounded: NDArray[Any], offset: NDArray[Any] | None, limits: tuple[int, int], out: NDArray[Any]
) -> None:
    """Compute ``out = saturate(rounded + offset)`` for integral floats, infinities and NaN. ``rounded`` is overwritten.

    ``rounded`` is float32 or float64. ``offset`` are zero points in the same type and within ``limits``, and broadcasts
    against ``rounded``. Infinities saturate. No document defines an integer for NaN: NaN becomes the smallest integer,
    as in kernels that compare with the limits of the range.
    """
    kind = rounded.dtype.type
    low, high = map(kind, limits)
    if offset is not None:
        # Saturate before adding: limit - offset has at most 17 bits, so that the sum is exact in float32 as well.
        low, high = low - offset, high - offset
    np.clip(rounded, low, high, out=rounded)
    nan = np.isnan(rounded)
    if nan.any():
        np.copyto(rounded, low, where=nan)
    if offset is not None:
        rounded += offset
    np.copyto(out, rounded, casting="unsafe")

"""The rounding modes by their shared names; and from rounded quotients to stored integers, zero point and range applied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[Any]


def _half(up: Callable[[Floats], Any], down: Callable[[Floats], Any]) -> Callable[[Floats], Floats]:
    """Nearest, where ``up`` and ``down`` say which fractions after truncation leave it.

    A value minus its truncation is exact; adding a half, or subtracting the floor, would round.
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
    """``out = saturate(rounded + offset)`` for integral floats, infinities and NaN; ``rounded`` is overwritten.

    ``rounded`` is float32 or float64; ``offset``, zero points in the same type and within ``limits``, broadcasts
    against it. Infinities saturate. NaN has no integer, and no document gives it one: it becomes the smallest, as it
    does where real kernels compare with the range's ends.
    """
    kind = rounded.dtype.type
    low, high = map(kind, limits)
    if offset is not None:
        # Cut before adding: range - offset has at most 17 bits, so that the sum is exact in float32 as well.
        low, high = low - offset, high - offset
    np.clip(rounded, low, high, out=rounded)
    nan = np.isnan(rounded)
    if nan.any():
        np.copyto(rounded, low, where=nan)
    if offset is not None:
        rounded += offset
    np.copyto(out, rounded, casting="unsafe")

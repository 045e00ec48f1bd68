"""The rounding modes, by the names that documents, devices and arithmetic files share."""

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

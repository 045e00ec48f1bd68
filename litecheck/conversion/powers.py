"""Sums of squares: of values, and of the differences of two tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[Any]
#: Sums of squares below this value are computed in float64.
_TINY = 1e-25


def float32_power(values: Values) -> float | None:
    """Return the sum of the squares of a flat array in its own type, or None if float32 overflows or underflows."""
    with np.errstate(all="ignore"):
        total = float(np.dot(values, values))
    return total if _TINY < total < math.inf else None


def power(values: Values) -> float:
    """Return the sum of the squares of finite values. Example: 3, 4 and an infinity give 25."""
    flat = values.reshape(-1)
    total = float32_power(flat)
    if total is None:
        wide = flat.astype(np.float64)
        wide = wide[np.isfinite(wide)]
        total = float(np.dot(wide, wide))
    return total


def squares(want: Values, got: Values) -> float:
    """Return the sum of squared differences where both are finite; of the values themselves for another shape."""
    if want.shape != got.shape:
        return power(want)
    with np.errstate(all="ignore"):
        return power(np.subtract(want, got))

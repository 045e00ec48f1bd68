"""Product and sum in float32 with a single rounding, as in the FMA instructions of vector kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def multiply_add(x: NDArray[Any], factor: np.float32, addend: np.float32) -> NDArray[np.float32]:
    """Return x * factor + addend, rounded once to float32.

    The product is exact in float64. If the sum is not, it becomes the neighbor with the odd significand, which is never
    a tie of float32, so that the second rounding gives the same value as a single rounding.

    Example: (2**-13 + 1) * (2**-13 - 1) + 1 gives 2**-26; with a rounded product it gives 0.
    """
    with np.errstate(all="ignore"):
        product, plus = x.astype(np.float64) * np.float64(factor), np.float64(addend)
        total = np.asarray(product + plus)
        added = total - product
        rest = (product - (total - added)) + (plus - added)  # Knuth's TwoSum
        even = (total.view(np.int64) & 1) == 0
        inexact = np.isfinite(total) & (rest != 0)
        toward = np.where(rest > 0, np.inf, -np.inf)
        odd: NDArray[np.float32] = np.where(inexact & even, np.nextafter(total, toward), total).astype(
            np.float32
        )
    return odd

"""Means of pooling windows: the number of elements that a window covers, and roundings of the quotient."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from litecheck.reference.numerics.windows import Axis
from litecheck.reference.runtime_tensors import Array, RunError


@lru_cache(maxsize=256)
def count_covered(rows: Axis, columns: Axis) -> NDArray[np.int64]:
    """Return the number of input elements that each window covers, of shape (rows, columns, 1). Raises RunError for 0."""
    high, wide = (_reach(axis) for axis in (rows, columns))
    counts: NDArray[np.int64] = high[:, None, None] * wide[:, None]
    if (counts <= 0).any():
        raise RunError("a window covers nothing but padding")
    return counts


def _reach(axis: Axis) -> NDArray[np.int64]:
    first = np.arange(axis.out) * axis.stride - axis.before
    return np.minimum(first + axis.kernel, axis.size) - np.maximum(first, 0)


def _half_away(total: Array, count: Array) -> Array:
    magnitude = (np.abs(total) + count // 2) // count
    rounded: Array = np.where(total > 0, magnitude, -magnitude)
    return rounded


#: (sums, numbers of elements) -> means as integers, by the name in arithmetic files.
ROUND: dict[str, Callable[[Array, Array], Array]] = {
    "half-away": _half_away,
    "half-up": lambda total, count: (2 * total + count) // (2 * count),
    "half-even": lambda total, count: np.rint(total / count),
    "floor": lambda total, count: total // count,
    "truncate": lambda total, count: np.sign(total) * (np.abs(total) // count),
}


def pooled_means(total: Array, rows: Axis, columns: Axis, rounding: str, bounds: tuple[int, int]) -> Array:
    """Return the sums of windows divided by the number of covered elements, rounded and limited to ``bounds``.

    ``half-away`` is (|total| + count // 2) // count with the sign of the total.

    For example, a sum of 11 over 4 elements gives 3, and a sum of -10 gives -3.
    """
    count = count_covered(rows, columns).astype(total.dtype)
    return np.asarray(np.clip(ROUND[rounding](total, count), *bounds))

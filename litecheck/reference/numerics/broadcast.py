"""Applying a formula to two operands: broadcast, in tiles, or, for 8-bit operands, through a table of all pairs."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from litecheck.reference.numerics.fixedpoint import Ints
from litecheck.reference.numerics.lookup import picked
from litecheck.reference.operands import NUMPY_TYPES, Array

#: (stored lhs, stored rhs) in int64 -> stored output in int64, equal formulas with equal hashes.
Formula = Callable[[Ints, Ints], Ints]

_TILE = 1 << 14
"""Elements computed at once: a dozen int64 intermediates of them stay in a second-level cache."""
_TABLE_FROM = 1 << 12
"""From here on a table of all pairs pays from about the tenth inference on, from 65,536 on at once."""


def apply(formula: Formula, lhs: Array, rhs: Array, dtype: str) -> Array:
    """formula(lhs, rhs) with the operands broadcast against each other, as ``dtype``.

    An 8-bit formula is a function of 65,536 pairs, computed once and then looked up.
    """
    shape = np.broadcast_shapes(lhs.shape, rhs.shape)
    count = int(np.prod(shape))
    if lhs.dtype.itemsize == rhs.dtype.itemsize == 1 and count >= _TABLE_FROM:
        left = lhs.view(np.uint8).astype(np.uint16) << 8
        return picked(_table(formula, lhs.dtype.str, dtype), left | rhs.view(np.uint8))
    if lhs.shape == rhs.shape:
        flat = lhs.reshape(-1), rhs.reshape(-1)
    else:
        flat = np.broadcast_to(lhs, shape).reshape(-1), np.broadcast_to(rhs, shape).reshape(-1)
    out = np.empty(count, NUMPY_TYPES[dtype])
    for at in range(0, count, _TILE):
        x, y = (side[at : at + _TILE].astype(np.int64) for side in flat)
        out[at : at + _TILE] = formula(x, y)
    return out.reshape(shape)


@lru_cache(maxsize=256)
def _table(formula: Formula, of: str, dtype: str) -> Array:
    """formula of every pair of bytes, at index 256 * lhs + rhs of their bit patterns."""
    values = np.arange(256, dtype=np.uint8).view(of).astype(np.int64)
    pairs: Array = formula(np.repeat(values, 256), np.tile(values, 256)).astype(NUMPY_TYPES[dtype])
    return pairs

"""Broadcast formulas of two inputs, in tiles or through a table of all pairs, and the elements that vector loops compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.reference.numerics.fixedpoint import Ints
from litecheck.reference.numerics.lookup import take_entries
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array

#: (stored lhs, stored rhs) in int64 -> stored output in int64. Equal formulas have equal hashes.
Formula = Callable[[Ints, Ints], Ints]

_TILE = 1 << 14
"""Elements per tile: a dozen int64 intermediates fit into a second-level cache."""
_TABLE_FROM = 1 << 8
"""Minimum number of elements of a call that uses a table of all pairs: 15 us in place of 57 us for 256 elements."""
_PAIRS = 1 << 16
"""Number of elements after which a formula gets a table: as many as the table has, so it costs at most as much."""


def apply(formula: Formula, lhs: Array, rhs: Array, dtype: str) -> Array:
    """Return formula(lhs, rhs) with both operands broadcast, as ``dtype``.

    An 8-bit formula is a function of 65,536 pairs. For more elements than that, all pairs are computed once and looked up.
    """
    shape = lhs.shape if lhs.shape == rhs.shape else np.broadcast_shapes(lhs.shape, rhs.shape)
    count = prod(shape)
    bytewise = lhs.dtype.itemsize == rhs.dtype.itemsize == 1 and count >= _TABLE_FROM
    if bytewise and _counter(formula, lhs.dtype.str, dtype).more(count) >= _PAIRS:
        left = lhs.view(np.uint8).astype(np.uint16) << 8
        return take_entries(_table(formula, lhs.dtype.str, dtype), left | rhs.view(np.uint8))
    if lhs.shape == rhs.shape:
        flat = lhs.reshape(-1), rhs.reshape(-1)
    else:
        flat = np.broadcast_to(lhs, shape).reshape(-1), np.broadcast_to(rhs, shape).reshape(-1)
    out = np.empty(count, NUMPY_TYPES[dtype])
    for at in range(0, count, _TILE):
        x, y = (side[at : at + _TILE].astype(np.int64) for side in flat)
        out[at : at + _TILE] = formula(x, y)
    return out.reshape(shape)


class _Count:
    """Running count of elements."""

    def __init__(self) -> None:
        self.all = 0

    def more(self, count: int) -> int:
        """Add to the count and return the total."""
        self.all += count
        return self.all


@lru_cache(maxsize=1024)
def _counter(formula: Formula, of: str, dtype: str) -> _Count:
    return _Count()


@lru_cache(maxsize=256)
def _table(formula: Formula, of: str, dtype: str) -> Array:
    """Return the formula of every pair of bytes, at index 256 * lhs + rhs of their bit patterns."""
    values = np.arange(256, dtype=np.uint8).view(of).astype(np.int64)
    return formula(np.repeat(values, 256), np.tile(values, 256)).astype(NUMPY_TYPES[dtype])


Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Chunks:
    """Loop over the output in runs of ``length`` elements; ``variants`` is the loop that computes each run.

    ``elementwise``: both operands advance; ``scalar``: one operand is constant; ``generic``: no vector loop.
    """

    variants: str
    length: int


def chunks(lhs: Shape, rhs: Shape) -> Chunks:
    """Return the loop that broadcasts two shapes, from the last dimension on.

    The runtime has at most five nested loops: equal dimensions, dimensions of length 1 in one operand, equal
    dimensions, dimensions of length 1 in the other operand, equal dimensions. Other shapes are generic. Source:
    reference/process_broadcast_shapes.h.

    For example, (1, 4, 4, 8) and (8,) give elementwise runs of 8, and two shapes (1, 4, 4, 8) a run of 128.
    """
    rank = max(len(lhs), len(rhs))
    one, other = ((1,) * (rank - len(s)) + s for s in (lhs, rhs))
    if one == other:
        return Chunks("elementwise", prod(one))
    first = max(i for i in range(rank) if one[i] != other[i])
    still, moving = (one, other) if one[first] == 1 else (other, one)
    left = list(zip(still, moving, strict=True))
    inner = prod(moving for _, moving in _pop(left, lambda a, b: a == b))
    repeated = prod(moving for _, moving in _pop(left, lambda a, b: a == 1))
    _pop(left, lambda a, b: a == b)
    _pop(left, lambda a, b: b == 1)
    _pop(left, lambda a, b: a == b)
    if left:
        return Chunks("generic", 0)
    return Chunks("elementwise", inner) if inner > 1 else Chunks("scalar", repeated)


def _pop(left: list[tuple[int, int]], while_: Callable[[int, int], bool]) -> list[tuple[int, int]]:
    """Remove and return dimensions from the end while they satisfy a condition."""
    removed = []
    while left and while_(*left[-1]):
        removed.append(left.pop())
    return removed


def in_vectors(run: Chunks, block: int, body: NDArray[Any], tail: Callable[[], NDArray[Any]]) -> NDArray[Any]:
    """Return ``body`` for the whole blocks of each run, and ``tail()`` for the remaining elements at its end.

    Example: runs of 11 elements and blocks of 8 take 8 elements from ``body`` and 3 from ``tail()``.
    """
    rest = run.length % block
    if not rest or not body.size:
        return body
    position = np.arange(body.size).reshape(body.shape) % run.length
    return np.where(position < run.length - rest, body, tail())

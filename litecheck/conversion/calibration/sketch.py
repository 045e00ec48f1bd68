"""Histograms of float32 values in bins of width 2^k: a single pass, independent of the order, merged without loss.

Bin i has the values from i * 2^k up to (i + 1) * 2^k. k is the smallest exponent at which smallest and largest value
are fewer than ``BINS`` bins apart, so k depends only on these values. A coarser sketch adds pairs of neighboring bins,
and equals the sketch of the values themselves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Maximum number of bins of a sketch.
BINS = 2048
#: Exponent of float32's smallest step, and maximum binary digits of a bin's number.
_FINEST, _DIGITS = -149, 30
#: Values computed at once, so that intermediate arrays stay in the cache.
_BLOCK = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """Number of values per bin: bin ``first + i`` of width 2^``exponent`` has ``counts[i]`` values (int64).

    The first and the last bin are never empty.
    """

    exponent: int
    first: int
    counts: NDArray[np.int64]

    @property
    def total(self) -> int:
        """Number of values."""
        return int(self.counts.sum())

    @property
    def edges(self) -> NDArray[np.float64]:
        """Lower edges of all bins, and the upper edge of the last bin."""
        numbers = np.arange(self.first, self.first + len(self.counts) + 1, dtype=np.float64)
        return np.ldexp(numbers, self.exponent)

    def coarser(self, exponent: int) -> Sketch:
        """Return the sketch of the same values with wider bins."""
        shift = exponent - self.exponent
        if not shift:
            return self
        first = self.first >> shift
        numbers = (np.arange(self.first, self.first + len(self.counts)) >> shift) - first
        counts = np.zeros(int(numbers[-1]) + 1, np.int64)
        np.add.at(counts, numbers, self.counts)
        return Sketch(exponent, first, counts)

    def merge(self, other: Sketch) -> Sketch:
        """Return the sketch of the values of both."""
        exponent = max(self.exponent, other.exponent)
        while _span(self, other, exponent) >= BINS:
            exponent += 1
        parts = self.coarser(exponent), other.coarser(exponent)
        first = min(part.first for part in parts)
        counts = np.zeros(max(part.first + len(part.counts) for part in parts) - first, np.int64)
        for part in parts:
            counts[part.first - first :][: len(part.counts)] += part.counts
        return Sketch(exponent, first, counts)

    def same(self, other: Sketch) -> bool:
        """Return True if both have the same counts in the same bins."""
        return (self.exponent, self.first) == (other.exponent, other.first) and np.array_equal(
            self.counts, other.counts
        )


def _span(one: Sketch, other: Sketch, exponent: int) -> int:
    """Return the number of bins between the first and the last bin of both, at a width that is no finer than theirs."""
    parts = one, other
    last = max((p.first + len(p.counts) - 1) >> (exponent - p.exponent) for p in parts)
    return last - min(p.first >> (exponent - p.exponent) for p in parts)


def sketch_of(values: NDArray[Any], low: float, high: float) -> Sketch:
    """Return the sketch of finite float32 values (not empty) with smallest value ``low`` and largest value ``high``."""
    exponent = _exponent(low, high)
    first, last = (_bin(end, exponent) for end in (low, high))
    counts = np.zeros(last - first + 1, np.int64)
    flat, factor = values.reshape(-1), math.ldexp(1.0, -exponent)
    for at in range(0, flat.size, _BLOCK):
        # Exact: a float32 times a power of two is a float64.
        scaled = flat[at : at + _BLOCK].astype(np.float64) * factor
        numbers = np.floor(scaled, scaled).astype(np.int64)
        counts += np.bincount(numbers - first, minlength=len(counts))
    return Sketch(exponent, first, counts)


def _exponent(low: float, high: float) -> int:
    """Return the smallest width at which both are fewer than BINS bins apart and bin numbers have at most _DIGITS digits."""
    size = max(abs(low), abs(high))
    exponent = max(_FINEST, math.frexp(size)[1] - _DIGITS if size else _FINEST)
    if high > low:
        exponent = max(exponent, math.frexp(high - low)[1] - BINS.bit_length())
    while _bin(high, exponent) - _bin(low, exponent) >= BINS:
        exponent += 1
    return exponent


def _bin(value: float, exponent: int) -> int:
    return math.floor(math.ldexp(value, -exponent))

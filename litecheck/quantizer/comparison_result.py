"""Result of a comparison: number and sizes of differences, first and worst element, and causes that explain them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.quantizer.types import Parameters

#: Elements per tile, and about how many differing and how many equal elements a sample has.
TILE = 1 << 18
_SAMPLE = 1 << 13


@dataclass(frozen=True, slots=True)
class IntegerCause:
    """An arithmetic that would explain the device's integers.

    ``explained`` counts the differing elements for which the cause gives the device's value. ``broken`` counts the
    equal elements for which it gives another value. A cause is exact if it reproduces every element.
    """

    name: str
    sentence: str
    exact: bool
    explained: int
    broken: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Mismatch:
    """A comparison with differences. ``expected`` and ``actual`` are flat, and so is ``real`` unless it is None."""

    expected: NDArray[Any]
    actual: NDArray[Any]
    dtype: str
    shape: tuple[int, ...]
    mismatches: int
    real: NDArray[Any] | None = None
    parameters: Parameters | None = None
    semantics: str = ""

    def tiles(self) -> Iterator[slice]:
        """Return the slices of all tiles of the tensor."""
        return (slice(i, i + TILE) for i in range(0, self.actual.size, TILE))

    def wide(self, where: slice | NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the expected integers at ``where`` as int64, in which the arithmetic of causes does not overflow."""
        return self.expected[where].astype(np.int64)


def sample(case: Mismatch) -> NDArray[np.int64]:
    """Return positions of differing and of equal elements, about _SAMPLE of each, spread over the whole tensor."""
    share = max(16, -(-_SAMPLE * TILE // max(case.actual.size, TILE)))
    picked = []
    for tile in case.tiles():
        differs = case.expected[tile] != case.actual[tile]
        for kind in (differs, ~differs):
            positions = np.flatnonzero(kind)
            picked.append(tile.start + positions[:: max(1, -(-positions.size // share))])
    return np.concatenate(picked)


#: Differences up to this size have a bucket each. Larger buckets double in width.
_SINGLE = 8
EDGES = (*range(1, _SINGLE + 1), *(_SINGLE * 2**n + 1 for n in range(60)))


@dataclass(frozen=True, slots=True)
class Bucket:
    """The number of elements with a difference (actual - expected) from ``low`` to ``high`` steps, inclusive and signed."""

    low: int
    high: int
    count: int


@dataclass(frozen=True, slots=True)
class Element:
    """An element that differs.

    ``quotient`` is the exact value of real / scale, without the zero point. ``quotient32`` is the same quotient in
    float32, as most devices compute it. Both are None if the real value is not known or not finite. ``real`` is the
    value that was quantized or, if expected has integers and the parameters are known, the value of the expected
    integer. ``ulps`` is the difference of two real values.
    """

    index: tuple[int, ...]
    expected: int | float
    actual: int | float
    real: float | None = None
    scale: float | None = None
    zero_point: int = 0
    quotient: Fraction | None = None
    quotient32: Fraction | None = None
    ulps: int | None = None

    @property
    def difference(self) -> int:
        """Actual minus expected, in LSB or ULP."""
        return int(self.actual - self.expected) if self.ulps is None else self.ulps

    @property
    def neighbours(self) -> tuple[int, int] | None:
        """Stored integers on both sides of the exact value, before saturation. Both are equal for a whole quotient."""
        if self.quotient is None:
            return None
        return floor(self.quotient) + self.zero_point, ceil(self.quotient) + self.zero_point


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of a comparison. ``semantics`` is empty if expected has integers.

    ``beyond`` counts the elements that differ by more than ``tolerance``. Its unit is ``unit``: LSB of stored integers,
    ULP of real values, or a share of the largest finite magnitude expected. Without elements the comparison is not
    applicable, and ``within`` and ``exact`` are False. ``farthest`` is the largest share of real values. It is infinite
    if only one of two values is finite.
    """

    dtype: str
    shape: tuple[int, ...]
    size: int
    tolerance: float
    semantics: str
    unit: str = "LSB"
    farthest: float | None = None
    mismatches: int = 0
    beyond: int = 0
    histogram: tuple[Bucket, ...] = ()
    first: Element | None = None
    worst: Element | None = None
    causes: tuple[IntegerCause, ...] = ()

    @property
    def exact(self) -> bool:
        """True if every element is equal, and there is an element."""
        return self.size > 0 and not self.mismatches

    @property
    def within(self) -> bool:
        """True if no element differs by more than the tolerance, and there is an element."""
        return self.size > 0 and not self.beyond

    @property
    def share(self) -> float:
        """Share of differing elements, 0 to 1."""
        return self.mismatches / self.size if self.size else 0.0

    @property
    def largest(self) -> int:
        """Signed difference of the worst element, in LSB or ULP."""
        return self.worst.difference if self.worst else 0

    @property
    def exit_code(self) -> int:
        """0 if within tolerance, 1 if not, 2 if not applicable (no elements)."""
        return 2 if not self.size else 0 if self.within else 1


def tally(difference: NDArray[Any]) -> NDArray[np.int64]:
    """Count nonzero differences by bucket. The shape is (2, buckets), with negative differences first."""
    size = np.abs(difference)
    bucket = np.searchsorted(np.asarray(EDGES, size.dtype), size, "right") - 1
    signs = difference < 0, difference > 0
    return np.array([np.bincount(bucket[sign], minlength=len(EDGES)) for sign in signs])


def buckets(counts: NDArray[np.int64]) -> Iterator[Bucket]:
    """Yield the nonempty buckets from the lowest to the highest. ``counts`` is the output of ``tally``."""
    below, above = counts.tolist()
    spans = [(low, high - 1) for low, high in zip(EDGES, (*EDGES[1:], 2**65), strict=True)]
    for (low, high), count in reversed(list(zip(spans, below, strict=True))):
        if count:
            yield Bucket(-high, -low, count)
    for (low, high), count in zip(spans, above, strict=True):
        if count:
            yield Bucket(low, high, count)

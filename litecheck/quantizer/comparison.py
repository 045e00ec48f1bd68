"""What came of a comparison: how many elements differ, by how much, the first, the worst, and which causes explain them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.quantizer.types import Parameters

#: Elements looked at together, and how many of each kind (differing, equal) make a sample.
TILE = 1 << 18
_SAMPLE = 1 << 13


@dataclass(frozen=True, slots=True)
class Attribution:
    """A way of computing under which the device's integers are what it should have given.

    ``explained`` of the elements that differ come out as the device has them; ``broken`` of the equal ones
    would differ. A cause is exact when it reproduces every element.
    """

    name: str
    sentence: str
    exact: bool
    explained: int
    broken: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Mismatch:
    """One comparison that failed. ``expected`` and ``actual`` are flat; ``real`` is None or flat as well."""

    expected: NDArray[Any]
    actual: NDArray[Any]
    dtype: str
    shape: tuple[int, ...]
    mismatches: int
    real: NDArray[Any] | None = None
    parameters: Parameters | None = None
    semantics: str = ""

    def tiles(self) -> Iterator[slice]:
        """The whole tensor, a tile at a time."""
        return (slice(i, i + TILE) for i in range(0, self.actual.size, TILE))

    def wide(self, where: slice | NDArray[np.int64]) -> NDArray[np.int64]:
        """The expected integers there, in a type in which nothing overflows."""
        return self.expected[where].astype(np.int64)


def sample(case: Mismatch) -> NDArray[np.int64]:
    """Positions of differing and of equal elements, up to _SAMPLE each, spread over the whole tensor."""
    share = max(16, -(-_SAMPLE * TILE // max(case.actual.size, TILE)))
    picked = []
    for tile in case.tiles():
        differs = case.expected[tile] != case.actual[tile]
        for kind in (differs, ~differs):
            positions = np.flatnonzero(kind)
            picked.append(tile.start + positions[:: max(1, -(-positions.size // share))])
    return np.concatenate(picked)


#: Differences up to this have a bucket of their own; beyond, buckets double in width.
_SINGLE = 8
EDGES = (*range(1, _SINGLE + 1), *(_SINGLE * 2**n + 1 for n in range(60)))


@dataclass(frozen=True, slots=True)
class Bucket:
    """How many elements differ by ``low`` to ``high`` steps, both signed and included (actual - expected)."""

    low: int
    high: int
    count: int


@dataclass(frozen=True, slots=True)
class Element:
    """One element that differs.

    ``quotient`` is the exact value of real / scale, before the zero point, and ``quotient32`` the same divided in
    float32, as most devices do; None where the real value is not known or not finite. ``real`` is the value that
    was quantized, or, where expected holds integers and the parameters are known, the one the expected integer
    stands for. ``ulps`` is the difference of two real values.
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
        """The stored integers on both sides of the exact value, before saturation; equal where it is whole."""
        if self.quotient is None:
            return None
        return floor(self.quotient) + self.zero_point, ceil(self.quotient) + self.zero_point


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of a comparison. ``semantics`` is empty where expected held integers.

    ``beyond`` counts the elements off by more than ``tolerance``, which is in ``unit``: LSB of stored integers, ULP of
    real values, or a share of the largest finite magnitude expected. Without any element there is not applicable:
    ``within`` and ``exact`` are then False as well. ``farthest`` is the largest share of real values, infinite where
    only one of the two is finite.
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
    causes: tuple[Attribution, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether every element is equal."""
        return self.size > 0 and not self.mismatches

    @property
    def within(self) -> bool:
        """Whether no element is off by more than the tolerance."""
        return self.size > 0 and not self.beyond

    @property
    def share(self) -> float:
        """Mismatches by elements, 0 to 1."""
        return self.mismatches / self.size if self.size else 0.0

    @property
    def largest(self) -> int:
        """The difference of the worst element, signed, in LSB or ULP."""
        return self.worst.difference if self.worst else 0

    @property
    def exit_code(self) -> int:
        """0 within tolerance, 1 not, 2 not applicable."""
        return 2 if not self.size else 0 if self.within else 1


def tally(difference: NDArray[Any]) -> NDArray[np.int64]:
    """How many of some differences, none of them 0, fall into each bucket: shape (2, buckets), negative ones first."""
    size = np.abs(difference)
    bucket = np.searchsorted(np.asarray(EDGES, size.dtype), size, "right") - 1
    signs = difference < 0, difference > 0
    return np.array([np.bincount(bucket[sign], minlength=len(EDGES)) for sign in signs])


def buckets(counts: NDArray[np.int64]) -> Iterator[Bucket]:
    """The buckets that hold anything, of counts as ``tally`` makes them, from the lowest to the highest."""
    below, above = counts.tolist()
    spans = [(low, high - 1) for low, high in zip(EDGES, (*EDGES[1:], 2**65), strict=True)]
    for (low, high), count in reversed(list(zip(spans, below, strict=True))):
        if count:
            yield Bucket(-high, -low, count)
    for (low, high), count in zip(spans, above, strict=True):
        if count:
            yield Bucket(low, high, count)

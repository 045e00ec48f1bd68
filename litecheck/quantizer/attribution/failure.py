"""One comparison that failed, and what a cause of it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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

"""Rescaling in float32 if the output is proven equal, else in the variant's integers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.reference.numerics.fixedpoint import Ints

#: Elements per tile: with scratch memory 0.75 MB of float32 and flags, in a second-level cache.
TILE = 1 << 16
#: Share of elements computed twice above which integers alone are faster.
WORTH = 0.1
#: Constants of few channels are repeated up to this length, so that numpy's inner loops are long.
PERIOD = 2048

Floats = NDArray[np.float32]
#: (integer sums, their channels) -> exact stored values.
Exact = Callable[[NDArray[Any], NDArray[np.intp]], NDArray[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Float32Rescale:
    """Constants of t = sum * factor + shift, and the distance of t to an integer from which on t is in doubt.

    Each has the shape (channels * repetitions,).
    """

    factor: Floats
    shift: Floats
    error_bound: Floats
    channels: int
    low: int
    high: int

    def __call__(self, sums: Floats, out: NDArray[Any], exact: Exact) -> None:
        """Fill ``out`` from ``sums``, both flat, with all channels of each pixel."""
        period = repeats(sums.size, self.channels, PERIOD)
        step = max(1, TILE // period) * period
        doubtful = np.empty(sums.size, np.bool_)
        scratch = np.empty((2, min(step, sums.size)), np.float32)
        for start in range(0, sums.size, step):
            part = slice(start, start + step)
            self._tile(sums[part], out[part], doubtful[part], scratch, period)
        again = doubtful.nonzero()[0]
        if again.size:
            out[again] = exact(sums[again], again % self.channels)

    def _tile(
        self, sums: Floats, out: NDArray[Any], doubtful: NDArray[np.bool_], scratch: Floats, period: int
    ) -> None:
        t, r = scratch[:, : sums.size]
        pixels = t.reshape(-1, period)
        np.multiply(sums.reshape(-1, period), self.factor[:period], out=pixels)
        pixels += self.shift[:period]
        t.clip(self.low, self.high, out=t)
        np.rint(t, out=r)
        out[...] = r
        t -= r
        np.abs(t, out=t)
        np.greater_equal(pixels, self.error_bound[:period], out=doubtful.reshape(-1, period))


@lru_cache(maxsize=1 << 12)
def repeats(size: int, channels: int, most: int) -> int:
    """Return the number of elements to compute as a row: a divisor of ``size``, a multiple of ``channels``, at most
    ``most``.

    A single pixel with more than ``most`` channels is one row. For example, 221,184 elements in pixels of 24 channels,
    at most 1,000, give rows of 864.
    """
    pixels = size // channels
    times = next(n for n in range(max(1, min(most // channels, pixels)), 0, -1) if pixels % n == 0)
    return times * channels


def float32_rescale(
    real: NDArray[np.float64],
    slack: NDArray[np.float64],
    offset: Ints,
    zero_point: int,
    bounds: tuple[int, int],
    most: int,
) -> Float32Rescale | None:
    """Return the rescaling of multipliers ``real`` for sums of magnitude up to ``most``; None if too many elements are
    in doubt.

    A channel with a bound of 0 or less is computed again in full. With a larger bound, clamped elements are never in
    doubt, because their distance is 0.
    """
    shift = offset * real + zero_point
    doubt = 0.5 - slack - 2.0**-22 * (most * real + np.abs(shift))
    if not doubt.size or (1 - 2 * doubt.clip(0, None)).mean() > WORTH:
        return None
    times = max(1, PERIOD // len(offset))
    narrow = np.nextafter(doubt.astype(np.float32), np.float32(-1))
    factor, start, end = (np.tile(c.astype(np.float32), times) for c in (real, shift, narrow))
    return Float32Rescale(factor, start, end, len(offset), *bounds)

"""Rescaling in float32 that is proven equal to a variant's integers for every possible sum of a channel.

Both functions are non-decreasing in the sum and have at most 256 outputs. Two of these functions are equal for all sums
if they reach each output at the same sum. Two evaluations per output prove a channel once, and inferences need no test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.reference.numerics.fixedpoint import Ints
from litecheck.reference.numerics.float32_rescale import PERIOD, Exact, Floats, repeats
from litecheck.reference.numerics.numba_loops import numba_loops

#: Number of pixels after which a proof is made. It costs less time than it saves for the same number of pixels.
PIXELS = 1 << 13
#: Elements per tile: 64 kB of float32.
TILE = 1 << 14
#: Channels proven in one step, with at most 10 MB of scratch memory.
BLOCK = 256
#: Maximum number of outputs, that of an 8-bit output.
RESULTS_MAX = 256
#: Share of channels without a proof above which a test of each element is faster.
UNPROVEN = 0.1
#: Changes of the multiplier tried for a channel, in units of half its last bit.
NEAR = sorted(range(-12, 13), key=abs)

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class ProvenRescale:
    """Constants of t = (sum + offset) * factor, each of shape (channels * repetitions,).

    t is clamped and rounded half to even, then the zero point is added. ``low`` and ``high`` are the bounds less the
    zero point. ``unproven`` channels are computed in integers.
    """

    offset: Floats
    factor: Floats
    unproven: NDArray[np.intp]
    channels: int
    low: int
    high: int
    zero_point: int

    def __call__(self, sums: Floats, out: NDArray[Any], exact: Exact) -> None:
        """Fill ``out`` from ``sums``, both flat, with all channels of each pixel."""
        loops = numba_loops(sums.size)
        if loops:
            constants = self.offset[: self.channels], self.factor[: self.channels]
            bounds = np.float32(self.low), np.float32(self.high), np.float32(self.zero_point)
            loops.proven(sums.reshape(-1, self.channels), *constants, *bounds, out.reshape(-1, self.channels))
        else:
            self._compute_tiles(sums, out)
        if self.unproven.size:
            again = sums.reshape(-1, self.channels)[:, self.unproven]
            out.reshape(-1, self.channels)[:, self.unproven] = exact(again, self.unproven)

    def _compute_tiles(self, sums: Floats, out: NDArray[Any]) -> None:
        period = repeats(sums.size, self.channels, PERIOD)
        step = max(1, TILE // period) * period
        scratch = np.empty(min(step, sums.size), np.float32)
        for start in range(0, sums.size, step):
            part = sums[start : start + step]
            made = scratch[: part.size]
            rows = made.reshape(-1, period)
            np.add(part.reshape(-1, period), self.offset[:period], out=rows)
            rows *= self.factor[:period]
            _clamp_and_round(made, self.low, self.high)
            made += self.zero_point
            out[start : start + step] = made


def _clamp_and_round(x: Floats, low: int, high: int) -> None:
    x.clip(low, high, out=x)
    np.rint(x, out=x)


def proven_rescale(
    real: NDArray[np.float64],
    offset: Ints,
    zero_point: int,
    bounds: tuple[int, int],
    most: int,
    exact: Exact,
) -> ProvenRescale | None:
    """Return the rescaling for multipliers ``real``, integer ``offset`` of shape (channels,) and sums up to ``most``.

    ``most`` is the largest magnitude of a sum. Return None if too few channels have a proof. ``exact`` must be
    non-decreasing in the sum.
    """
    low, high = (bound - zero_point for bound in bounds)
    if high - low >= RESULTS_MAX:
        return None
    parts = []
    for start in range(0, len(real), BLOCK):
        at = np.arange(start, min(start + BLOCK, len(real)))

        def stored(sums: Ints, at: NDArray[np.intp] = at) -> Ints:
            return exact(sums, at) - zero_point

        parts.append(_fit_factors(real[at], offset[at], (low, high), most, stored))
    origin, factor, proven = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    unproven = (~proven).nonzero()[0]
    if len(unproven) > UNPROVEN * len(real):
        return None
    times = max(1, PERIOD // len(real))
    constants = np.tile(origin, times), np.tile(factor, times)
    return ProvenRescale(*constants, unproven, len(real), low, high, zero_point)


@dataclass(frozen=True, slots=True, eq=False)
class _Thresholds:
    """First sums at which a function reaches each output: arrays of shape (outputs - 1, channels).

    ``first`` is the first sum of an output. ``beyond`` is True if ``first`` exceeds the largest sum, because no sum has
    the output. ``before`` is True if every sum has at least the output.
    """

    results: Ints
    first: Ints
    beyond: Flags
    before: Flags

    def select(self, channels: NDArray[np.intp]) -> _Thresholds:
        return _Thresholds(
            self.results, self.first[:, channels], self.beyond[:, channels], self.before[:, channels]
        )

    def are_thresholds_of(self, function: Callable[[Ints], NDArray[Any]]) -> Flags:
        """Return True for each channel in which ``function`` has the same thresholds."""
        reached = (function(self.first) >= self.results) | self.beyond
        not_earlier = (function(self.first - 1) < self.results) | self.before
        return np.asarray((reached & not_earlier).all(axis=0))

    def origin(self, factor: Floats) -> NDArray[np.float64]:
        """Return the middle of the offsets with which (sum + offset) * factor rounds to each output at its first sum.

        NaN for a channel with a single output.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            least = (self.results - 0.5) / factor.astype(np.float64) - self.first
            low = np.where(self.beyond, -np.inf, least).max(axis=0)
            high = np.where(self.before, np.inf, least + 1).min(axis=0)
            ends = np.where(np.isfinite(low), low, high) + np.where(np.isfinite(high), high, low)
        return np.asarray(ends / 2)


def _fit_factors(
    real: NDArray[np.float64],
    offset: Ints,
    bounds: tuple[int, int],
    most: int,
    exact: Callable[[Ints], Ints],
) -> tuple[Floats, Floats, Flags]:
    """Return (offset, factor, True if proven), each of shape (channels,).

    Rounding moves a threshold by at most 1 sum compared with real numbers. Channels with larger differences have no proof.
    """
    results = np.arange(bounds[0] + 1, bounds[1] + 1)[:, None]
    with np.errstate(divide="ignore"):
        first = np.ceil((results - 0.5) / real - offset).clip(-most, most + 1).astype(np.int64) - 1
    first = first + (exact(first) < results) + (exact(first + 1) < results)
    thresholds = _Thresholds(results, first, first > most, first <= -most)
    known = thresholds.are_thresholds_of(exact)
    origin, factor, proven = offset.astype(np.float32), real.astype(np.float32), np.zeros(len(real), np.bool_)
    for away in NEAR:
        at = (known & ~proven).nonzero()[0]
        if not at.size:
            break
        some = thresholds.select(at)
        factor[at] = real[at] * (1 + away * 2.0**-24)
        origin[at] = some.origin(factor[at])

        def stored(sums: Ints, at: NDArray[np.intp] = at) -> Floats:
            t = (sums.astype(np.float32) + origin[at]) * factor[at]
            _clamp_and_round(t, *bounds)
            return t

        proven[at] = some.are_thresholds_of(stored)
    return origin, factor, proven

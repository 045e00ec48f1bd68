"""Common properties of differing values: saturation, a side of the zero point, an offset, a direction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from litecheck.comparison.scatter import CHANCE, Pattern, Scatter, chance
from litecheck.comparison.types import MismatchCluster


def trends(s: Scatter) -> Iterator[MismatchCluster]:
    """Yield the common properties of differing values."""
    if s.limits:
        yield from _rails(s)
        yield from _sides(s)
    yield from _signs(s)


def _rails(s: Scatter) -> Iterator[MismatchCluster]:
    """Yield the limit values of the reference, or the single value of the device, at all differences."""
    expected, actual = s.values
    held: list[int] = np.unique(expected).tolist()
    if set(held) <= set(s.rails):
        there = sum(int(np.isin(e, held).sum()) for e in s.expected)
        claim = s.plain("expected", values=tuple(held), ends=tuple(_end(s, v) for v in held))
        yield from _gatherings(s.yield_pattern(claim, there, 2 * len(s.rails)))
    if (actual == actual[0]).all():
        there = sum(int((a == actual[0]).sum()) for a in s.actual)
        values = len(set(chain.from_iterable(np.unique(a).tolist() for a in s.actual)))
        claim = s.plain("given", values=(int(actual[0]),))
        yield from _gatherings(s.yield_pattern(claim, there, values))


def _gatherings(found: Iterable[Pattern]) -> Iterator[MismatchCluster]:
    return (pattern.cluster for pattern in found)


def _end(s: Scatter, value: int) -> str:
    low, high = s.limits or (0, 0)
    if value in (low, high):
        return f"{'smallest' if value == low else 'largest'} of the type"
    return f"{'smallest' if value == s.ends[0] else 'largest'} here"


def _sides(s: Scatter) -> Iterator[MismatchCluster]:
    """Yield a side of the zero point, as roundings that depend on the sign cause it; saturated values are excluded."""
    zero, (expected, actual) = s.zero_point, s.values
    if zero is None:
        return
    free = int(np.count_nonzero(~s.at_rail))
    below, above = np.minimum(expected, actual) < zero, np.maximum(expected, actual) > zero
    for word, here, pick in (("below", below & ~above, np.minimum), ("above", above & ~below, np.maximum)):
        if not here.all():
            continue
        there = size = 0
        for e, a, inside in zip(s.expected, s.actual, s.unsaturated_masks, strict=True):
            value = pick(e, a)[inside]
            size += value.size
            there += int(np.count_nonzero(value < zero if word == "below" else value > zero))
        if chance(size, there, free) * 2 < CHANCE:
            told = {"there": there, "size": size, "apart": ("rails",)}
            yield s.plain("side", side=word, zero_point=zero, **told)


def _signs(s: Scatter) -> Iterator[MismatchCluster]:
    """Yield a common offset, or a common direction, if enough elements can differ in both directions."""
    expected, actual = s.values
    off = actual - expected
    both_ways = int(np.count_nonzero(~s.at_rail)) if s.limits else s.count
    if 4 * 0.5**both_ways >= CHANCE or not np.isfinite(off).all():
        return
    if (off == off[0]).all() and s.limits:
        yield s.plain("offset", offset=int(off[0]))
    elif (off > 0).all() or (off < 0).all():
        yield s.plain("direction", side="larger" if off[0] > 0 else "smaller")
    elif s.zero_point is not None:
        nearer = np.abs(actual - s.zero_point) - np.abs(expected - s.zero_point)
        if (nearer < 0).all() or (nearer > 0).all():
            way = "nearer" if nearer[0] < 0 else "farther"
            yield s.plain("direction", side=way, zero_point=s.zero_point)

"""Patterns of differing elements: channels, rows, tails, borders, runs.

Every pattern is tried in two forms: with all differences, and with most of them, so that a second cause, or a single
unrelated element, does not hide the first. The differences outside a pattern are searched again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from math import comb, inf
from typing import Any

import numpy as np

from litecheck.comparison.scatter import DENSER, Ints, Mask, Pattern, Scatter, narrowest
from litecheck.comparison.trends import trends
from litecheck.comparison.types import MismatchCluster, PerAxisCounts
from litecheck.comparison.vector_tails import flat_tails, row_tails, vector_tails

#: Steps between channels that are tried, and the largest number of listed indexes.
_STEPS = (16, 8, 4, 3, 2)
_LISTED = 8
#: Widths of borders that are tried.
_WIDTHS = (1, 2, 3)
_AXES = {2: ("row", "channel"), 4: ("batch", "row", "column", "channel")}
#: Largest length of a dimension whose differences are counted by index.
COUNTED = 4096
#: Ranges maximize the number of differences minus this factor times the number expected of a random scatter.
_HOT = 2


def clusters(scatter: Scatter) -> tuple[tuple[MismatchCluster, ...], PerAxisCounts | None]:
    """Return all patterns of the differences, with evidence, and the counts along the dimension of the first pattern.

    Patterns that have all differences are first.
    """
    if scatter.count < 2:
        return (), None
    found = positions(scatter)
    told = [pattern.cluster for pattern in found]
    if len(found) == 1 and not found[0].has_all_differences:
        told += [pattern.cluster for pattern in positions(scatter.exclude_pattern(found[0]))]
    told += [*(pattern.cluster for pattern in _run(scatter)), *trends(scatter)]
    axes = (pattern.cluster.dimension for pattern in found)
    axis = next((axis for axis in axes if axis is not None), None)
    told.sort(key=lambda one: one.held < one.count or one.rest)
    return tuple(told), None if axis is None else _dimension_patterns(scatter, axis)


def positions(s: Scatter) -> tuple[Pattern, ...]:
    """Return the patterns of locations: in the flat tensor, else along its dimensions or in rows of several, else at its
    border."""
    if s.count < 2:
        return ()
    axes, rows = _axes(s), narrowest(row_tails(s))
    narrower = _elements(rows) < _elements(axes)
    every = (narrowest(flat_tails(s)), *((rows, axes) if narrower else (axes, rows)), narrowest(_border(s)))
    for found in every:
        if settled := tuple(pattern for pattern in found if pattern.settled):
            return settled
    return narrowest(chain.from_iterable(every))


def _elements(found: tuple[Pattern, ...]) -> float:
    """Return the number of elements of the narrowest pattern that has all differences."""
    return min((p.cluster.there for p in found if p.has_all_differences), default=inf)


def _dimension_names(rank: int) -> tuple[str, ...]:
    """Return the names of the dimensions."""
    return _AXES.get(rank, (*(f"index of dimension {n}" for n in range(rank - 1)), "channel"))


def _dimension_patterns(s: Scatter, axis: int) -> PerAxisCounts | None:
    if s.shape[axis] > COUNTED:
        return None
    place = np.unravel_index(s.flat, s.shape)[axis]
    counts = np.bincount(place, minlength=s.shape[axis]).tolist()
    return PerAxisCounts(axis, _dimension_names(len(s.shape))[axis], tuple(counts))


@dataclass(frozen=True, slots=True, eq=False)
class _Axis:
    """A dimension: the number of considered elements at each index, and the number of differences."""

    s: Scatter
    at: int
    name: str
    counts: Ints
    hits: Ints

    @property
    def length(self) -> int:
        return len(self.counts)

    def yield_pattern(
        self, pattern: str, where: Mask, tried: int, close: bool = False, **facts: Any
    ) -> Iterator[Pattern]:
        """Yield the pattern of the indexes that ``where`` selects, if chance is improbable."""
        claim = self.s.plain(pattern, axis=self.name, length=self.length, **facts)
        there, held = int(self.counts[where].sum()), int(self.hits[where].sum())
        along = where.reshape(tuple(-1 if n == self.at else 1 for n in range(len(self.s.shape))))
        yield from self.s.yield_pattern(claim, there, tried, close, held, self.at, along)

    def among(self, *indexes: Any) -> Mask:
        found = np.zeros(self.length, np.bool_)
        found[list(indexes)] = True
        return found


def _axes(s: Scatter) -> tuple[Pattern, ...]:
    """Return the patterns of every dimension."""
    rank, found = len(s.shape), list[Pattern]()
    places_ = np.unravel_index(s.flat, s.shape) if rank else ()
    for at, (name, place) in enumerate(zip(_dimension_names(rank), places_, strict=False)):
        if s.shape[at] > 1:
            others = tuple(n for n in range(rank) if n != at)
            counts = np.sum([f.sum(axis=others) for f in s.free], axis=0)
            axis = _Axis(s, at, name, counts, np.bincount(place, minlength=s.shape[at]))
            found += narrowest(chain(_range(axis), _tails(axis), _steps(axis), _few_indexes(axis)))
    return tuple(found)


def _range(axis: _Axis) -> Iterator[Pattern]:
    """Yield ranges of indexes: that of all differences, and the densest."""
    indexes = np.flatnonzero(axis.hits)
    spans = {(int(indexes[0]), int(indexes[-1])), _densest(axis)}
    for low, high in spans:
        n, tails = axis.length, vector_tails(axis.length)
        vector = tails.get(low, 0) if high == n - 1 else 0
        tried = 2 if low == high and (high == n - 1 or low == 0) else n * (n + 1) // 2
        where = axis.among(*range(low, high + 1))
        yield from axis.yield_pattern("range", where, tried, close=True, first=low, last=high, vector=vector)


def _densest(axis: _Axis) -> tuple[int, int]:
    """Return (first, last) of the range with the most differences above ``_HOT`` times the average density."""
    usual = _HOT * axis.hits.sum() / max(axis.counts.sum(), 1)
    sums = np.concatenate([[0.0], np.cumsum(axis.hits - usual * axis.counts)])
    before = np.minimum.accumulate(sums[:-1])
    high = int((sums[1:] - before).argmax())
    return int(sums[: high + 1].argmin()), high


def _tails(axis: _Axis) -> Iterator[Pattern]:
    """Yield the remainder after whole vectors, or all indexes except the remainder."""
    n, tails = axis.length, vector_tails(axis.length)
    for start, vector in tails.items():
        behind = np.arange(n) >= start
        yield from axis.yield_pattern("tail", behind, 2 * len(tails), first=start, vector=vector)
        if not axis.hits[start:].any():
            yield from axis.yield_pattern(
                "tail", ~behind, 2 * len(tails), first=start, vector=vector, outside=True
            )


def _steps(axis: _Axis) -> Iterator[Pattern]:
    """Yield patterns of every n-th index."""
    if np.count_nonzero(axis.hits) < 2:
        return
    for step in (step for step in _STEPS if axis.length >= 2 * step):
        phases = np.bincount(np.arange(axis.length) % step, axis.hits, step)
        first = int(phases.argmax())
        where = np.arange(axis.length) % step == first
        yield from axis.yield_pattern("step", where, sum(_STEPS), close=True, step=step, first=first)


def _few_indexes(axis: _Axis) -> Iterator[Pattern]:
    """Yield patterns of a few arbitrary indexes: those with the most differences per element."""
    usual = _HOT * axis.hits.sum() / max(axis.counts.sum(), 1)
    order = np.argsort(-(axis.hits - usual * axis.counts), kind="stable")
    for many in range(2, min(_LISTED, int(np.count_nonzero(axis.hits))) + 1):
        chosen = np.sort(order[:many])
        if _all_dense(axis, chosen):
            indexes, tried = tuple(chosen.tolist()), comb(axis.length, many) * _LISTED
            yield from axis.yield_pattern("indexes", axis.among(*chosen), tried, close=True, indexes=indexes)


def _all_dense(axis: _Axis, chosen: Ints) -> bool:
    """Return True if differences are denser at each of these indexes than at all other indexes."""
    others = ~axis.among(*chosen)
    outside, elements = int(axis.hits[others].sum()), int(axis.counts[others].sum())
    return bool((axis.hits[chosen] * max(elements, 1) > DENSER * outside * axis.counts[chosen]).all())


def _border(s: Scatter) -> Iterator[Pattern]:
    """Yield patterns of the outermost rows and columns: on all sides, or on the two sides of uneven padding."""
    if len(s.shape) != 4 or min(s.shape[1:3]) < 3:
        return
    height, width = s.shape[1:3]
    _, row, column, _ = np.unravel_index(s.flat, s.shape)
    y, x = np.arange(height)[:, None], np.arange(width)
    sides: dict[str, Callable[[Any, Any], Any]] = {
        "bottom-right": lambda y, x: np.minimum(height - 1 - y, width - 1 - x),
        "top-left": np.minimum,
        "all": lambda y, x: np.minimum(np.minimum(y, x), np.minimum(height - 1 - y, width - 1 - x)),
    }
    for side, distance in sides.items():
        for wide in _WIDTHS:
            edge = np.asarray(distance(y, x) < wide)
            there = sum(int(np.count_nonzero(f[:, edge])) for f in s.free)
            held = int(np.count_nonzero(distance(row, column) < wide))
            claim = s.plain("border", width=wide, side=side)
            tried = len(sides) * len(_WIDTHS)
            yield from s.yield_pattern(claim, there, tried, held=held, where=edge[:, :, None])


def _run(s: Scatter) -> tuple[Pattern, ...]:
    """Return the pattern of a single run that has all differences."""
    if len(s.expected) == 1 or (s.run != s.run[0]).any():
        return ()
    run, there = int(s.run[0]), int(np.count_nonzero(s.free[s.run[0]]))
    claim = s.plain("run", run=s.names[run], length=len(s.expected))
    return narrowest(s.yield_pattern(claim, there, len(s.expected)))

"""Locations of the differences of one output, and the probability that chance causes a pattern.

A pattern is reported if a random scatter of as many differences would hardly show it: its hypergeometric probability,
times the number of tried patterns of its kind (Bonferroni), is below ``CHANCE``. Saturated elements are excluded if no
saturated element differs, because clamping hides differences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, lgamma, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.comparison.types import MismatchCluster
from litecheck.model.types import Tensor
from litecheck.quantization import INTEGER_RANGES

#: Largest probability by chance of a reported pattern.
CHANCE = 1e-4
#: The smallest or largest value in the outputs counts as a limit if more than this share of all elements has it.
CLAMPED = 0.05
#: Smallest ratio of densities inside and outside, for a pattern that does not have all differences.
DENSER = 4
#: Smallest probability whose logarithm is taken.
_LEAST = 1e-300

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Pattern:
    """A pattern of differences that is improbable by chance.

    ``odds`` is the natural logarithm of an upper bound of that probability. ``where`` is a mask of the pattern's
    elements, to be broadcast to the output's shape. ``settled`` ends the search: the pattern has all differences, or
    is less probable than a pattern that has all.
    """

    cluster: MismatchCluster
    odds: float
    where: Mask | None = None
    settled: bool = False

    @property
    def has_all_differences(self) -> bool:
        """True if the pattern has all differences."""
        return self.cluster.held == self.cluster.count


@dataclass(frozen=True, eq=False)
class Scatter:
    """Locations of the differences of an output: ``run`` and ``flat`` position of each, both of shape (n,)."""

    expected: tuple[NDArray[Any], ...]
    actual: tuple[NDArray[Any], ...]
    run: Ints
    flat: Ints
    names: tuple[str, ...]
    limits: tuple[int, int] | None
    zero_point: int | None
    excluded: Mask | None = None
    rest: bool = False

    @staticmethod
    def of(
        tensor: Tensor,
        expected: Sequence[NDArray[Any]],
        actual: Sequence[NDArray[Any]],
        where: Sequence[Ints],
        names: Sequence[str] = (),
    ) -> Scatter:
        """Build the scatter from an output's runs and the flat positions of differences; ``names`` are the runs'
        names."""
        run = np.repeat(np.arange(len(where)), [len(at) for at in where])
        flat = np.concatenate(where) if where else np.empty(0, np.int64)
        points = tensor.quantization.zero_point
        zero = int(points[0]) if points.size == 1 and tensor.dtype in INTEGER_RANGES else None
        called = tuple(map(repr, names)) or tuple(map(str, range(len(where))))
        limits = INTEGER_RANGES.get(tensor.dtype)
        return Scatter(tuple(expected), tuple(actual), run, flat, called, limits, zero)

    @property
    def count(self) -> int:
        """Number of differing elements."""
        return len(self.flat)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Common shape of all runs; empty if the runs have several shapes."""
        shapes = {e.shape for e in self.expected}
        return shapes.pop() if len(shapes) == 1 else ()

    @cached_property
    def values(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Expected and actual values of the differing elements."""
        pick = [np.flatnonzero(self.run == n) for n in range(len(self.expected))]
        made = (
            np.concatenate([a.reshape(-1)[self.flat[at]] for a, at in zip(arrays, pick, strict=True)])
            for arrays in (self.expected, self.actual)
        )
        kind = np.int64 if self.limits else np.float64
        expected, actual = (array.astype(kind) for array in made)
        return expected, actual

    @cached_property
    def ends(self) -> tuple[Any, Any]:
        """Smallest and largest value of the reference."""
        filled = [e for e in self.expected if e.size]
        return min(e.min() for e in filled), max(e.max() for e in filled)

    @cached_property
    def rails(self) -> tuple[int, ...]:
        """Limits of the type, and the smallest or largest value of the reference if it is frequent enough for a clamp."""
        least = CLAMPED * sum(e.size for e in self.expected)
        held = [int(v) for v in self.ends if sum(np.count_nonzero(e == v) for e in self.expected) > least]
        return tuple(sorted({*held, *(self.limits or ())}))

    @cached_property
    def at_rail(self) -> NDArray[np.bool_]:
        """Mask of the differences at which the reference is saturated."""
        return np.isin(self.values[0], self.rails)

    @cached_property
    def free(self) -> tuple[NDArray[np.bool_], ...]:
        """Masks of the considered elements of each run: all, or the unsaturated elements if no saturated element
        differs."""
        if not self.limits or self.at_rail.any():
            found = tuple(np.ones(e.shape, np.bool_) for e in self.expected)
        else:
            found = self.unsaturated_masks
        return found if self.excluded is None else tuple(f & ~self.excluded for f in found)

    @property
    def exclusion_reasons(self) -> tuple[str, ...]:
        """Reasons for excluded elements: ``pattern`` (elements of an earlier pattern) and ``rails`` (saturated
        elements)."""
        if self.size == sum(e.size for e in self.expected):
            return ()
        clamped = self.limits and not self.at_rail.any()
        why = ("pattern" if self.excluded is not None else "", "rails" if clamped else "")
        return tuple(filter(None, why))

    @cached_property
    def unsaturated_masks(self) -> tuple[NDArray[np.bool_], ...]:
        """Masks of the unsaturated elements of each run."""
        return tuple(~np.isin(e, self.rails) for e in self.expected)

    @cached_property
    def size(self) -> int:
        """Number of considered elements."""
        return sum(int(np.count_nonzero(f)) for f in self.free)

    def yield_pattern(
        self,
        claim: MismatchCluster,
        there: int,
        tried: int,
        close: bool = False,
        held: int | None = None,
        axis: int | None = None,
        where: Mask | None = None,
    ) -> Iterator[Pattern]:
        """Yield the pattern with ``there`` elements and ``held`` differences (default: all), unless chance is
        probable.

        ``close`` is for patterns fitted to the differences: they must exclude half of the elements. A pattern without
        all differences must have most of them, or most of its elements must differ, and it must be ``DENSER`` than the
        rest.
        """
        held = self.count if held is None else held
        others, outside = self.count - held, self.size - there
        if (close and 2 * there > self.size) or not there:
            return
        if 2 * held <= self.count and 2 * held <= there:
            return
        if others and held * outside < DENSER * others * there:
            return
        alone = chance(self.size, there, held)
        odds = (
            log_probability_bound(self.size, there, self.count, held) if others else log(max(alone, _LEAST))
        )
        odds += log(max(tried, 1))
        if odds >= log(CHANCE):
            return
        extent = replace(claim, held=held, count=self.count, there=there, size=self.size)
        gathering = replace(extent, apart=self.exclusion_reasons, rest=self.rest, dimension=axis)
        yield Pattern(gathering, odds, where, settled=not others)

    def plain(self, pattern: str, **facts: Any) -> MismatchCluster:
        """Return a pattern of all differences without elements of its own."""
        return MismatchCluster(pattern, self.count, self.count, **facts)

    def exclude_pattern(self, pattern: Pattern) -> Scatter:
        """Return the differences outside a pattern, among the elements outside the pattern."""
        if pattern.where is None:
            return replace(self, run=self.run[:0], flat=self.flat[:0])
        where = np.broadcast_to(pattern.where, self.shape)
        kept = ~where.reshape(-1)[self.flat]
        return replace(self, run=self.run[kept], flat=self.flat[kept], excluded=where, rest=True)


def narrowest(found: Iterable[Pattern]) -> tuple[Pattern, ...]:
    """Return the pattern with all differences and the fewest elements; or the least probable pattern with most
    differences.

    A pattern with most differences is returned if no pattern has all, or if it is less probable.
    """
    several = list(found)
    most = min((p for p in several if not p.has_all_differences), key=lambda p: p.odds, default=None)
    whole = min((p for p in several if p.has_all_differences), key=lambda p: p.cluster.there, default=None)
    if whole is None or (most is not None and most.odds < whole.odds):
        return () if most is None else (replace(most, settled=whole is not None),)
    return (whole,)


def log_probability_bound(size: int, there: int, count: int, held: int) -> float:
    """Return the logarithm of an upper bound of a probability: ``held`` or more of ``count`` drawn elements are in
    ``there``.

    Source: W. Hoeffding's bound for sums without replacement, by relative entropy.

    For example, 10 of 10 drawn elements in 50 of 100 give -6.93; the exact logarithm is -7.43.
    """
    share, wanted = there / size, held / count
    if wanted <= share:
        return 0.0
    entropy = wanted * log(wanted / share)
    if wanted < 1:
        entropy += (1 - wanted) * log((1 - wanted) / (1 - share))
    return -count * entropy


def chance(size: int, there: int, count: int) -> float:
    """Return the probability that all of ``count`` elements, drawn from ``size``, are among ``there`` of them.

    For example, size 4, there 2, count 2 gives 1/6.
    """
    if count > there:
        return 0.0
    ways = lgamma(there + 1) - lgamma(there - count + 1) - lgamma(size + 1) + lgamma(size - count + 1)
    return exp(min(0.0, ways))

"""Where some runs of one output differ, and how seldom chance would let differences gather as they do.

A pattern is told where a random scatter of as many differences would hardly show it: its probability (of a
hypergeometric draw), times the number of patterns of its kind that were tried (Bonferroni), is below ``CHANCE``.
Elements at a rail that did not differ anywhere there are left out of account, because clamping hides differences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, lgamma, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.compare.types import Gathering
from litecheck.model.types import Tensor
from litecheck.quantization import INTEGER_RANGES

#: A pattern is told if chance would show it less often than this.
CHANCE = 1e-4
#: A value at the end of what occurs is a rail if it holds this share of all elements.
CLAMPED = 0.05
#: A pattern that does not hold all differences must be so many times as dense inside as outside.
DENSER = 4
#: The least probability there is a logarithm of.
_LEAST = 1e-300

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Pattern:
    """Where differences gather, by more than chance.

    ``odds`` is the natural logarithm of how probable that is by chance, at most. ``where`` is what it takes in, to be
    broadcast to the output's shape. ``settled``: nothing else need be looked for, because it holds all, or tells more
    than one that does.
    """

    gathering: Gathering
    odds: float
    where: Mask | None = None
    settled: bool = False

    @property
    def whole(self) -> bool:
        """Whether it holds all differences."""
        return self.gathering.held == self.gathering.count


@dataclass(frozen=True, eq=False)
class Scatter:
    """Where some runs of one output differ: ``run`` and ``flat`` position of each difference, both of shape (n,)."""

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
        """Of an output's runs and the flat positions in each that differ; ``names`` are the runs'."""
        run = np.repeat(np.arange(len(where)), [len(at) for at in where])
        flat = np.concatenate(where) if where else np.empty(0, np.int64)
        points = tensor.quantization.zero_point
        zero = int(points[0]) if points.size == 1 and tensor.dtype in INTEGER_RANGES else None
        called = tuple(map(repr, names)) or tuple(map(str, range(len(where))))
        limits = INTEGER_RANGES.get(tensor.dtype)
        return Scatter(tuple(expected), tuple(actual), run, flat, called, limits, zero)

    @property
    def count(self) -> int:
        """How many elements differ."""
        return len(self.flat)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The shape that all runs have; empty where they have several."""
        shapes = {e.shape for e in self.expected}
        return shapes.pop() if len(shapes) == 1 else ()

    @cached_property
    def values(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """What the reference and the device have where they differ."""
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
        """The smallest and the largest value the reference has anywhere."""
        filled = [e for e in self.expected if e.size]
        return min(e.min() for e in filled), max(e.max() for e in filled)

    @cached_property
    def rails(self) -> tuple[int, ...]:
        """The type's limits, and an end that holds so much that something clamps there."""
        least = CLAMPED * sum(e.size for e in self.expected)
        held = [int(v) for v in self.ends if sum(np.count_nonzero(e == v) for e in self.expected) > least]
        return tuple(sorted({*held, *(self.limits or ())}))

    @cached_property
    def at_rail(self) -> NDArray[np.bool_]:
        """Which differences lie where the reference is at a rail."""
        return np.isin(self.values[0], self.rails)

    @cached_property
    def free(self) -> tuple[NDArray[np.bool_], ...]:
        """Which elements of each run come into account: all, or those at no rail where nothing differs at a rail."""
        if not self.limits or self.at_rail.any():
            found = tuple(np.ones(e.shape, np.bool_) for e in self.expected)
        else:
            found = self.inside
        return found if self.excluded is None else tuple(f & ~self.excluded for f in found)

    @property
    def apart(self) -> tuple[str, ...]:
        """Why the elements that come into account are not all: those of another pattern, and those at rails, are not."""
        if self.size == sum(e.size for e in self.expected):
            return ()
        clamped = self.limits and not self.at_rail.any()
        why = ("pattern" if self.excluded is not None else "", "rails" if clamped else "")
        return tuple(filter(None, why))

    @cached_property
    def inside(self) -> tuple[NDArray[np.bool_], ...]:
        """Which elements of each run are at no rail."""
        return tuple(~np.isin(e, self.rails) for e in self.expected)

    @cached_property
    def size(self) -> int:
        """How many elements come into account."""
        return sum(int(np.count_nonzero(f)) for f in self.free)

    def told(
        self,
        claim: Gathering,
        there: int,
        tried: int,
        close: bool = False,
        held: int | None = None,
        axis: int | None = None,
        where: Mask | None = None,
    ) -> Iterator[Pattern]:
        """The pattern that takes in ``there`` elements and ``held`` of the differences, all where nothing is said,
        unless chance may have made it.

        ``close`` is for patterns fitted to the differences: they must leave out half of the elements. One that does not
        hold all differences must hold most of them, or most of its elements must differ, and be ``DENSER`` than what is
        outside.
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
        odds = bound(self.size, there, self.count, held) if others else log(max(alone, _LEAST))
        odds += log(max(tried, 1))
        if odds >= log(CHANCE):
            return
        extent = replace(claim, held=held, count=self.count, there=there, size=self.size)
        gathering = replace(extent, apart=self.apart, rest=self.rest, dimension=axis)
        yield Pattern(gathering, odds, where, settled=not others)

    def plain(self, pattern: str, **facts: Any) -> Gathering:
        """A pattern of all differences that has no elements of its own."""
        return Gathering(pattern, self.count, self.count, **facts)

    def without(self, pattern: Pattern) -> Scatter:
        """The differences that a pattern leaves out, among the elements it leaves out."""
        if pattern.where is None:
            return replace(self, run=self.run[:0], flat=self.flat[:0])
        where = np.broadcast_to(pattern.where, self.shape)
        kept = ~where.reshape(-1)[self.flat]
        return replace(self, run=self.run[kept], flat=self.flat[kept], excluded=where, rest=True)


def narrowest(found: Iterable[Pattern]) -> tuple[Pattern, ...]:
    """Of patterns that hold all differences the one that takes in the fewest elements; or one that does not hold all,
    where there is no other, or that is even less probable."""
    several = list(found)
    most = min((p for p in several if not p.whole), key=lambda p: p.odds, default=None)
    whole = min((p for p in several if p.whole), key=lambda p: p.gathering.there, default=None)
    if whole is None or (most is not None and most.odds < whole.odds):
        return () if most is None else (replace(most, settled=whole is not None),)
    return (whole,)


def bound(size: int, there: int, count: int, held: int) -> float:
    """Not less than the probability that so many or more of ``count`` elements, drawn at random, lie among ``there``; its
    natural logarithm.

    Source: W. Hoeffding's bound for sums without replacement, by relative entropy.
    """
    share, wanted = there / size, held / count
    if wanted <= share:
        return 0.0
    entropy = wanted * log(wanted / share)
    if wanted < 1:
        entropy += (1 - wanted) * log((1 - wanted) / (1 - share))
    return -count * entropy


def chance(size: int, there: int, count: int) -> float:
    """The probability that ``count`` of ``size`` elements, drawn at random, all lie among ``there`` of them."""
    if count > there:
        return 0.0
    ways = lgamma(there + 1) - lgamma(there - count + 1) - lgamma(size + 1) + lgamma(size - count + 1)
    return exp(min(0.0, ways))

"""Whether the elements that differ gather somewhere: channels, rows, tails, borders, rails, signs.

A pattern is told where a random scatter of as many differences would hardly show it: its probability (of a
hypergeometric draw), times the number of patterns of its kind that were tried (Bonferroni), is below ``CHANCE``.
Elements at a rail that did not differ anywhere there are left out of account, because clamping hides differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import comb, exp, lgamma
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.model.types import Tensor
from litecheck.quantization import INTEGER_RANGES
from litecheck.report import counted

#: A pattern is told if chance would show it less often than this.
CHANCE = 1e-4
#: A value at the end of what occurs is a rail if it holds this share of all elements.
CLAMPED = 0.05
#: Elements a vector may hold: what is left over at the end is often computed by other code.
VECTORS = (32, 16, 8, 4)
#: Distances at which channels are looked for, and the most indexes that are listed.
_STEPS = (16, 8, 4, 3, 2)
_LISTED = 8
#: Rows and columns that a border may have.
_WIDTHS = (1, 2, 3)
_AXES = {2: ("row", "channel"), 4: ("batch", "row", "column", "channel")}

Ints = NDArray[np.int64]


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
            return tuple(np.ones(e.shape, np.bool_) for e in self.expected)
        return self.inside

    @cached_property
    def inside(self) -> tuple[NDArray[np.bool_], ...]:
        """Which elements of each run are at no rail."""
        return tuple(~np.isin(e, self.rails) for e in self.expected)

    @cached_property
    def size(self) -> int:
        """How many elements come into account."""
        return sum(int(np.count_nonzero(f)) for f in self.free)

    def told(self, claim: str, there: int, tried: int, close: bool = False) -> Iterator[tuple[int, str]]:
        """(there, the sentence) of a pattern that takes in ``there`` elements, unless chance may have made it.

        ``close`` is for patterns fitted to the differences: they must leave out half of the elements.
        """
        if (close and 2 * there > self.size) or chance(self.size, there, self.count) * tried >= CHANCE:
            return
        whole = sum(e.size for e in self.expected)
        left = "" if self.size == whole else " that are not at a rail"
        among = f"among {there:,} of the {self.size:,} elements{left}"
        yield there, f"all {self.count:,} differences {claim}, {among}"


def _narrowest(found: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    """The sentence of the pattern that takes in the fewest elements, the first of them."""
    best = min(found, key=lambda one: one[0], default=None)
    return () if best is None else (best[1],)


def chance(size: int, there: int, count: int) -> float:
    """The probability that ``count`` of ``size`` elements, drawn at random, all lie among ``there`` of them."""
    if count > there:
        return 0.0
    ways = lgamma(there + 1) - lgamma(there - count + 1) - lgamma(size + 1) + lgamma(size - count + 1)
    return exp(min(0.0, ways))


def gathers(scatter: Scatter) -> tuple[str, ...]:
    """What is told of the differences, each pattern in a sentence with its evidence."""
    if scatter.count < 2:
        return ()
    where = _narrowest(_flat(scatter)) or _axes(scatter) or _narrowest(_border(scatter))
    values = chain(_rails(scatter), _sides(scatter)) if scatter.limits else ()
    return (*where, *_runs(scatter), *values, *_signs(scatter))


def _axes(s: Scatter) -> tuple[str, ...]:
    """Every dimension by itself."""
    rank, found = len(s.shape), list[str]()
    called = _AXES.get(rank, (*(f"index of dimension {n}" for n in range(rank - 1)), "channel"))
    places = np.unravel_index(s.flat, s.shape) if rank else ()
    for axis, (name, place) in enumerate(zip(called, places, strict=False)):
        if s.shape[axis] > 1:
            others = tuple(n for n in range(rank) if n != axis)
            counts = np.sum([f.sum(axis=others) for f in s.free], axis=0)
            indexes = np.flatnonzero(np.bincount(place, minlength=s.shape[axis]))
            names = f"indexes{name[5:]}" if name.startswith("index") else f"{name}s"
            tried = (_range(s, name, names, indexes, counts), _tails(s, names, indexes, counts))
            found += _narrowest(
                chain(*tried, _steps(s, name, indexes, counts), _few(s, names, indexes, counts))
            )
    return tuple(found)


def _vector_tails(length: int) -> dict[int, int]:
    """Where whole vectors end, if something is left over: index -> elements of the vector, the longest."""
    return {length // v * v: v for v in reversed(VECTORS) if length % v and length > v}


def _range(s: Scatter, name: str, names: str, indexes: Ints, counts: Ints) -> Iterator[tuple[int, str]]:
    """All indexes from one to another. ``counts`` are the elements at each index."""
    n, low, high = len(counts), int(indexes[0]), int(indexes[-1])
    length, tails = high - low + 1, _vector_tails(n)
    words = f"{name} {low}" if length == 1 else f"{names} {low} to {high}"
    ends = "the last" if high == n - 1 else "the first" if low == 0 else ""
    if ends:
        words += f", {ends} of {n}" if length == 1 else f", {ends} {length} of {n}"
    else:
        words += f" of {n}"
    if low in tails and high == n - 1:
        words += f" (the tail behind whole vectors of {tails[low]})"
    tried = 2 if length == 1 and ends else n * (n + 1) // 2
    yield from s.told(f"lie in {words}", int(counts[low : high + 1].sum()), tried, close=True)


def _tails(s: Scatter, names: str, indexes: Ints, counts: Ints) -> Iterator[tuple[int, str]]:
    """What vectors leave over at the end, or all but that."""
    n, tails = len(counts), _vector_tails(len(counts))
    for start, vector in tails.items():
        words = f"the last {n - start} of {n} {names}, the tail behind whole vectors of {vector}"
        if indexes[0] >= start:
            yield from s.told(f"lie in {words}", int(counts[start:].sum()), 2 * len(tails))
        elif indexes[-1] < start:
            yield from s.told(f"lie outside {words}", int(counts[:start].sum()), 2 * len(tails))


def _steps(s: Scatter, name: str, indexes: Ints, counts: Ints) -> Iterator[tuple[int, str]]:
    """Every n-th index."""
    first = int(indexes[0])
    for step in (step for step in _STEPS if len(counts) >= 2 * step and len(indexes) > 1):
        if (indexes % step == first % step).all():
            nth = {2: "2nd", 3: "3rd"}.get(step, f"{step}th")
            there = int(counts[first % step :: step].sum())
            yield from s.told(
                f"lie in every {nth} {name}, from {first % step} on", there, sum(_STEPS), close=True
            )


def _few(s: Scatter, names: str, indexes: Ints, counts: Ints) -> Iterator[tuple[int, str]]:
    """A few indexes anywhere."""
    if 1 < len(indexes) <= _LISTED:
        words = f"lie in {len(indexes)} of {len(counts)} {names}: {', '.join(map(str, indexes))}"
        yield from s.told(words, int(counts[indexes].sum()), comb(len(counts), len(indexes)), close=True)


def _border(s: Scatter) -> Iterator[tuple[int, str]]:
    """The outermost rows and columns of images, on all sides or on the two that uneven padding touches."""
    if len(s.shape) != 4 or min(s.shape[1:3]) < 3:
        return
    height, width = s.shape[1:3]
    _, row, column, _ = np.unravel_index(s.flat, s.shape)
    y, x = np.arange(height)[:, None], np.arange(width)
    sides: dict[str, Callable[[Any, Any], Any]] = {
        "at the bottom and on the right": lambda y, x: np.minimum(height - 1 - y, width - 1 - x),
        "at the top and on the left": np.minimum,
        "on all sides": lambda y, x: np.minimum(np.minimum(y, x), np.minimum(height - 1 - y, width - 1 - x)),
    }
    for words, distance in sides.items():
        wide = int(distance(row, column).max()) + 1
        if wide in _WIDTHS:
            there = sum(int(np.count_nonzero(f[:, distance(y, x) < wide])) for f in s.free)
            rows = "the outermost row and column" if wide == 1 else f"the outer {wide} rows and columns"
            claim = f"lie in {rows} {words} (the border that padding touches)"
            yield from s.told(claim, there, len(sides) * len(_WIDTHS))


def _flat(s: Scatter) -> Iterator[tuple[int, str]]:
    """The tail and the body of vector loops over whole tensors."""
    sizes = np.array([e.size for e in s.expected])
    if s.shape and sum(n > 1 for n in s.shape) == 1 and s.shape[-1] > 1:
        return  # what the last dimension says
    for vector in VECTORS:
        starts = sizes // vector * vector
        if (starts == 0).any() or (starts == sizes).all():
            continue
        behind = s.flat >= starts[s.run]
        tails = sum(int(np.count_nonzero(f.reshape(-1)[n:])) for f, n in zip(s.free, starts, strict=True))
        words = f"the last {counted(int((sizes - starts).max()), 'element')} of the flat tensor"
        words += f", the tail behind whole vectors of {vector}"
        if behind.all():
            yield from s.told(f"lie in {words}", tails, 2 * len(VECTORS))
        elif not behind.any():
            yield from s.told(f"lie outside {words}", s.size - tails, 2 * len(VECTORS))


def _runs(s: Scatter) -> tuple[str, ...]:
    if len(s.expected) == 1 or (s.run != s.run[0]).any():
        return ()
    run, there = int(s.run[0]), int(np.count_nonzero(s.free[s.run[0]]))
    return _narrowest(s.told(f"lie in run {s.names[run]} of {len(s.expected)}", there, len(s.expected)))


def _rails(s: Scatter) -> tuple[str, ...]:
    """One value that the reference, or the device, has wherever they differ."""
    (expected, actual), found = s.values, list[str]()
    held: list[int] = np.unique(expected).tolist()
    if set(held) <= set(s.rails):
        there = sum(int(np.isin(e, held).sum()) for e in s.expected)
        words = " or ".join(f"{v}, {_end(s, v)}" for v in held)
        found += _narrowest(s.told(f"lie where the reference gives {words}", there, 2 * len(s.rails)))
    if (actual == actual[0]).all():
        there = sum(int((a == actual[0]).sum()) for a in s.actual)
        values = len(set(chain.from_iterable(np.unique(a).tolist() for a in s.actual)))
        found += _narrowest(s.told(f"have the device give {actual[0]}", there, values))
    return tuple(found)


def _end(s: Scatter, value: int) -> str:
    low, high = s.limits or (0, 0)
    if value in (low, high):
        return f"the {'smallest' if value == low else 'largest'} value of the type"
    return f"its {'smallest' if value == s.ends[0] else 'largest'} value here"


def _sides(s: Scatter) -> Iterator[str]:
    """One side of the zero point, as roundings that treat signs differently have it; values at rails tell nothing."""
    zero, (expected, actual) = s.zero_point, s.values
    if zero is None:
        return
    free = int(np.count_nonzero(~s.at_rail))
    below, above = np.minimum(expected, actual) < zero, np.maximum(expected, actual) > zero
    for word, here, pick in (("below", below & ~above, np.minimum), ("above", above & ~below, np.maximum)):
        if not here.all():
            continue
        there = size = 0
        for e, a, inside in zip(s.expected, s.actual, s.inside, strict=True):
            value = pick(e, a)[inside]
            size += value.size
            there += int(np.count_nonzero(value < zero if word == "below" else value > zero))
        if chance(size, there, free) * 2 < CHANCE:
            what = f"all {s.count:,} differences lie {word} the zero point {zero}"
            yield f"{what}, among {there:,} of the {size:,} elements that are not at a rail"


def _signs(s: Scatter) -> Iterator[str]:
    """One difference, one sign, or one direction in all elements that can go either way."""
    expected, actual = s.values
    off = actual - expected
    both_ways = int(np.count_nonzero(~s.at_rail)) if s.limits else s.count
    if 4 * 0.5**both_ways >= CHANCE or not np.isfinite(off).all():
        return
    if (off == off[0]).all() and s.limits:
        yield f"all {s.count:,} differ by exactly {off[0]:+d}"
    elif (off > 0).all() or (off < 0).all():
        yield f"in all {s.count:,} the device's value is {'larger' if off[0] > 0 else 'smaller'}"
    elif s.zero_point is not None:
        nearer = np.abs(actual - s.zero_point) - np.abs(expected - s.zero_point)
        if (nearer < 0).all() or (nearer > 0).all():
            way = "nearer to" if nearer[0] < 0 else "farther from"
            yield f"in all {s.count:,} the device's value is {way} the zero point {s.zero_point}"

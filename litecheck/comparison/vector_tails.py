"""Remainders of vector loops: the last n % 16 elements of rows of n elements, in one output and in several cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log, prod

import numpy as np

from litecheck.comparison.scatter import CHANCE, Ints, Pattern, Scatter, chance, log_probability_bound

#: Lengths of SIMD vectors: the remainder of a loop is often computed by separate code.
VECTORS = (32, 16, 8, 4)
#: Smallest probability whose logarithm is taken.
_LEAST = 1e-300


def vector_tails(length: int) -> dict[int, int]:
    """Map each index at which whole vectors end before the end of a row to the longest vector length.

    For example, length 20 gives {16: 16} and nothing for length 32.
    """
    return {length // v * v: v for v in reversed(VECTORS) if length % v and length > v}


def flat_tails(s: Scatter) -> Iterator[Pattern]:
    """Yield patterns of the remainder and the body of vector loops over whole tensors."""
    sizes = np.array([e.size for e in s.expected])
    if s.shape and sum(n > 1 for n in s.shape) == 1 and s.shape[-1] > 1:
        return  # the last dimension has the same pattern
    for vector in VECTORS:
        starts = sizes // vector * vector
        if (starts == 0).any() or (starts == sizes).all():
            continue
        behind = s.flat >= starts[s.run]
        tails = sum(int(np.count_nonzero(f.reshape(-1)[n:])) for f, n in zip(s.free, starts, strict=True))
        claim = s.plain("flat tail", length=int((sizes - starts).max()), vector=vector)
        held, where = int(np.count_nonzero(behind)), None
        if s.shape:
            where = (np.arange(int(sizes[0])) >= starts[0]).reshape(s.shape)
        yield from s.yield_pattern(claim, tails, 2 * len(VECTORS), held=held, where=where)
        if not held and _ends_at(s, int(sizes.min()), int(starts.min())):
            yield from s.yield_pattern(replace(claim, outside=True), s.size - tails, 2 * len(VECTORS))


def _ends_at(s: Scatter, size: int, start: int) -> bool:
    """Return True if the differences end at ``start``, and not before, where a border of the image can begin.

    Positions that repeat from run to run count once.
    """
    places = np.unique(s.flat)
    by_chance = chance(size, start, len(places)) * 2 * len(VECTORS)
    return bool(by_chance < CHANCE and places[-1] >= start - min(VECTORS))


def row_tails(s: Scatter) -> Iterator[Pattern]:
    """Yield patterns of the remainder of vector loops over rows of the last two or more dimensions.

    Differences often repeat from row to row, so that each position in a row counts once.
    """
    lengths = dict.fromkeys(prod(s.shape[at:]) for at in range(1, len(s.shape) - 1))
    rows = [length for length in lengths if s.shape[-1] < length < prod(s.shape)]
    tried = sum(len(vector_tails(length)) for length in rows)
    for length in rows:
        places = s.flat % length
        for start, vector in vector_tails(length).items():
            behind = places >= start
            every, held = (len(np.unique(some)) for some in (places, places[behind]))
            odds = log_probability_bound(length, length - start, every, held)
            if held == every:
                odds = log(max(chance(length, length - start, held), _LEAST))
            if odds + log(tried) > log(CHANCE):
                continue
            where = (np.arange(prod(s.shape)) % length >= start).reshape(s.shape)
            there = sum(int(np.count_nonzero(f & where)) for f in s.free)
            claim = s.plain("row tail", length=length, first=start, vector=vector)
            yield from s.yield_pattern(claim, there, tried, held=int(np.count_nonzero(behind)), where=where)


@dataclass(frozen=True, slots=True)
class SharedTail:
    """A remainder of vector loops that has all differences of ``cases`` failing cases: the last n % ``vector``
    elements.

    A row has n elements: the last ``dimensions`` dimensions of the output, or 0 for the flat tensor. For example,
    dimensions 1 and vector 16 are the last 3 of 19 channels in one case, and the last 8 of 40 in another.
    """

    dimensions: int
    vector: int
    cases: int


def shared_tail(cases: Sequence[tuple[tuple[int, ...], Ints]]) -> SharedTail | None:
    """Return the tail that has all differences of several cases, each given by its output's shape and the flat
    positions of its differences; None if a random scatter could have it, or without two cases.

    The tail with the fewest elements is chosen. Differences often repeat from row to row, so that each position in a
    row counts once.
    """
    if len(cases) < 2:
        return None
    ranks = {len(shape) for shape, _ in cases}
    wanted = [(dimensions, vector) for dimensions in range(max(ranks)) for vector in VECTORS]
    found = [
        (there, dimensions, vector)
        for dimensions, vector in wanted
        if (there := _common(cases, dimensions, vector, len(wanted))) is not None
    ]
    if not found:
        return None
    simplest = {1: 0, 0: 1}
    _, dimensions, vector = min(found, key=lambda one: (one[0], simplest.get(one[1], one[1])))
    return SharedTail(dimensions, vector, len(cases))


def _common(
    cases: Sequence[tuple[tuple[int, ...], Ints]], dimensions: int, vector: int, tried: int
) -> int | None:
    """Return the number of elements in the tails of all cases; None if a difference is elsewhere, or by chance."""
    odds, total = log(tried), 0
    for shape, flat in cases:
        row = prod(shape[-dimensions:]) if dimensions else prod(shape)
        places = np.unique(flat % row)
        if (places < row - row % vector).any():
            return None
        odds += log(max(chance(row, row % vector, len(places)), _LEAST))
        total += prod(shape) // row * (row % vector)
    return total if odds < log(CHANCE) else None

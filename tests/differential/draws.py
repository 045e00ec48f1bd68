"""Substitute of numpy's Generator that records the numbers it draws, and replaces numbers at chosen places."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

Random = np.random.Generator
#: Place of a number: code, instruction, repetition of the instruction, and position in an array.
Place = tuple[object, int, int, int]
#: Length of the longest array drawn number by number. Longer arrays are blocks: only their length is minimized.
FEW = 8
_LOG2 = float(np.log(2))


@dataclass(frozen=True)
class Draw:
    """Number, and the simplest number that can replace it."""

    value: float
    simplest: float

    @property
    def cost(self) -> float:
        """Distance from the simplest number; reals with a power of two as exp() are simpler than further reals."""
        exponent = self.value / _LOG2
        odd = self.value != int(self.value) and abs(exponent - round(exponent)) > 1e-9
        return abs(self.value - self.simplest) + 1000 * odd

    def simpler(self) -> Iterator[float]:
        """Yield simpler numbers, the simplest first."""
        if self.value == self.simplest:
            return
        yield self.simplest
        if self.value == int(self.value):
            off = int(self.value - self.simplest)
            yield from (self.simplest + int(off / part) for part in (8, 2))
            yield self.value - int(np.sign(off))
        else:
            yield from (float(np.round(self.value / _LOG2) * _LOG2), 0.0)


@dataclass
class Record:
    """Numbers and blocks by place."""

    draws: dict[Place, Draw] = field(default_factory=dict)
    blocks: dict[Place, np.ndarray] = field(default_factory=dict)

    def with_numbers(self, other: Mapping[Place, float]) -> Record:
        """Return the record with different numbers at some places."""
        changed = {at: replace(self.draws[at], value=value) for at, value in other.items()}
        return Record({**self.draws, **changed}, self.blocks)


class Draws(np.random.Generator):
    """numpy's Generator from the state of ``start``, with the numbers of ``replaced``; ``made`` records the answers.

    ``skip`` numbers are dropped before the first draw, so that blocks missing in ``replaced`` have different values.
    """

    def __init__(self, start: Random, replaced: Record | None = None, skip: int = 0) -> None:
        bits = type(start.bit_generator)(0)
        bits.state = start.bit_generator.state
        super().__init__(bits)
        self.numpy = np.random.Generator(bits)
        self.numpy.random(skip)
        self.replaced, self.made = replaced or Record(), Record()
        self.asked: Counter[tuple[object, int]] = Counter()

    def _answer(self, drawn: Any, least: Any, most: Any, simplest: float = 0.0) -> Any:
        frame = sys._getframe(2)
        at = (frame.f_code, frame.f_lasti)
        place = (*at, self.asked[at])
        self.asked[at] += 1
        if not isinstance(drawn, np.ndarray):
            return self._number((*place, 0), np.asarray(drawn).item(), least, most, simplest)
        flat = drawn.reshape(-1).copy()
        low, high = (np.broadcast_to(end, drawn.shape).reshape(-1) for end in (least, most))
        if flat.size > FEW:
            first = self.replaced.blocks.get((*place, 0))
            if first is not None:
                flat[:] = np.clip(np.resize(first, flat.size), low, high)
            self.made.blocks[(*place, 0)] = flat
        else:
            ends = zip(flat.tolist(), low.tolist(), high.tolist(), strict=True)
            flat[:] = [self._number((*place, i), *number, simplest) for i, number in enumerate(ends)]
        return flat.reshape(drawn.shape)

    def _number(self, place: Place, drawn: float, least: float, most: float, simplest: float) -> float:
        """Return a number in [least, most], of the type of the drawn number."""
        before = self.replaced.draws.get(place)
        value = drawn if before is None else type(drawn)(min(max(before.value, least), most))
        self.made.draws[place] = Draw(value, float(min(max(simplest, least), most)))
        return value

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Any:  # type: ignore[override]
        drawn = self.numpy.integers(low, high, size, dtype, endpoint)
        ends = (0, low) if high is None else (low, high)
        most = np.asarray(ends[1]) if isinstance(ends[1], (list, tuple)) else ends[1]
        return self._answer(drawn, ends[0], most - (not endpoint))

    def random(self, size: Any = None) -> Any:  # type: ignore[override]
        """Return random numbers. Generators draw special cases by ``random() < share``, so that the simplest number is
        near 1.
        """
        return self._answer(self.numpy.random(size), 0.0, 1.0 - 2.0**-53, 1.0)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:  # type: ignore[override]
        return self._answer(self.numpy.uniform(low, high, size), low, high)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:  # type: ignore[override]
        return self._answer(self.numpy.normal(loc, scale, size), -np.inf, np.inf)

    def choice(self, a: Any, size: None = None) -> Any:  # type: ignore[override]
        """Return an element of a sequence. The first element is the simplest."""
        drawn = self.numpy.choice(np.arange(len(a)))
        return np.asarray(a)[self._answer(drawn, 0, len(a) - 1)]

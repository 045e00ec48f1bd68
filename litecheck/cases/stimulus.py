"""Inputs of inferences: those of one inference, and those of several with their arrays in stacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Any, overload

from litecheck.arrays import Array, Arrays, join_inferences, select_inferences, stack_inferences

_INITIAL: Mapping[int, Array] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Stimulus:
    """Inputs of an inference in the order of the case's, and their kind.

    If ``follows`` is True, the inference starts from the state that the inference before it left. Otherwise variables
    have their initial contents, or those in ``start``.
    """

    kind: str
    arrays: Arrays
    follows: bool = False
    start: Mapping[int, Array] = field(default_factory=lambda: _INITIAL)


@dataclass(frozen=True, slots=True, eq=False)
class Stimuli(Sequence[Stimulus]):
    """Inputs of several inferences, with their arrays in stacks if possible.

    ``follows`` has the numbers of inferences that follow the one before, ``starts`` has contents of variables by the
    number of the inference: see :class:`Stimulus`.
    """

    kinds: tuple[str, ...] = ()
    runs: Sequence[Arrays] = ()
    follows: frozenset[int] = frozenset()
    starts: Mapping[int, Mapping[int, Array]] = field(default_factory=dict)

    @classmethod
    def of(cls, several: Iterable[Stimulus]) -> Stimuli:
        """Return single inferences as one object; Stimuli are returned unchanged."""
        if isinstance(several, cls):
            return several
        found = tuple(several)
        return cls(
            tuple(stimulus.kind for stimulus in found),
            stack_inferences([stimulus.arrays for stimulus in found]),
            frozenset(n for n, stimulus in enumerate(found) if stimulus.follows),
            {n: stimulus.start for n, stimulus in enumerate(found) if stimulus.start},
        )

    @classmethod
    def join(cls, parts: Iterable[Stimuli]) -> Stimuli:
        """Return the inferences of all parts."""
        found = tuple(parts)
        firsts = tuple(accumulate(map(len, found), initial=0))
        return cls(
            tuple(kind for part in found for kind in part.kinds),
            join_inferences([part.runs for part in found]),
            frozenset(first + n for first, part in zip(firsts, found, strict=False) for n in part.follows),
            {
                first + n: start
                for first, part in zip(firsts, found, strict=False)
                for n, start in part.starts.items()
            },
        )

    def __len__(self) -> int:
        return len(self.kinds)

    def __iter__(self) -> Iterator[Stimulus]:
        return map(self._stimulus, range(len(self)), self.runs)

    @overload
    def __getitem__(self, at: int) -> Stimulus: ...
    @overload
    def __getitem__(self, at: slice) -> Stimuli: ...
    def __getitem__(self, at: Any) -> Any:
        numbers = range(len(self))[at]
        return self.select(numbers) if isinstance(at, slice) else self._stimulus(numbers, self.runs[numbers])

    def _stimulus(self, number: int, arrays: Arrays) -> Stimulus:
        return Stimulus(self.kinds[number], arrays, number in self.follows, self.starts.get(number, _INITIAL))

    def select(self, numbers: Sequence[int]) -> Stimuli:
        """Return the inferences with these numbers, in this order."""
        return Stimuli(
            tuple(self.kinds[n] for n in numbers),
            select_inferences(self.runs, numbers),
            frozenset(new for new, n in enumerate(numbers) if n in self.follows),
            {new: self.starts[n] for new, n in enumerate(numbers) if n in self.starts},
        )

    @property
    def independent(self) -> bool:
        """Return True if every inference starts from the initial contents of variables."""
        return not self.follows and not self.starts

    @property
    def series(self) -> tuple[range, ...]:
        """Numbers of the inferences in series: each inference with a reset, with those that follow it."""
        ends = [*(n for n in range(len(self)) if n not in self.follows), len(self)]
        return tuple(range(a, b) for a, b in pairwise(ends))

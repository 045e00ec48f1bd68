"""The runs of a job as an adapter gets them: to take one begins an invocation, and its time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

from litecheck.arrays import Arrays


class Timed(Sequence[Arrays]):
    """Runs that say when they are taken; several at once (a slice) are one invocation."""

    def __init__(self, runs: Sequence[Arrays], begin: Callable[[], object]) -> None:
        self.all = tuple(runs)
        self.begin = begin

    def __len__(self) -> int:
        return len(self.all)

    def __iter__(self) -> Iterator[Arrays]:
        for run in self.all:
            self.begin()
            yield run

    @overload
    def __getitem__(self, at: int) -> Arrays: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Arrays, ...]: ...
    def __getitem__(self, at: Any) -> Any:
        self.begin()
        return self.all[at]


def together(runs: Sequence[Arrays]) -> tuple[Arrays, ...]:
    """All runs, none of which begins yet: for an adapter that hands them over together and says :func:`begun` itself."""
    return runs.all if isinstance(runs, Timed) else tuple(runs)


def begun(runs: Sequence[Arrays]) -> None:
    """The next of the runs that were taken :func:`together` begins, and its time."""
    if isinstance(runs, Timed):
        runs.begin()

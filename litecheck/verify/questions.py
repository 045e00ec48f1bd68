"""What a case is asked: feeds of every kind, in series where it remembers, and what is expected of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain as chain_of
from typing import Any

from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases import inputs, parts
from litecheck.cases.expectation import Expectation, Tape
from litecheck.cases.extremes import discriminating, extremes
from litecheck.cases.inputs import Feed, drawn, redrawn, series
from litecheck.cases.memory import Memory, SeriesTried
from litecheck.cases.parts import Case
from litecheck.cases.sequences import remembers, row, rows, series_tried
from litecheck.cases.sweeps import directed
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Job
from litecheck.model.save import model_bytes
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.limits import NO_MEMORY
from litecheck.reference.operands import RunError
from litecheck.verify.settings import Settings

#: The outputs an arithmetic gives for every feed, or None where it has no kernel.
Expected = Callable[[Arithmetic], "Sequence[Arrays] | None"]


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A case with what it is fed, how often, and a way to learn what an arithmetic expects.

    ``again`` are the feeds by number that are run once more, where not all of them are ``repeat`` times. ``lacks`` is how
    a case without feeds ends, ``note`` says why. ``memory`` says how its memory was tried, where it has one; ``untried``
    that it was not.
    """

    case: Case
    feeds: tuple[Feed, ...]
    repeat: int
    expected: Expected
    note: str = ""
    again: tuple[int, ...] | None = None
    lacks: Outcome = Outcome.NO_REFERENCE
    memory: SeriesTried | None = None
    untried: bool = False

    @property
    def series(self) -> tuple[range, ...]:
        """The feeds by number in series, as the device gets them: all, then again from the last series to the first, so
        that leftovers show."""
        once = series(self.feeds)
        if self.again is not None:
            return (*once, *(range(n, n + 1) for n in self.again))
        return tuple(part for n in range(self.repeat) for part in (once[::-1] if n % 2 else once))

    @property
    def order(self) -> tuple[int, ...]:
        """The feeds by number as the device gets them."""
        return tuple(number for part in self.series for number in part)

    @property
    def job(self) -> Job:
        """What the device is given."""
        runs = tuple(self.feeds[number].arrays for number in self.order)
        starts = {n: start for n, part in enumerate(self.series) if (start := self.feeds[part[0]].start)}
        if not starts and not any(feed.follows for feed in self.feeds):
            return job_of(self.case, runs)
        return job_of(self.case, runs, tuple(map(len, self.series)), starts)


@dataclass(frozen=True, slots=True, eq=False)
class Asking:
    """How questions are made: under the first admissible arithmetic, for a device with such a memory."""

    settings: Settings
    arithmetic: Arithmetic
    memory: Memory

    def question(
        self, case: Case, tapes: Sequence[Tape], chain: Sequence[Tape], kinds: Sequence[str] = ()
    ) -> Question:
        """What the case is fed, and what is expected. ``tapes`` are samples by themselves, ``chain`` are some of them
        one after the other; ``kinds`` are the settings' unless others are wanted."""
        try:
            return self._question(case, tapes, chain, kinds)
        except MemoryError:
            return unasked(case, NO_MEMORY)

    def _question(
        self, case: Case, tapes: Sequence[Tape], chain: Sequence[Tape], kinds: Sequence[str]
    ) -> Question:
        if why := parts.alone(case):
            return unasked(case, why)
        own = remembers(case.cut.model)
        wanted = kinds or self.settings.kinds
        chained = chain if own and self.memory is not Memory.NONE else ()
        handed = list(inputs.within_share(self._handed(case, tapes, chained)))
        through = len(handed)
        more = self._in_series if own and self.memory is not Memory.NONE else self._apart
        fed = inputs.within_share(chain_of(handed, more(case, tapes, wanted)))
        expectation = Expectation(case, list(fed))
        try:
            usable = expectation.usable(self.arithmetic)
        except RunError as error:
            return unasked(case, str(error))
        if inputs.PROPAGATED not in wanted and len(usable) > through:
            expectation = Expectation(case, usable[through:])
            usable = expectation.usable(self.arithmetic)
        note = "" if usable else "its inputs come from operators the reference cannot compute"
        tried = series_tried(usable, self.memory, expectation.reach()) if own and usable else None
        untried = own and self.memory is Memory.NONE
        repeat = self.settings.repeat
        return Question(case, usable, repeat, expectation, note, memory=tried, untried=untried)

    def _handed(self, case: Case, tapes: Sequence[Tape], chain: Sequence[Tape]) -> Iterator[Feed]:
        """The reference's own tensors: of each sample, then of those in a row; none where one of them is missing."""
        alone = [inputs.propagated(case, tape.tensors) for tape in tapes]
        yield from (feed for feed in alone if feed is not None)
        linked = [feed for tape in chain if (feed := inputs.propagated(case, tape.tensors)) is not None]
        if linked and len(linked) == len(chain):
            yield from row(linked)

    def _apart(self, case: Case, tapes: Sequence[Tape], wanted: Sequence[str]) -> Iterator[Feed]:
        """Drawn and directed values, each inference by itself."""
        known, seed = tapes[0].tensors if tapes else {}, self.settings.seed
        if inputs.RANDOM in wanted and (first := drawn(case, known, seed)):
            yield first
            yield from redrawn(case, known, seed)
        if inputs.DIRECTED in wanted:
            yield from discriminating(case, known, seed, self.arithmetic)
            yield from extremes(case, known)
            yield from directed(case, known)

    def _in_series(self, case: Case, tapes: Sequence[Tape], wanted: Sequence[str]) -> Iterator[Feed]:
        known = tapes[0].tensors if tapes else {}
        if inputs.RANDOM in wanted or inputs.DIRECTED in wanted:
            of = rows(case, known, self.settings.seed, self.arithmetic, self.memory)
            for kind in (inputs.RANDOM, inputs.DIRECTED):
                for several in of(kind) if kind in wanted else ():
                    yield from several


def unasked(case: Case, why: str) -> Question:
    """A case that nothing can be asked about."""
    nothing: Callable[[Arithmetic], None] = lambda arithmetic: None  # noqa: E731
    return Question(case, (), 1, nothing, why)


def job_of(
    case: Case,
    runs: tuple[Arrays, ...],
    lengths: tuple[int, ...] = (),
    starts: Mapping[int, Mapping[int, NDArray[Any]]] | None = None,
) -> Job:
    """A case's job; series are given as a Job has them."""
    model = case.cut.model
    return Job(case.name, model, model_bytes(model, drop_unknown=True), runs, lengths, starts or {})

"""Jobs of cases: inputs of every kind, in series if the case has state, and the expected outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain as chain_of
from typing import Any, TypeVar

from numpy.typing import NDArray

from litecheck.arrays import Arrays, select_inferences
from litecheck.cases import inputs, model_parts
from litecheck.cases.distinguishing_inputs import distinguishing, extreme_inputs
from litecheck.cases.expectation import Expectation, TensorCache
from litecheck.cases.inputs import DrawnInputs, draws
from litecheck.cases.model_parts import Case
from litecheck.cases.saturation import attenuate_series, saturates
from litecheck.cases.sequences import remembers, sequence, sequences, series_tried
from litecheck.cases.stimulus import Stimuli
from litecheck.cases.sweeps import directed_stimuli
from litecheck.cases.variable_state import StateSupport, TriedSeries
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Job
from litecheck.model.save import model_bytes
from litecheck.reference.compute_limits import NO_MEMORY
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.runtime_tensors import RunError
from litecheck.verification.settings import Settings

T = TypeVar("T")
#: Outputs of an arithmetic for every inference, or None if the arithmetic has no kernel.
Expected = Callable[[Arithmetic], "Sequence[Arrays] | None"]


@dataclass(frozen=True, eq=False)  # no slots: a cached property needs a dictionary
class CaseJob:
    """A case with its inputs, the number of repetitions, and a function that returns an arithmetic's expected outputs.

    ``again`` has the numbers of inferences that are repeated once; None repeats all ``repeat`` times. ``lacks`` is the
    outcome of a case without inputs, ``note`` the reason. ``memory`` describes the series that exercise state;
    ``state_unchecked`` is True if the case has state that was not exercised.
    """

    case: Case
    stimuli: Stimuli
    repeat: int
    expected: Expected
    note: str = ""
    again: tuple[int, ...] | None = None
    lacks: Outcome = Outcome.NO_REFERENCE
    memory: TriedSeries | None = None
    state_unchecked: bool = False

    @cached_property
    def series(self) -> tuple[range, ...]:
        """Numbers of the inferences in series, in the device's order: all, then again from the last series to the
        first, so that outputs left over from an earlier inference are detected."""
        once = self.stimuli.series
        if self.again is not None:
            return (*once, *(range(n, n + 1) for n in self.again))
        return self._repeat(once)

    def _repeat(self, once: Sequence[T]) -> tuple[T, ...]:
        return tuple(one for n in range(self.repeat) for one in (once[::-1] if n % 2 else once))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Numbers of the inferences in the device's order."""
        if self.again is None and not self.stimuli.follows:
            return self._repeat(range(len(self.stimuli)))
        return tuple(number for part in self.series for number in part)

    @property
    def job(self) -> Job:
        """The job for the device."""
        runs, known = select_inferences(self.stimuli.runs, self.order), self.stimuli.starts
        if self.stimuli.independent:
            return job_of(self.case, runs)
        starts = {n: known[part[0]] for n, part in enumerate(self.series) if part[0] in known}
        return job_of(self.case, runs, tuple(map(len, self.series)), starts)


@dataclass(frozen=True, slots=True, eq=False)
class JobFactory:
    """Factory of jobs, for an arithmetic (the first admissible) and a device's support for state."""

    settings: Settings
    arithmetic: Arithmetic
    memory: StateSupport

    def case_job(
        self,
        case: Case,
        caches: Sequence[TensorCache],
        chain: Sequence[TensorCache],
        kinds: Sequence[str] = (),
    ) -> CaseJob:
        """Return the job of a case.

        ``caches`` are independent samples, ``chain`` are consecutive samples; without ``kinds`` those of the settings
        apply.
        """
        try:
            return self._case_job(case, caches, chain, kinds)
        except MemoryError:
            return skip_reason(case, NO_MEMORY)

    def _case_job(
        self, case: Case, caches: Sequence[TensorCache], chain: Sequence[TensorCache], kinds: Sequence[str]
    ) -> CaseJob:
        if why := model_parts.single_operator(case):
            return skip_reason(case, why)
        own = remembers(case.submodel.model)
        wanted = kinds or self.settings.kinds
        chained = chain if own and self.memory is not StateSupport.NONE else ()
        handed = list(inputs.limit_memory(self._propagated_inputs(case, caches, chained)))
        through = sum(map(len, handed))
        more = self._in_series if own and self.memory is not StateSupport.NONE else self._independent_inputs
        fed = inputs.limit_memory(chain_of(handed, more(case, caches, wanted)))
        expectation = Expectation(case, Stimuli.join(fed))
        try:
            usable = expectation.usable(self.arithmetic)
        except RunError as error:
            return skip_reason(case, str(error))
        if inputs.PROPAGATED not in wanted and len(usable) > through:
            expectation = Expectation(case, usable[through:])
            usable = expectation.usable(self.arithmetic)
        if inputs.DIRECTED in wanted and saturates(case, expectation(self.arithmetic) or ()):
            nearer = Stimuli.of(attenuate_series(case, usable))
            expectation = Expectation(case, Stimuli.join((usable, nearer)))
            usable = expectation.usable(self.arithmetic)
        note = "" if usable else "its inputs come from operators the reference cannot compute"
        tried = series_tried(usable, self.memory, expectation.reach()) if own and usable else None
        untried = own and self.memory is StateSupport.NONE
        repeat = self.settings.repeat
        return CaseJob(case, usable, repeat, expectation, note, memory=tried, state_unchecked=untried)

    def _propagated_inputs(
        self, case: Case, caches: Sequence[TensorCache], chain: Sequence[TensorCache]
    ) -> Iterator[Stimuli]:
        """Yield the reference's own tensors: of each sample, then of the chain; no chain if an inference is missing."""
        alone = [inputs.propagated_inputs(case, cache.tensors) for cache in caches]
        yield from (Stimuli.of((stimulus,)) for stimulus in alone if stimulus is not None)
        linked = [
            stimulus
            for cache in chain
            if (stimulus := inputs.propagated_inputs(case, cache.tensors)) is not None
        ]
        if linked and len(linked) == len(chain):
            yield Stimuli.of(sequence(linked))

    def _independent_inputs(
        self, case: Case, caches: Sequence[TensorCache], wanted: Sequence[str]
    ) -> Iterator[Stimuli]:
        """Yield random and directed values, each inference independent of the rest."""
        known, seed = caches[0].tensors if caches else {}, self.settings.seed
        drawn = DrawnInputs(case, known, seed)
        if inputs.RANDOM in wanted:
            yield from drawn.first(draws(case))
        if inputs.DIRECTED in wanted:
            for stimulus in chain_of(
                distinguishing(case, drawn, self.arithmetic),
                extreme_inputs(case, known),
                directed_stimuli(case, known),
            ):
                yield Stimuli.of((stimulus,))

    def _in_series(
        self, case: Case, caches: Sequence[TensorCache], wanted: Sequence[str]
    ) -> Iterator[Stimuli]:
        known = caches[0].tensors if caches else {}
        if inputs.RANDOM in wanted or inputs.DIRECTED in wanted:
            of = sequences(case, known, self.settings.seed, self.arithmetic, self.memory)
            for kind in (inputs.RANDOM, inputs.DIRECTED):
                yield from map(Stimuli.of, of(kind) if kind in wanted else ())


def skip_reason(case: Case, why: str) -> CaseJob:
    """Return a job without inputs, with the reason."""
    nothing: Callable[[Arithmetic], None] = lambda arithmetic: None  # noqa: E731
    return CaseJob(case, Stimuli(), 1, nothing, why)


def job_of(
    case: Case,
    runs: Sequence[Arrays],
    lengths: tuple[int, ...] = (),
    starts: Mapping[int, Mapping[int, NDArray[Any]]] | None = None,
) -> Job:
    """Return the job of a case; ``lengths`` and ``starts`` describe series as in Job."""
    model = case.submodel.model
    return Job(case.name, model, model_bytes(model, drop_unknown=True), runs, lengths, starts or {})

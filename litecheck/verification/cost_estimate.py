"""Forecast of a verification's cost, and division of a budget among its cases."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from litecheck.cases import model_parts
from litecheck.cases.expectation import Expectation
from litecheck.cases.sequences import series_tried
from litecheck.cases.stimulus import Stimuli
from litecheck.cases.variable_state import StateSupport, TriedSeries
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Device, Failure, Job, memory_of
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.verification.jobs import CaseJob
from litecheck.verification.ranking import Ranking, Share, rank, shares
from litecheck.verification.schedule import check_selection, every_case_job
from litecheck.verification.settings import Budget, Settings

SPENT = "the budget went to other cases"
OVER = "the time of the budget was over"
#: Seconds of a first invocation above which the device's start time is not measured.
_LONG = 10.0


class BudgetDivision:
    """A budget and its cases, in order. ``reserved`` invocations are kept for drift.

    A budget of time is converted to invocations before each case, from the device's measured time per invocation.
    ``shares`` are the shares of all cases, as currently known.
    """

    def __init__(
        self,
        budget: Budget,
        rankings: Sequence[Ranking],
        repeat: int,
        reserved: int = 0,
        pace: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._budget, self._rankings, self._repeat = budget, tuple(rankings), repeat
        self._reserved, self._clock = reserved, clock
        self._place = {ranking.case: at for at, ranking in enumerate(rankings)}
        self._start, self._first_pace = clock(), pace
        self._lock = threading.Lock()
        self._given = self._made = 0
        self.shares = self._divide(0)

    def limit_job(self, case_job: CaseJob) -> CaseJob:
        """Return the job reduced to its share of the budget; without inputs if the share is empty."""
        at = self._place[case_job.case.name]
        if self._budget.seconds:
            self.shares = (*self.shares[:at], *self._divide(at))
        share = self.shares[at]
        self._given += share.invocations
        return narrow_job(case_job, share)

    def run_job(self, device: Device, job: Job) -> Answer | Failure:
        """Run the job on the device; return a failure if the time of the budget is over."""
        if self._budget.seconds and self._seconds_left() <= 0:
            return Failure(Outcome.NOT_TRIED, OVER)
        answer = device.run(job)
        with self._lock:
            self._made += len(job.runs)
        return answer

    def _divide(self, at: int) -> tuple[Share, ...]:
        """Return the shares of the cases from position ``at`` on."""
        if not self._budget.seconds:
            count = self._budget.invocations - self._reserved
        else:
            count = int(self._seconds_left() / self._pace()) - (self._given - self._made) - self._reserved
        return shares(self._rankings[at:], max(0, count), self._repeat)

    def _seconds_left(self) -> float:
        return self._start + self._budget.seconds - self._clock()

    def _pace(self) -> float:
        """Return the seconds per invocation."""
        with self._lock:
            known = (self._clock() - self._start) / self._made if self._made else self._first_pace
        return max(known, 1e-6)


def narrow_job(case_job: CaseJob, share: Share) -> CaseJob:
    """Return the job reduced to the inputs of its share, some of which are run twice."""
    if not case_job.stimuli:
        return case_job
    if case_job.stimuli.follows and share.stimuli:
        return _in_series(case_job, share)
    fed = case_job.stimuli.select(share.stimuli)
    if not fed:
        return replace(case_job, stimuli=Stimuli(), note=SPENT, lacks=Outcome.NOT_TRIED)
    again = tuple(share.stimuli.index(n) for n in share.again)
    return replace(case_job, stimuli=fed, expected=Expectation(case_job.case, fed), again=again)


def _in_series(case_job: CaseJob, share: Share) -> CaseJob:
    """Reduce a case with state to the number of invocations in its share; every series starts at its first
    inference."""
    parts = case_job.stimuli.series
    chosen = dict.fromkeys(part for n in share.stimuli for part in parts if n in part)
    # A single inference does not exercise state, so long series come first.
    order = sorted(chosen, key=lambda part: -min(len(part), share.invocations))
    numbers: list[int] = []
    for part in order:
        numbers += part[: share.invocations - len(numbers)]
    fed = case_job.stimuli.select(numbers)
    expected = Expectation(case_job.case, fed)
    alone = not fed.follows
    tried = TriedSeries(because="budget") if alone else series_tried(fed, StateSupport.KEPT)
    return replace(case_job, stimuli=fed, expected=expected, again=(), memory=tried, state_unchecked=alone)


@dataclass(frozen=True, slots=True)
class PlannedCase:
    """A case of a forecast: stable name, opcodes, tensor name, number of inputs and number of invocations."""

    case: str
    opcodes: tuple[str, ...]
    name: str
    inputs: int
    invocations: int


@dataclass(frozen=True, slots=True)
class InvocationTime:
    """Measured time of a case's invocation and of the device's start, in seconds; ``failed`` describes a failure."""

    case: str
    seconds: float
    start: float = 0.0
    failed: str = ""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """All cases of a verification, in order. ``further`` invocations measure drift; ``budget`` is display text."""

    model: str
    described: str
    cases: tuple[PlannedCase, ...]
    further: int = 0
    budget: str = ""
    sampled: InvocationTime | None = None

    @property
    def invocations(self) -> int:
        """Number of invocations of all cases and of drift."""
        return self.further + sum(case.invocations for case in self.cases)

    @property
    def seconds(self) -> float | None:
        """Estimated seconds: invocations times the measured time, plus a device start per case; None without a
        measurement."""
        if self.sampled is None or self.sampled.failed:
            return None
        starts = sum(case.invocations > 0 for case in self.cases)
        return self.invocations * self.sampled.seconds + starts * self.sampled.start


def time_invocation(device: Device, case_job: CaseJob) -> InvocationTime | None:
    """Time an invocation of a case, then two together (unless the first took long), to separate the device's start
    time.

    Return None if the case has no inputs or the device does not support it.
    """
    if not case_job.stimuli:
        return None
    taken = []
    for again in ((), (0,)):
        begin = time.monotonic()
        answer = device.run(narrow_job(case_job, Share((0,), again)).job)
        taken.append(time.monotonic() - begin)
        if isinstance(answer, Failure):
            if answer.outcome in (Outcome.NOT_SUPPORTED, Outcome.NOT_DELEGATED):
                return None
            return InvocationTime(
                case_job.case.name, taken[0], 0.0, f"{answer.outcome.value}: {answer.message}"
            )
        if taken[0] > _LONG:
            return InvocationTime(case_job.case.name, taken[0])
    one = min(taken[0], max(taken[1] - taken[0], 0.0))
    return InvocationTime(case_job.case.name, one, taken[0] - one)


def estimate_cost(model: Model, device: Device, settings: Settings) -> CostEstimate:
    """Estimate the cost of a verification. The device makes at most three invocations, to measure their time.

    Raise the exceptions of :func:`litecheck.verification.device_run.verify`.
    """
    settings = settings.on(device.name)
    check_selection(model, settings)
    spending, first = divide_budget(model, device, settings)
    arithmetic, cases = load_arithmetic(settings.arithmetics[0]), []
    whole = settings.budget is None
    for case_job in every_case_job(model, settings, arithmetic, memory_of(device), whole):
        first = first or time_invocation(device, case_job)
        asked = spending.limit_job(case_job) if spending else case_job
        case = asked.case
        cases.append(
            PlannedCase(case.name, case.opcodes, case.display_name, len(asked.stimuli), len(asked.order))
        )
    entered = model_parts.entries(model, settings.signature)[:1]
    further = sum(len(s.operators) for s in entered) if settings.drift else 0
    return CostEstimate(model.file, device.described, tuple(cases), further, settings.budget_text, first)


def divide_budget(
    model: Model, device: Device, settings: Settings
) -> tuple[BudgetDivision | None, InvocationTime | None]:
    """Return the divided budget and, for a budget of time, the measured invocation; (None, None) without a budget.

    All cases are prepared and ranked once before the budget is divided.
    """
    budget: Budget | None = settings.budget
    if budget is None:
        return None, None
    arithmetic, rankings, first = load_arithmetic(settings.arithmetics[0]), [], None
    for case_job in every_case_job(model, settings, arithmetic, memory_of(device)):
        rankings.append(rank(case_job, arithmetic))
        if budget.seconds:
            first = first or time_invocation(device, case_job)
    reserved = len(rankings) if settings.drift else 0
    pace = first.seconds + first.start if first else 0.0
    return BudgetDivision(budget, rankings, settings.repeat, reserved, pace), first

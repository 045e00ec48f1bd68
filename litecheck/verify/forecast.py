"""What a verification will cost, before it runs: the invocations of every case, and how long one takes."""

from __future__ import annotations

import time
from dataclasses import dataclass

from litecheck.cases import parts
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Device, Failure, memory_of
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.verify.budget import Budget, Share
from litecheck.verify.plan import every_question
from litecheck.verify.questions import Question
from litecheck.verify.ranking import rank
from litecheck.verify.selection import check_selection
from litecheck.verify.settings import Settings
from litecheck.verify.spending import Spending, narrowed

#: After so many seconds for one invocation nobody waits for two others, to tell how much of it is the start.
_LONG = 10.0


@dataclass(frozen=True, slots=True)
class Planned:
    """One case: its stable name, operators, how many inputs it is fed, and how many invocations that makes."""

    case: str
    opcodes: tuple[str, ...]
    name: str
    inputs: int
    invocations: int


@dataclass(frozen=True, slots=True)
class Sampled:
    """What an invocation took of which case, and what the start of the device, in seconds; or how it failed."""

    case: str
    seconds: float
    start: float = 0.0
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Every case of a verification, in order. ``further`` invocations measure drift; ``budget`` is there in words."""

    model: str
    described: str
    cases: tuple[Planned, ...]
    further: int = 0
    budget: str = ""
    sampled: Sampled | None = None

    @property
    def invocations(self) -> int:
        """Of all cases, and for drift."""
        return self.further + sum(case.invocations for case in self.cases)

    @property
    def seconds(self) -> float | None:
        """What all of them take, if each takes as long as the one that was made; None where none was."""
        if self.sampled is None or self.sampled.failed:
            return None
        starts = sum(case.invocations > 0 for case in self.cases)
        return self.invocations * self.sampled.seconds + starts * self.sampled.start


def sampled(device: Device, question: Question) -> Sampled | None:
    """One invocation of a case, then two together, unless the first took long: the rest is the start of the device.

    None where the case has no inputs or the device does not have it.
    """
    if not question.feeds:
        return None
    taken = []
    for again in ((), (0,)):
        begin = time.monotonic()
        answer = device.run(narrowed(question, Share((0,), again)).job)
        taken.append(time.monotonic() - begin)
        if isinstance(answer, Failure):
            if answer.outcome in (Outcome.NOT_SUPPORTED, Outcome.NOT_DELEGATED):
                return None
            return Sampled(question.case.name, taken[0], 0.0, f"{answer.outcome.value}: {answer.message}")
        if taken[0] > _LONG:
            return Sampled(question.case.name, taken[0])
    one = min(taken[0], max(taken[1] - taken[0], 0.0))
    return Sampled(question.case.name, one, taken[0] - one)


def forecast(model: Model, device: Device, settings: Settings) -> Forecast:
    """What a verification will cost. The device makes three invocations at most, to see how long they take.

    Raises what :func:`litecheck.verify.verify.verify` raises.
    """
    check_selection(model, settings)
    spending, first = budgeted(model, device, settings)
    arithmetic, cases = load_arithmetic(settings.arithmetics[0]), []
    whole = settings.budget is None
    for question in every_question(model, settings, arithmetic, memory_of(device), whole):
        first = first or sampled(device, question)
        asked = spending.limited(question) if spending else question
        case = asked.case
        cases.append(Planned(case.name, case.opcodes, case.called, len(asked.feeds), len(asked.order)))
    entered = parts.entries(model, settings.signature)[:1]
    further = sum(len(s.operators) for s in entered) if settings.drift else 0
    return Forecast(model.file, device.described, tuple(cases), further, settings.spent, first)


def budgeted(model: Model, device: Device, settings: Settings) -> tuple[Spending | None, Sampled | None]:
    """The budget divided, after a look at what every case could be fed, and how long an invocation took, where that is
    wanted. None without a budget."""
    budget: Budget | None = settings.budget
    if budget is None:
        return None, None
    arithmetic, rankings, first = load_arithmetic(settings.arithmetics[0]), [], None
    for question in every_question(model, settings, arithmetic, memory_of(device)):
        rankings.append(rank(question, arithmetic))
        if budget.seconds:
            first = first or sampled(device, question)
    reserved = len(rankings) if settings.drift else 0
    pace = first.seconds + first.start if first else 0.0
    return Spending(budget, rankings, settings.repeat, reserved, pace), first

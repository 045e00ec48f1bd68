"""What a verification will cost, before it runs: the invocations of every case, and how long one takes."""

from __future__ import annotations

import time
from dataclasses import dataclass

from litecheck.devices.port import Device, Failure
from litecheck.verify.budget import Share
from litecheck.verify.judge import Question
from litecheck.verify.outcome import Outcome
from litecheck.verify.spending import narrowed

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

"""A budget while it is spent: what each case is given, by the invocations or the time that are left."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from litecheck.cases.expectation import Expectation
from litecheck.cases.inputs import series
from litecheck.cases.memory import Memory
from litecheck.cases.sequences import memory_words
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Device, Failure, Job
from litecheck.verify.budget import Budget, Ranking, Share, shares
from litecheck.verify.questions import Question

SPENT = "the budget went to other cases"
OVER = "the time of the budget was over"


class Spending:
    """A budget and the cases it is for, in their order. ``reserved`` invocations are made anyway, for drift.

    A budget of time is turned into invocations by how long the device's take, anew before each case.
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
        self._shares = self._divided(0)

    def limited(self, question: Question) -> Question:
        """The question with what its case is given; without feeds where that is nothing."""
        at = self._place[question.case.name]
        if self._budget.seconds:
            self._shares = (*self._shares[:at], *self._divided(at))
        share = self._shares[at]
        self._given += share.invocations
        return narrowed(question, share)

    def asked(self, device: Device, job: Job) -> Answer | Failure:
        """The device's answer, if there is still time to ask it."""
        if self._budget.seconds and self._left() <= 0:
            return Failure(Outcome.NOT_TRIED, OVER)
        answer = device.run(job)
        with self._lock:
            self._made += len(job.runs)
        return answer

    def _divided(self, at: int) -> tuple[Share, ...]:
        """What the cases from one on are given."""
        if not self._budget.seconds:
            count = self._budget.invocations - self._reserved
        else:
            count = int(self._left() / self._pace()) - (self._given - self._made) - self._reserved
        return shares(self._rankings[at:], max(0, count), self._repeat)

    def _left(self) -> float:
        return self._start + self._budget.seconds - self._clock()

    def _pace(self) -> float:
        """Seconds that an invocation takes."""
        with self._lock:
            known = (self._clock() - self._start) / self._made if self._made else self._first_pace
        return max(known, 1e-6)

    @property
    def shares(self) -> tuple[Share, ...]:
        """What every case is given, as far as it is known."""
        return self._shares


def narrowed(question: Question, share: Share) -> Question:
    """The question about some of its feeds, some of them twice."""
    if not question.feeds:
        return question
    if len(series(question.feeds)) < len(question.feeds) and share.feeds:
        return _in_series(question, share)
    fed = tuple(question.feeds[n] for n in share.feeds)
    if not fed:
        return replace(question, feeds=(), note=SPENT, lacks=Outcome.NOT_TRIED)
    again = tuple(share.feeds.index(n) for n in share.again)
    return replace(question, feeds=fed, expected=Expectation(question.case, fed), again=again)


def _in_series(question: Question, share: Share) -> Question:
    """Of a case that remembers whole series, as far as its invocations go: each from its first inference on."""
    parts = series(question.feeds)
    chosen = dict.fromkeys(part for n in share.feeds for part in parts if n in part)
    # One inference by itself says nothing of a memory: the long series come first.
    order = sorted(chosen, key=lambda part: -min(len(part), share.invocations))
    numbers: list[int] = []
    for part in order:
        numbers += part[: share.invocations - len(numbers)]
    fed = tuple(question.feeds[n] for n in numbers)
    expected = Expectation(question.case, fed)
    alone = not any(feed.follows for feed in fed)
    words = (
        f"every inference from the initial state: {SPENT}" if alone else memory_words(fed, Memory.KEPT, ())
    )
    return replace(question, feeds=fed, expected=expected, again=(), memory=words, untried=alone)

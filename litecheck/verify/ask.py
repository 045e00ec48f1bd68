"""Questions put to a device: some are on it while others are made and judged; what it fails is asked part by part."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from litecheck.cases.expectation import Expectation
from litecheck.cases.inputs import series
from litecheck.devices.adapters.recorded import record
from litecheck.devices.outcome import RETRIED
from litecheck.devices.port import Answer, Device, Failure, Job
from litecheck.verify.forecast import Spending
from litecheck.verify.questions import Question


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """What became of a case that a device failed, asked series by series: how many there are, the kinds of inputs of the
    first inference of those that it fails again, and the question and the answer of the others."""

    failure: Failure
    count: int
    failing: tuple[str, ...]
    question: Question
    answer: Answer | Failure


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A question and what came of it: the answer, or why there is none; ``parts`` where it was asked part by part.

    ``known`` are cases that were not asked, because an earlier run has their verdict.
    """

    question: Question
    answer: Answer | Failure
    tried: bool = True
    known: bool = False
    parts: Parts | None = None


def ask(
    questions: Iterable[Question],
    device: Device,
    jobs: int,
    *,
    spending: Spending | None = None,
    known: Container[str] = (),
    recording: str | None = None,
) -> Generator[Asked, None, None]:
    """The answers in the order of the questions, so many jobs at a time; cases by the name of ``known`` are passed over.

    ``spending`` limits what each case is given, ``recording`` is a folder that keeps what the device gives.
    """
    pool = ThreadPoolExecutor(jobs)
    waiting: deque[_Pending] = deque()
    try:
        for question in questions:
            passed = question.case.name in known
            if spending is not None and not passed:
                question = spending.limited(question)
            job = None if passed or not question.feeds else question.job
            coming = None if job is None else _submitted(pool, device, job, spending)
            waiting.append(_Pending(question, passed, job, coming))
            while len(waiting) > 2 * jobs:
                yield _answered(waiting.popleft(), device, recording, spending is None)
        while waiting:
            yield _answered(waiting.popleft(), device, recording, spending is None)
    finally:
        # After an interrupt nobody waits for what the device may still be doing.
        pool.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Pending:
    question: Question
    known: bool
    job: Job | None
    answer: Future[Answer | Failure] | None


def _submitted(
    pool: ThreadPoolExecutor, device: Device, job: Job, spending: Spending | None
) -> Future[Answer | Failure]:
    if spending is not None:
        return pool.submit(spending.asked, device, job)
    return pool.submit(device.run, job)


def _answered(pending: _Pending, device: Device, recording: str | None, again: bool) -> Asked:
    question = pending.question
    if pending.answer is None or pending.job is None:
        nothing = Failure(question.lacks, question.note)
        return Asked(question, nothing, tried=False, known=pending.known)
    answer = pending.answer.result()
    if recording:
        record(recording, pending.job, answer)
    if again and isinstance(answer, Failure) and answer.outcome in RETRIED and len(question.feeds) > 1:
        return Asked(question, answer, parts=_part_by_part(question, answer, device))
    return Asked(question, answer)


def _part_by_part(question: Question, failure: Failure, device: Device) -> Parts | None:
    """Which series of a case the device fails, and what it makes of the others; None where it fails the first of them."""
    each = series(question.feeds)
    singles = (isinstance(_asked_alone(question, device, *part)[1], Failure) for part in each)
    if next(singles):
        return None
    failed = [False, *singles]
    kept = [number for part, bad in zip(each, failed, strict=True) if not bad for number in part]
    failing = tuple(question.feeds[part[0]].kind for part, bad in zip(each, failed, strict=True) if bad)
    return Parts(failure, len(each), failing, *_asked_alone(question, device, *kept))


def _asked_alone(question: Question, device: Device, *numbers: int) -> tuple[Question, Answer | Failure]:
    """Some feeds of a case, run again."""
    fed = tuple(question.feeds[n] for n in numbers)
    part = replace(question, feeds=fed, expected=Expectation(question.case, fed))
    return part, device.run(part.job)

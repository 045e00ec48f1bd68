"""Execution of jobs on a device, in parallel with their preparation and comparison; failed cases are run series by
series."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from litecheck.cases.expectation import Expectation
from litecheck.devices.adapters.recorded import record
from litecheck.devices.outcome import RETRIED
from litecheck.devices.port import Answer, Device, Failure, Job
from litecheck.verification.cost_estimate import BudgetDivision
from litecheck.verification.jobs import CaseJob


@dataclass(frozen=True, slots=True, eq=False)
class Bisection:
    """A failed case, run series by series.

    ``count`` is the number of series, ``failing`` has the input kind of each series that fails again (of its first
    inference). ``case_job`` and ``answer`` are those of all remaining series.
    """

    failure: Failure
    count: int
    failing: tuple[str, ...]
    case_job: CaseJob
    answer: Answer | Failure


@dataclass(frozen=True, slots=True, eq=False)
class Submission:
    """A job and its answer, or the failure that explains a missing answer.

    ``tried`` is False if the device was not run. ``known`` marks cases with a verdict from an earlier run, which are
    not run again. ``parts`` is set if the case was run series by series.
    """

    case_job: CaseJob
    answer: Answer | Failure
    tried: bool = True
    known: bool = False
    parts: Bisection | None = None


def submit(
    case_jobs: Iterable[CaseJob],
    device: Device,
    jobs: int,
    *,
    spending: BudgetDivision | None = None,
    known: Container[str] = (),
    recording: str | None = None,
    shares: bool = True,
) -> Generator[Submission, None, None]:
    """Run jobs on the device, ``jobs`` at a time, and yield the answers in order.

    Cases whose names are in ``known`` are skipped. ``spending`` limits the inputs of each case. ``recording`` is a
    folder that keeps the device's answers. With ``shares``, cases may share a process, unless answers are recorded.
    """
    pool = ThreadPoolExecutor(jobs)
    waiting: deque[_Pending] = deque()
    try:
        for case_job in case_jobs:
            passed = case_job.case.name in known
            if spending is not None and not passed:
                case_job = spending.limit_job(case_job)
            job = None
            if case_job.stimuli and not passed:
                job = replace(case_job.job, shares=shares and not recording)
            coming = None if job is None else _submit(pool, device, job, spending)
            waiting.append(_Pending(case_job, passed, job, coming))
            while len(waiting) > 2 * jobs:
                yield _wait_for_answer(waiting.popleft(), device, recording, spending is None)
        while waiting:
            yield _wait_for_answer(waiting.popleft(), device, recording, spending is None)
    finally:
        # After an interrupt, do not wait for jobs that the device may still run.
        pool.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Pending:
    case_job: CaseJob
    known: bool
    job: Job | None
    answer: Future[Answer | Failure] | None


def _submit(
    pool: ThreadPoolExecutor, device: Device, job: Job, spending: BudgetDivision | None
) -> Future[Answer | Failure]:
    if spending is not None:
        return pool.submit(spending.run_job, device, job)
    return pool.submit(device.run, job)


def _wait_for_answer(pending: _Pending, device: Device, recording: str | None, again: bool) -> Submission:
    case_job = pending.case_job
    if pending.answer is None or pending.job is None:
        nothing = Failure(case_job.lacks, case_job.note)
        return Submission(case_job, nothing, tried=False, known=pending.known)
    answer = pending.answer.result()
    if recording:
        record(recording, pending.job, answer)
    if again and isinstance(answer, Failure) and answer.outcome in RETRIED and len(case_job.stimuli) > 1:
        return Submission(case_job, answer, parts=_run_series(case_job, answer, device))
    return Submission(case_job, answer)


def _run_series(case_job: CaseJob, failure: Failure, device: Device) -> Bisection | None:
    """Run each series of a failed case alone, then the passing series together; None if the first series fails."""
    each = case_job.stimuli.series
    singles = (isinstance(_run_selected(case_job, device, *part)[1], Failure) for part in each)
    if next(singles):
        return None
    failed = [False, *singles]
    kept = [number for part, bad in zip(each, failed, strict=True) if not bad for number in part]
    failing = tuple(case_job.stimuli.kinds[part[0]] for part, bad in zip(each, failed, strict=True) if bad)
    return Bisection(failure, len(each), failing, *_run_selected(case_job, device, *kept))


def _run_selected(case_job: CaseJob, device: Device, *numbers: int) -> tuple[CaseJob, Answer | Failure]:
    """Run selected inferences of a case again."""
    fed = case_job.stimuli.select(numbers)
    part = replace(case_job, stimuli=fed, expected=Expectation(case_job.case, fed))
    return part, device.run(part.job)

"""Run of a suite on a device: every case is run, its outputs are stored as plain files, and its outcome in a journal."""

from __future__ import annotations

import hashlib
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import column, stack_inferences
from litecheck.comparison.whole_outputs import OutputHistory
from litecheck.comparison.wording import unrepeated_sentence
from litecheck.devices.function import check_any_model
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Device, Failure, Job, Limits
from litecheck.devices.registry import fingerprint
from litecheck.errors import ConfigError
from litecheck.files import make_folder, member_path
from litecheck.public_call import shows_call
from litecheck.quantizer.array_files import write
from litecheck.suite.budget import Runs, by_turns, planned_runs, rank_runs
from litecheck.suite.manifest import RESULTS, CaseEntry, Suite
from litecheck.suite.partial_suite import lengths_of
from litecheck.suite.results import ANSWERED, CaseResult, OutputEntry, RunFacts
from litecheck.typed_json import decode, encode
from litecheck.verification.journal import Journal
from litecheck.verification.settings import Budget
from litecheck.version import __version__


@shows_call("litecheck.run_suite(suite, device, 'results')")
def run(
    suite: Suite,
    device: Device,
    folder: str | Path,
    *,
    limits: Limits | None = None,
    jobs: int = 1,
    resume: bool = False,
    budget: Budget | None = None,
    progress: Callable[[str], None] | None = None,
) -> int:
    """Run every case of a suite on a device, ``jobs`` at a time, into ``folder``; return the number of cases with a
    result.

    ``resume`` reuses the results of an interrupted run. Within a ``budget`` the input of every case that detects most
    mutants comes first: a number of inferences is divided among the cases, and after a time no further case is started.
    Raise ConfigError for a folder that has another run or cannot be written, and for a suite that changed since it was
    made.
    """
    check_any_model(device, "a suite")
    target = Path(folder)
    make_folder(target)
    facts = facts_of(suite, device, limits or Limits())
    member_path(target, RESULTS)
    if not resume and os.path.exists(target / RESULTS):
        raise ConfigError(f"{target / RESULTS}: holds the results of a run; --resume goes on with it")
    book: Journal[CaseResult] = Journal(target / RESULTS, encode(facts, RunFacts), resume, _read)
    stop = time.monotonic() + (budget.seconds if budget and budget.seconds else float("inf"))
    try:
        told = set[str]()
        for name in book.known:
            _advance(progress, name, told)
        for result in _run_cases(
            suite, _remaining_cases(suite, budget, book.known), device, target, jobs, stop
        ):
            book.note(encode(result, CaseResult))
            _advance(progress, result.case, told)
        return len({*book.known, *told})
    finally:
        book.close()


def facts_of(suite: Suite, device: Device, limits: Limits) -> RunFacts:
    """Return the facts that identify a run."""
    return RunFacts(
        tool=f"litecheck {__version__}",
        suite=suite.sha256,
        device=device.name,
        described=device.described,
        program=fingerprint(device.name),
        seconds=limits.seconds,
        memory=limits.memory,
    )


def _read(entry: Mapping[str, Any]) -> tuple[str, CaseResult]:
    result: CaseResult = decode(entry, CaseResult, "result")
    return result.case, result


def _remaining_cases(
    suite: Suite, budget: Budget | None, known: Mapping[str, CaseResult]
) -> Iterator[tuple[CaseEntry, Runs]]:
    """Yield the cases to run, each with its runs (empty for all).

    Within a time, every case first has the run that detects most mutants, and then all its runs.
    """
    cases = suite.manifest.cases
    if budget is None:
        yield from ((case, ()) for case in cases if case.name not in known)
    elif budget.invocations:
        chosen = planned_runs(cases, budget.invocations)
        yield from (
            (case, chosen[case.name]) for case in cases if case.name in chosen and case.name not in known
        )
    else:
        order = list(by_turns(cases))
        yield from ((case, next(iter(rank_runs(case)), ())) for case in order if case.name not in known)
        whole = (case for case in order if len(rank_runs(case)) > 1)
        yield from ((case, ()) for case in whole if case.name not in known or known[case.name].runs)


def _advance(progress: Callable[[str], None] | None, name: str, told: set[str]) -> None:
    """Report a case's first result."""
    if progress is not None and name not in told:
        progress(name)
    told.add(name)


def _run_cases(
    suite: Suite,
    cases: Iterable[tuple[CaseEntry, Runs]],
    device: Device,
    folder: Path,
    jobs: int,
    stop: float,
) -> Iterator[CaseResult]:
    """Yield the results in the order of the cases, ``jobs`` at a time; start no case once the time is up."""
    pool = ThreadPoolExecutor(jobs)
    waiting: deque[Future[CaseResult]] = deque()
    try:
        for case, runs in cases:
            if time.monotonic() >= stop:
                break
            waiting.append(pool.submit(ask, suite, case, device, folder, runs))
            while len(waiting) > 2 * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def ask(suite: Suite, case: CaseEntry, device: Device, folder: Path, runs: Runs = ()) -> CaseResult:
    """Run one case on a device, or only some of its runs; its outputs are written below ``folder``.

    Cases can share a process, if the device supports that, but no case depends on an earlier case in the process:
    invalid models, which can make a runtime read out of bounds, have a process of their own; and a case whose answer
    is not bit for bit an expected answer is run again in its own process, and the second answer counts. A valid case
    whose answer is still unexpected is run once more: a device with other outputs then is flaky.
    """
    name = case.name.replace("/", "-")
    if len(runs) == case.runs:
        runs = ()
    inputs, lengths = suite.inputs(case), case.lengths
    given = stack_inferences([inputs[n] for n in runs]) if runs else inputs
    lengths = lengths_of(case, runs) if runs else lengths
    job = Job(name, None, suite.model(case), given, lengths, shares=not (case.broken or runs))
    result, answer = _run_once(case, job, device, folder)
    if isinstance(answer, Answer) and answer.shared and not _is_expected(case, result):
        result, answer = _run_once(case, replace(job, shares=False), device, folder)
    if isinstance(answer, Answer) and result.answered and not case.broken and not _is_expected(case, result):
        result = _run_again(case, replace(job, shares=False), device, folder, result, answer)
    return replace(result, runs=runs)


def _run_again(
    case: CaseEntry, job: Job, device: Device, folder: Path, result: CaseResult, answer: Answer
) -> CaseResult:
    """Run a case once more, and return its first result; it is flaky if the outputs differ."""
    again = device.run(job)
    if isinstance(again, Failure) or len(again.runs) != len(answer.runs):
        return result
    order = tuple(range(len(answer.runs)))
    arrays = [*answer.runs, *again.runs]
    if len({tuple((a.shape, a.dtype) for a in run) for run in arrays}) > 1:
        return result
    unrepeated = OutputHistory((*order, *order), [""] * len(order), (), arrays).flaky()
    if unrepeated is None:
        return result
    return replace(result, outcome=Outcome.FLAKY.value, message=unrepeated_sentence(unrepeated))


def _is_expected(case: CaseEntry, result: CaseResult) -> bool:
    """Return True if the outputs are those of any of the arithmetics."""
    given = [(one.dtype, one.shape, one.sha256) for one in result.outputs]
    return any(given == [(one.dtype, one.shape, one.sha256) for one in a.outputs] for a in case.answers)


def _run_once(case: CaseEntry, job: Job, device: Device, folder: Path) -> tuple[CaseResult, Answer | Failure]:
    """Return the result of a case, with the device's answer."""
    start = time.monotonic()
    answer = device.run(job)
    seconds = round(time.monotonic() - start, 3)
    if isinstance(answer, Failure):
        return CaseResult(case.name, answer.outcome.value, answer.message, seconds), answer
    outputs, said = _store_outputs(case, answer, folder, len(job.runs))
    if said:
        wrong = CaseResult(case.name, Outcome.WRONG_SHAPE.value, said, seconds, answer.delegated)
        return wrong, answer
    outcome = Outcome.CRASHED.value if answer.ended else ANSWERED
    message = f"{answer.ended} after it had answered" if answer.ended else answer.message
    return CaseResult(case.name, outcome, message, seconds, answer.delegated, outputs), answer


def _store_outputs(
    case: CaseEntry, answer: Answer, folder: Path, runs: int
) -> tuple[tuple[OutputEntry, ...], str]:
    """Write the outputs to files, each with all runs stacked; or return a description of the error."""
    if len(answer.runs) != runs or len(set(map(len, answer.runs))) > 1:
        return (), f"{len(answer.runs)} answers to {runs} inferences"
    place = member_path(folder, f"outputs/{case.name}")
    make_folder(place)
    entries = []
    for number in range(len(answer.runs[0]) if runs else 0):
        arrays = column(answer.runs, number)
        if not isinstance(arrays, np.ndarray) and len({(array.shape, array.dtype) for array in arrays}) > 1:
            return (), f"output {number} changes its shape or type from run to run"
        path = member_path(folder, f"outputs/{case.name}/output-{number}.npy")
        entries.append(_write_output(path, np.asarray(arrays), folder))
    return tuple(entries), ""


def _write_output(path: Path, values: NDArray[Any], folder: Path) -> OutputEntry:
    plain = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<"), copy=False))
    write(str(path), plain, values.dtype.name)
    digest = hashlib.sha256(plain.tobytes()).hexdigest()
    return OutputEntry(path.relative_to(folder).as_posix(), values.dtype.name, values.shape, digest)


def estimate(done: int, total: int, seconds: float) -> float:
    """Estimate the remaining seconds from the finished cases."""
    with suppress(ZeroDivisionError):
        return (total - done) * seconds / done
    return float("inf")

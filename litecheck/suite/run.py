"""A suite on a device: every case asked, its outputs kept as plain files, every result noted as it comes."""

from __future__ import annotations

import hashlib
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

from litecheck.devices.function import check_any_model
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Device, Failure, Job, Limits
from litecheck.devices.registry import fingerprint
from litecheck.errors import ConfigError
from litecheck.files import make_folder, member_path
from litecheck.quantizer.arrays import write
from litecheck.suite.manifest import CaseEntry, Suite
from litecheck.suite.results import ANSWERED, RESULTS, CaseResult, OutputEntry, RunFacts
from litecheck.typed_json import decoded, encoded
from litecheck.verify.journal import Journal
from litecheck.version import __version__


def run(
    suite: Suite,
    device: Device,
    folder: str | Path,
    *,
    limits: Limits | None = None,
    jobs: int = 1,
    resume: bool = False,
    budget: float = float("inf"),
    progress: Callable[[str], None] | None = None,
) -> int:
    """Ask a device every case of a suite, so many at a time, and keep what it gives in ``folder``; how many have a result.

    ``resume`` takes what is there already from a run that ended early; after ``budget`` seconds no case is begun.
    Raises ConfigError for a folder that holds another run, or cannot be written, and for a suite that was changed since
    it was made.
    """
    check_any_model(device, "a suite")
    target = Path(folder)
    make_folder(target)
    facts = facts_of(suite, device, limits or Limits())
    member_path(target, RESULTS)
    if not resume and (target / RESULTS).exists():
        raise ConfigError(f"{target / RESULTS}: holds the results of a run; --resume goes on with it")
    book: Journal[CaseResult] = Journal(target / RESULTS, encoded(facts, RunFacts), resume, _read)
    stop = time.monotonic() + budget
    try:
        left = (case for case in suite.manifest.cases if case.name not in book.known)
        for name in book.known:
            _advance(progress, name)
        for result in _asked(suite, left, device, target, jobs, stop):
            book.note(encoded(result, CaseResult))
            _advance(progress, result.case)
        return book.results
    finally:
        book.close()


def facts_of(suite: Suite, device: Device, limits: Limits) -> RunFacts:
    """What tells one run from another."""
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
    result: CaseResult = decoded(entry, CaseResult, "result")
    return result.case, result


def _advance(progress: Callable[[str], None] | None, name: str) -> None:
    if progress is not None:
        progress(name)


def _asked(
    suite: Suite, cases: Iterable[CaseEntry], device: Device, folder: Path, jobs: int, stop: float
) -> Iterator[CaseResult]:
    """The results in the order of the cases, so many jobs at a time; none is begun once time is up."""
    pool = ThreadPoolExecutor(jobs)
    waiting: deque[Future[CaseResult]] = deque()
    try:
        for case in cases:
            if time.monotonic() >= stop:
                break
            waiting.append(pool.submit(ask, suite, case, device, folder))
            while len(waiting) > 2 * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def ask(suite: Suite, case: CaseEntry, device: Device, folder: Path) -> CaseResult:
    """One case on a device; its outputs are written below ``folder``.

    Cases share processes, where a device has that, but no case has to answer for what another did there: models that are
    to be refused, of which a runtime may read beyond the end, have a process of their own; and where an answer is not,
    byte for byte, one of those that are expected, the case is run again by itself, and that counts.
    """
    name = case.name.replace("/", "-")
    job = Job(name, None, suite.model(case), tuple(suite.inputs(case)), case.lengths, shares=not case.broken)
    result, shared = _asked_once(case, job, device, folder)
    if shared and not _expected(case, result):
        result, _ = _asked_once(case, replace(job, shares=False), device, folder)
    return result


def _expected(case: CaseEntry, result: CaseResult) -> bool:
    """Whether the outputs are those of one of the arithmetics."""
    given = [(one.dtype, one.shape, one.sha256) for one in result.outputs]
    return any(given == [(one.dtype, one.shape, one.sha256) for one in a.outputs] for a in case.answers)


def _asked_once(case: CaseEntry, job: Job, device: Device, folder: Path) -> tuple[CaseResult, bool]:
    """What a device gives for a case, and whether in a process that had run others before."""
    start = time.monotonic()
    answer = device.run(job)
    seconds = round(time.monotonic() - start, 3)
    if isinstance(answer, Failure):
        return CaseResult(case.name, answer.outcome.value, answer.message, seconds), False
    outputs, said = _kept(case, answer, folder)
    if said:
        wrong = CaseResult(case.name, Outcome.WRONG_SHAPE.value, said, seconds, answer.delegated)
        return wrong, answer.shared
    outcome = Outcome.CRASHED.value if answer.ended else ANSWERED
    message = f"{answer.ended} after it had answered" if answer.ended else answer.message
    return CaseResult(case.name, outcome, message, seconds, answer.delegated, outputs), answer.shared


def _kept(case: CaseEntry, answer: Answer, folder: Path) -> tuple[tuple[OutputEntry, ...], str]:
    """The outputs as files, each with all runs stacked; or what is wrong with them."""
    if len(answer.runs) != case.runs or len({len(run) for run in answer.runs}) > 1:
        return (), f"{len(answer.runs)} answers to {case.runs} inferences"
    place = member_path(folder, f"outputs/{case.name}")
    make_folder(place)
    entries = []
    for number, arrays in enumerate(zip(*answer.runs, strict=True)):
        if len({(array.shape, array.dtype) for array in arrays}) > 1:
            return (), f"output {number} changes its shape or type from run to run"
        path = member_path(folder, f"outputs/{case.name}/output-{number}.npy")
        entries.append(_written(path, np.stack(arrays), folder))
    return tuple(entries), ""


def _written(path: Path, values: NDArray[Any], folder: Path) -> OutputEntry:
    plain = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<"), copy=False))
    write(str(path), plain, values.dtype.name)
    digest = hashlib.sha256(plain.tobytes()).hexdigest()
    return OutputEntry(path.relative_to(folder).as_posix(), values.dtype.name, values.shape, digest)


def estimate(done: int, total: int, seconds: float) -> float:
    """Seconds that what is left will take, by what has been done so far."""
    with suppress(ZeroDivisionError):
        return (total - done) * seconds / done
    return float("inf")

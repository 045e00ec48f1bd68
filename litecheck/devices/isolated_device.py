"""Device that runs its adapter in child processes, so that a crash does not affect litecheck."""

from __future__ import annotations

import errno
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from litecheck.cases.variable_state import StateSupport
from litecheck.devices import worker_main
from litecheck.devices.ipc import MessageError, pack_job, read_message, unpack_runs, write_message
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, DeviceError, Failure, Job, Limits
from litecheck.devices.process import WorkerProcess, WorkerSetup
from litecheck.devices.worker import ProcessEnd, Worker
from litecheck.errors import OutputError
from litecheck.files import bytes_text, is_full, unwritable
from litecheck.processes.child import exit_name
from litecheck.processes.memory import BY_SAMPLING
from litecheck.processes.posix import KILLED

#: Messages of runtimes that get no memory.
_MEMORY = re.compile(
    r"bad_alloc|MemoryError|out[ _]of[ _]memory|cannot allocate memory|failed to (allocate (\w+ )?memory|resize buffer)"
    r"|too many buffers \(max is",  # TFLM's memory planner, whose maximum depends on the free arena
    re.IGNORECASE,
)
_CLOSED = "the device was closed"
#: Python's message for a full disk.
_FULL = f"OSError: [Errno {errno.ENOSPC}]"


class IsolatedDevice:
    """Device with a child process for each thread that runs jobs. A child that has ended is replaced."""

    def __init__(
        self,
        name: str,
        described: str,
        setup: WorkerSetup,
        limits: Limits,
        started: WorkerProcess | None = None,
        tries: bool = True,
    ) -> None:
        """Load the runtime and, if ``tries``, create the adapter once, as a test. ``started`` is a child started earlier.
        Raises DeviceError."""
        self.name = name
        self.described = described
        self.progress: Callable[[int], None] | None = None
        self._setup = setup
        self._limits = limits
        self._started = started
        self._lock = threading.Lock()
        self._free: list[Worker] = []
        self._busy: set[Worker] = set()
        self._closed = False
        self.memory = StateSupport.NONE
        try:
            if not tries:
                self._return_worker(self._take_worker())
                return
            tried, _ = self._run_in_worker(None)
        except DeviceError as error:
            raise _open_error(name, f": {error}") from None
        if isinstance(tried, Failure):
            self.close()
            raise _open_error(name, f", {tried.outcome.value}: {tried.message}")

    def run(self, job: Job) -> Answer | Failure:
        """Run one job in a separate process, or in a shared process if the job allows it.

        A job that fails in a shared process runs again in a separate process, and the second answer counts: an earlier
        job may have caused the failure. Raises DeviceError if the device is closed during the job.
        """
        try:
            answer, shared = self._run_in_worker(job)
            if shared and (isinstance(answer, Failure) or answer.ended):
                answer, shared = self._run_in_worker(replace(job, shares=False))
            return replace(answer, shared=True) if shared and isinstance(answer, Answer) else answer
        except DeviceError as error:
            if self._closed:
                raise
            return Failure(Outcome.CRASHED, str(error))

    def _run_in_worker(self, job: Job | None) -> tuple[Answer | Failure, bool]:
        """Return the answer to a job, and True if its process has run earlier jobs."""
        worker = self._take_worker()
        try:
            # A rename over a file of the last job would wait for the disk (ext4, auto_da_alloc).
            for name in (worker_main.JOB, worker_main.ANSWER):
                (worker.folder / name).unlink(missing_ok=True)
            if job is not None:
                write_message(worker.folder / worker_main.JOB, *pack_job(job))
            invocations = None if job is None else len(job.runs)
            ended = worker.run(invocations, self.progress, job is not None and job.shares)
            if self._closed:
                raise EOFError
            if job is None:
                self.memory = _memory(worker)
                if not worker.limits_memory:
                    self.described += f", {BY_SAMPLING}"
            return _read_answer(worker, ended, self._limits, invocations or 0), ended.shared
        except (EOFError, OSError) as error:
            worker.close()
            check_disk(error)
            raise DeviceError(_CLOSED if self._closed else str(error)) from None
        except BaseException:  # KeyboardInterrupt: the job still runs
            worker.close()
            raise
        finally:
            _empty_folder(worker.folder / worker_main.SCRATCH)
            self._return_worker(worker)

    def _take_worker(self) -> Worker:
        with self._lock:
            if self._closed:
                raise DeviceError(_CLOSED)
            worker = self._free.pop() if self._free else None
        if worker is None or not worker.alive:
            if worker is not None:
                worker.close()
            started, self._started = self._started, None
            worker = Worker(self._setup, self._limits, started)
        with self._lock:
            if not self._closed:
                self._busy.add(worker)
                return worker
        worker.close()
        raise DeviceError(_CLOSED)

    def _return_worker(self, worker: Worker) -> None:
        with self._lock:
            self._busy.discard(worker)
            if worker.alive and not self._closed:
                self._free.append(worker)
                return
        worker.close()

    def close(self) -> None:
        """Kill every child, also children that run a job. These jobs then raise DeviceError."""
        with self._lock:
            self._closed = True
            workers = [*self._free, *self._busy]
            self._free.clear()
        for worker in workers:
            worker.close()


def _empty_folder(folder: Path) -> None:
    """Remove a folder unless it is empty."""
    with suppress(OSError):
        if os.listdir(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _open_error(name: str, why: str) -> DeviceError:
    """Return the error of a device that cannot be opened: the reason, then the lines that its runtime wrote."""
    first, _, said = why.partition("\n")
    return DeviceError(f"--device {name}: cannot be opened{first}", said)


def _memory(worker: Worker) -> StateSupport:
    """Return the support for variables of the adapter that was created on opening."""
    with suppress(MessageError, OSError, KeyError, ValueError):
        return StateSupport(read_message(worker.folder / worker_main.ANSWER)[0]["memory"])
    return StateSupport.NONE


def _read_answer(worker: Worker, ended: ProcessEnd, limits: Limits, invocations: int) -> Answer | Failure:
    """Return the answer in the file of a job's process, or the failure that its exit indicates."""
    with suppress(MessageError, OSError, KeyError, TypeError, ValueError):
        header, arrays = read_message(worker.folder / worker_main.ANSWER)
        if "error" in header:
            return _rejection(Outcome(header["outcome"]), str(header["error"]), worker.last_output())
        delegated = None if header["delegated"] is None else tuple(map(bool, header["delegated"]))
        runs, rest = unpack_runs(header, arrays)
        if rest:
            raise MessageError(f"{len(rest)} arrays more than runs")
        ending = exit_name(ended.code) if ended.code else ""
        ending = f"no end after {limits.seconds:g} s" if ended.late else ending
        message = "\n".join(filter(None, (str(header["message"]), worker.last_output() if ending else "")))
        return Answer(runs, delegated, ending, message)
    said = worker.last_output()
    if ended.too_large:
        text = f"more than {bytes_text(limits.memory)} of memory ({BY_SAMPLING})"
        return Failure(Outcome.OUT_OF_MEMORY, _append_log(text, said))
    if ended.late:
        text = f"no answer after {limits.seconds:g} s{_place(ended.started_invocations, invocations)}"
        return Failure(Outcome.TIMED_OUT, _append_log(text, said))
    if ended.code == KILLED:
        killed = "killed from outside (SIGKILL), as systems do where memory runs out"
        return Failure(Outcome.OUT_OF_MEMORY, _append_log(killed, said))
    check_disk(said.rpartition("\n")[2])
    outcome = Outcome.OUT_OF_MEMORY if _MEMORY.search(said) else Outcome.CRASHED
    return Failure(outcome, _append_log(f"ended with {exit_name(ended.code)} without an answer", said))


def check_disk(error: Exception | str) -> None:
    """Raise OutputError for a full disk, which is a fault of the host and not of the device. The run ends and can resume."""
    if isinstance(error, OSError) and is_full(error):
        raise unwritable(tempfile.gettempdir(), error)
    if str(error).startswith(_FULL):
        raise OutputError(f"{tempfile.gettempdir()}: cannot be written, the disk is full")


def _place(begun: int, invocations: int) -> str:
    """Return the invocation that did not end. Example: ", in invocation 3 of 8"; "" for a single invocation."""
    if invocations < 2:
        return ""
    before = f"before the first of {invocations} invocations"
    return f", in invocation {begun} of {invocations}" if begun else f", {before}"


def _rejection(outcome: Outcome, error: str, said: str) -> Failure:
    check_disk(error)
    if outcome is Outcome.NOT_DELEGATED:
        return Failure(outcome, error)
    if outcome is Outcome.NOT_SUPPORTED:
        return Failure(outcome, _append_log(error, said))
    if _MEMORY.search(f"{error}\n{said}"):
        outcome = Outcome.OUT_OF_MEMORY
    lines = [line for line in said.splitlines() if " ".join(line.split()) not in error]
    return Failure(outcome, _append_log(error, "\n".join(lines)))


def _append_log(first: str, said: str) -> str:
    return f"{first}\n{said}" if said else first

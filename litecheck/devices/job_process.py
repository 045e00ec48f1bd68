"""Forked process for jobs, with its supervision. It runs jobs in sequence as long as they may share a process.

A job that fails in a shared process is repeated in a separate process by :mod:`litecheck.devices.isolated_device`.
"""

from __future__ import annotations

import json
import mmap
import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import IO, NoReturn

from litecheck.processes.memory import MemoryWatch
from litecheck.processes.posix import children, end_orphans, kill_group

#: Seconds between two lines that report the progress of a job to the parent.
_REPORTING = 0.2
#: Byte that a job's process writes after a job, when it can run the next.
_DONE = b"!"
#: Maximum number of jobs that share a process. The limit bounds memory leaks of a runtime.
_SHARED = 50


@dataclass(frozen=True, slots=True)
class Channel:
    """Lines of JSON to and from the parent."""

    incoming: IO[bytes]
    outgoing: IO[bytes]

    def tell(self, **facts: object) -> None:
        """Send one line to the parent. Errors are ignored: reading ``incoming`` detects a parent that has ended."""
        with suppress(OSError):
            self.outgoing.write(json.dumps(facts).encode() + b"\n")
            self.outgoing.flush()


@dataclass(frozen=True, slots=True)
class JobRequest:
    """Request of the parent: create an adapter with these options and run ``invocations`` of a job.

    With ``invocations`` None, only the adapter is created. ``seconds`` is the limit per invocation, ``memory`` the limit in
    bytes beyond the memory in use. A job with ``shares`` may run in a process that runs other jobs before and after it.
    """

    options: dict[str, str]
    invocations: int | None
    seconds: float
    memory: int
    shares: bool = False


class Invocations:
    """Number of started invocations of a job and start time of the last, in memory shared by two processes.

    A line on a pipe for each invocation would take longer than most invocations.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 16)
        self._shared = memoryview(self._memory).cast("d")

    def restart(self) -> None:
        """Reset the count to 0 and start the time before the first invocation."""
        self._shared[0], self._shared[1] = 0, time.monotonic()

    def begin(self) -> None:
        """Count one invocation and store its start time."""
        self._shared[1] = time.monotonic()
        self._shared[0] += 1

    @property
    def started(self) -> int:
        """Number of invocations that have begun."""
        return int(self._shared[0])

    @property
    def since(self) -> float:
        """Start time of the last invocation, on the clock that both processes share."""
        return self._shared[1]

    def close(self) -> None:
        """Release the shared memory."""
        self._shared.release()
        self._memory.close()


#: Function that runs a job, calls its second argument before each invocation, and returns an exit status.
Work = Callable[[JobRequest, Callable[[], object]], int]


class JobProcess:
    """Process that runs jobs in sequence, as long as they may share it."""

    def __init__(self, channel: Channel, work: Work, samples: bool = False) -> None:
        """Fork the process. With ``samples``, its memory is sampled, for systems without a memory limit."""
        self._channel, self._work, self._samples = channel, work, samples
        self._orders, self._order = os.pipe()
        self._finished, self._finish = os.pipe()
        self._invocations = Invocations()
        self._bell, self._ring = os.pipe()
        os.set_blocking(self._ring, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._before = signal.set_wakeup_fd(self._ring, warn_on_full_buffer=False)
        self._others = children()
        self._pid = os.fork()
        if not self._pid:
            self._serve()
        self.jobs, self.alive = 0, True

    def _serve(self) -> NoReturn:
        """Run jobs inside the process, until a job fails or does not allow another job after it."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            channel = self._channel.incoming.fileno(), self._channel.outgoing.fileno()
            for end in (self._bell, self._ring, self._finished, self._order, *channel):
                os.close(end)
            os.setsid()
            orders = os.fdopen(self._orders, "rb")
            while line := orders.readline():
                request = JobRequest(**json.loads(line))
                code = self._work(request, self._invocations.begin)
                if code or not request.shares:
                    break
                os.write(self._finish, _DONE)
        finally:
            os._exit(code)

    def accepts(self, request: JobRequest) -> bool:
        """Return True if the process can run this request after its earlier jobs."""
        return self.alive and request.shares and self.jobs < _SHARED

    def run(self, request: JobRequest) -> dict[str, object]:
        """Run one job and return exit status and progress, as fields of the line to the parent."""
        self.jobs += 1
        self._invocations.restart()
        with suppress(BrokenPipeError):  # the process has ended, which _wait detects
            os.write(self._order, json.dumps(asdict(request)).encode() + b"\n")
        shared = self.jobs > 1
        if not self._samples:
            return {**self._wait(request.seconds), "shared": shared, "too_large": False}
        with MemoryWatch(self._pid, request.memory, partial(_kill, self._pid)) as watch:
            ended = self._wait(request.seconds)
        return {**ended, "shared": shared, "too_large": watch.exceeded}

    def _wait(self, seconds: float) -> dict[str, object]:
        """Wait for a job. Kill it and its children if an invocation exceeds its time or the parent has ended."""
        finished, parent, job = self._finished, self._channel.incoming.fileno(), self._invocations
        reported, late = 0, False
        while True:
            left = job.since + seconds - time.monotonic()
            ready, _, _ = select.select(
                (self._bell, finished, parent), [], [], max(0.0, min(left, _REPORTING))
            )
            if finished in ready:
                os.read(finished, 1 << 12)
                return {"code": 0, "late": False, "begun": job.started}
            if reported < job.started:
                reported = job.started
                self._channel.tell(begun=reported)
            if self._bell in ready:
                os.read(self._bell, 512)
            elif parent in ready or time.monotonic() >= job.since + seconds:
                late = True
                _kill(self._pid)
            ended, status = os.waitpid(self._pid, 0 if late else os.WNOHANG)
            if ended:
                begun = job.started
                self.alive = False
                self._close()
                return {"code": os.waitstatus_to_exitcode(status), "late": late, "begun": begun}

    def end(self) -> None:
        """End the process and all processes that its jobs started. A second call does nothing."""
        if self.alive:
            _kill(self._pid)
            os.waitpid(self._pid, 0)
            self.alive = False
            self._close()

    def _close(self) -> None:
        kill_group(self._pid)
        end_orphans(keep=self._others)
        signal.set_wakeup_fd(self._before)
        for end in (self._bell, self._ring, self._finished, self._finish, self._orders, self._order):
            with suppress(OSError):
                os.close(end)
        self._invocations.close()


def _kill(pid: int) -> None:
    kill_group(pid)
    with suppress(ProcessLookupError, PermissionError):  # a process just forked may not lead a group yet
        os.kill(pid, signal.SIGKILL)

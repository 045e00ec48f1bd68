"""A process forked for jobs, which it runs one after the other as long as they share it; how it is watched and ended.

What ends badly in a process that ran others before is asked again in one of its own by :mod:`litecheck.devices.isolated`.
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

#: Seconds between two lines that tell the parent how far a job is.
_TELLING = 0.2
#: What a job's process writes when a job is done and the next may come.
_DONE = b"!"
#: Jobs that share a process at most: what a runtime leaks does not go on without end.
_SHARED = 50


@dataclass(frozen=True, slots=True)
class Channel:
    """Lines of JSON to and from the parent."""

    incoming: IO[bytes]
    outgoing: IO[bytes]

    def tell(self, **facts: object) -> None:
        """One line to the parent; a parent that is gone is found by ``incoming``."""
        with suppress(OSError):
            self.outgoing.write(json.dumps(facts).encode() + b"\n")
            self.outgoing.flush()


@dataclass(frozen=True, slots=True)
class JobRequest:
    """What a parent asks: an adapter of these options, and ``invocations`` of the job, None only to make it; seconds for
    each, and bytes beyond what is in use. One that ``shares`` may run where others ran, and others after it."""

    options: dict[str, str]
    invocations: int | None
    seconds: float
    memory: int
    shares: bool = False


class Invocations:
    """How many invocations of a job have begun, and when the last one did: in memory that two processes share, since a
    line for each would cost more than most invocations do."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 16)
        self._shared = memoryview(self._memory).cast("d")

    def restart(self) -> None:
        """None has begun yet; what comes before the first counts from now."""
        self._shared[0], self._shared[1] = 0, time.monotonic()

    def begin(self) -> None:
        """One more."""
        self._shared[1] = time.monotonic()
        self._shared[0] += 1

    @property
    def begun(self) -> int:
        """How many have begun."""
        return int(self._shared[0])

    @property
    def since(self) -> float:
        """When the last one began, by the clock that both processes have."""
        return self._shared[1]

    def close(self) -> None:
        """Gives the memory back."""
        self._shared.release()
        self._memory.close()


#: A job, told when each invocation begins: the status with which its process ends if it does.
Work = Callable[[JobRequest, Callable[[], object]], int]


class JobProcess:
    """A process for jobs, one after the other as long as they share it."""

    def __init__(self, channel: Channel, work: Work, samples: bool = False) -> None:
        """``samples`` where the system has no memory limit of its own: then the memory is sampled."""
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
        """In the process itself: jobs until one wants nobody behind it, or is not done well."""
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

    def takes(self, request: JobRequest) -> bool:
        """Whether it may run one more."""
        return self.alive and request.shares and self.jobs < _SHARED

    def run(self, request: JobRequest) -> dict[str, object]:
        """One job: how it ended."""
        self.jobs += 1
        self._invocations.restart()
        with suppress(BrokenPipeError):  # it died meanwhile, which is seen below
            os.write(self._order, json.dumps(asdict(request)).encode() + b"\n")
        shared = self.jobs > 1
        if not self._samples:
            return {**self._watched(request.seconds), "shared": shared, "too_large": False}
        with MemoryWatch(self._pid, request.memory, partial(_kill, self._pid)) as watch:
            ended = self._watched(request.seconds)
        return {**ended, "shared": shared, "too_large": watch.exceeded}

    def _watched(self, seconds: float) -> dict[str, object]:
        """Waits for a job and kills it when an invocation's time is over, or when the parent is gone; its children go
        with it."""
        finished, parent, job = self._finished, self._channel.incoming.fileno(), self._invocations
        told, late = 0, False
        while True:
            left = job.since + seconds - time.monotonic()
            ready, _, _ = select.select((self._bell, finished, parent), [], [], max(0.0, min(left, _TELLING)))
            if finished in ready:
                os.read(finished, 1 << 12)
                return {"code": 0, "late": False, "begun": job.begun}
            if told < job.begun:
                told = job.begun
                self._channel.tell(begun=told)
            if self._bell in ready:
                os.read(self._bell, 512)
            elif parent in ready or time.monotonic() >= job.since + seconds:
                late = True
                _kill(self._pid)
            ended, status = os.waitpid(self._pid, 0 if late else os.WNOHANG)
            if ended:
                begun = job.begun
                self.alive = False
                self._close()
                return {"code": os.waitstatus_to_exitcode(status), "late": late, "begun": begun}

    def end(self) -> None:
        """Nothing more is run here, and what jobs started goes, unless that has been so already."""
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
    with suppress(ProcessLookupError, PermissionError):  # a process that has just begun leads no group yet
        os.kill(pid, signal.SIGKILL)

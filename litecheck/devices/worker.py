"""Child process that keeps a runtime loaded and runs jobs, seen from the parent."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass
from typing import Any

from litecheck.devices.job_process import JobRequest
from litecheck.devices.port import DeviceError, Limits
from litecheck.devices.process import LOG, WorkerProcess, WorkerSetup
from litecheck.processes.child import ChildProcess, exit_name
from litecheck.processes.memory import MemoryWatch

#: Seconds for loading a runtime.
_LOADING = 120.0
#: Seconds that a child may take beyond a job's own, before it is taken for lost.
_GRACE = 30.0
#: Bytes of a runtime's last words that are kept.
_SAID = 2000


@dataclass(frozen=True, slots=True)
class Ended:
    """End of a job's process.

    ``code`` is the exit status (negative for a signal, 0 if the process continues). ``late`` is True if an invocation
    exceeded its time. ``begun`` counts the invocations that began. ``shared`` is True if the process had run earlier
    jobs, ``too_large`` if a sample of its memory exceeded the limit.
    """

    code: int
    late: bool
    begun: int = 0
    shared: bool = False
    too_large: bool = False


class Worker:
    """Child process with its own folder; both are removed when it is closed, or at exit of the interpreter."""

    def __init__(self, setup: WorkerSetup, limits: Limits, started: WorkerProcess | None = None) -> None:
        """Wait until the runtime is loaded, in a process that was ``started`` before or is started now. Raises
        DeviceError."""
        self._child = started or WorkerProcess(setup)
        self.folder = self._child.folder
        self._setup, self._limits = setup, limits
        self._forks = self.limits_memory = True
        ready = self._line(_LOADING)
        if "forks" not in ready:
            message = ready.get("error") or self._why_silent()
            self.close()
            raise DeviceError(message)
        self._forks, self.limits_memory = bool(ready["forks"]), bool(ready["limits"])

    @property
    def alive(self) -> bool:
        """Return True if the child can run another job."""
        return self._child.alive

    def run(
        self,
        invocations: int | None = None,
        progress: Callable[[int], None] | None = None,
        shares: bool = False,
    ) -> Ended:
        """Run the job in the folder, with this number of invocations; None only creates the adapter.

        A job with ``shares`` may run in a process that runs jobs before and after it. ``progress`` is called from
        time to time with the number of invocations that have begun. Raises EOFError if the child ended.
        """
        limits, options = self._limits, dict(self._setup.options)
        request = JobRequest(options, invocations, limits.seconds, limits.memory, shares)
        try:
            self._child.stdin.write(json.dumps(asdict(request)).encode() + b"\n")
            self._child.stdin.flush()
        except (OSError, ValueError) as error:
            raise EOFError(str(error)) from None
        if not self._forks:
            return self._last()
        while True:
            # The child watches the job; what it tells comes at least once in an invocation.
            told = self._line(self._limits.seconds + _GRACE)
            if "begun" not in told:
                raise EOFError(self._why_silent())
            if "code" in told:
                shared, too_large = bool(told["shared"]), bool(told["too_large"])
                return Ended(int(told["code"]), bool(told["late"]), int(told["begun"]), shared, too_large)
            if progress is not None:
                progress(int(told["begun"]))

    def _last(self) -> Ended:
        """The end of a child that runs only one job."""
        heard = _Heard(self._child, self._limits.seconds)
        watch = MemoryWatch(self._child.process.pid, self._limits.memory, self._child.kill)
        with nullcontext() if self.limits_memory else watch:
            code = self._child.process.wait()
        heard.over.set()
        self._child.kill()
        watch.kill_seen()
        return Ended(code, heard.late, heard.begun, too_large=watch.exceeded)

    def _line(self, seconds: float) -> dict[str, Any]:
        """Return the child's next message; an empty mapping if the child ended, or was killed because no message came
        in time."""
        with self._child.time_limit(seconds):
            line = self._child.stdout.readline()
        with suppress(ValueError):
            told = json.loads(line)
            return told if isinstance(told, dict) else {}
        return {}

    def _why_silent(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._child.process.wait(1)
        code = self._child.process.poll()
        said = self.said()
        ending = "does not answer" if code is None else f"ended with {exit_name(code)}"
        return f"the process that runs it {ending}{': ' if said else ''}{said}"

    def said(self) -> str:
        """Return the last lines that the runtime wrote to stdout and stderr, without known noise; at most _SAID bytes."""
        with suppress(OSError), open(self.folder / LOG, "rb") as log:
            skipped = max(0, os.fstat(log.fileno()).st_size - _SAID)
            log.seek(skipped)
            lines = log.read(_SAID).decode("utf-8", "replace").split("\n")
            if skipped and len(lines) > 1:
                del lines[0]  # the rest of a line
            shown = [line.strip() for line in lines if not line.startswith(("INFO:", "VERBOSE:"))]
            return "\n".join(line for line in shown if line)
        return ""

    def close(self) -> None:
        """Kill the child and remove the folder."""
        if not self._forks and self.alive:
            self._child.kill()
        self._child.close()


class _Heard:
    """Counts the lines by which a child says that an invocation begins, and kills it where none comes in time."""

    def __init__(self, child: ChildProcess, seconds: float) -> None:
        self.begun, self.last, self.late = 0, time.monotonic(), False
        self.over = threading.Event()
        self._child, self._seconds = child, seconds
        for work in (self._listen, self._watch):
            threading.Thread(target=work, daemon=True).start()

    def _listen(self) -> None:
        with suppress(OSError, ValueError):  # closed meanwhile
            for _ in self._child.stdout:
                self.begun, self.last = self.begun + 1, time.monotonic()

    def _watch(self) -> None:
        while not self.over.wait(max(0.01, self.last + self._seconds - time.monotonic())):
            if time.monotonic() - self.last > self._seconds:
                self.late = True
                self._child.kill()
                return

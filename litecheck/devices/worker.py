"""Child process that keeps a runtime loaded and runs jobs, as an object of the parent."""

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

#: Time limit for loading a runtime, in seconds.
_LOADING = 120.0
#: Seconds beyond the limit of an invocation after which a child without messages is killed.
_GRACE = 30.0
#: Bytes of a runtime's last output that are kept.
_SAID = 2000


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """End of a job's process.

    ``code`` is the exit status (negative for a signal, 0 if the process continues). ``late`` is True if an invocation
    exceeded its time. ``started_invocations`` counts the invocations that began. ``shared`` is True if the process has
    run earlier jobs, ``too_large`` if a sample of its memory exceeded the limit.
    """

    code: int
    late: bool
    started_invocations: int = 0
    shared: bool = False
    too_large: bool = False


class Worker:
    """Child process with a separate folder. Both are removed when it is closed, or at exit of the interpreter."""

    def __init__(self, setup: WorkerSetup, limits: Limits, started: WorkerProcess | None = None) -> None:
        """Wait until the runtime is loaded, in the process ``started`` or in a new process. Raises DeviceError."""
        self._child = started or WorkerProcess(setup)
        self.folder = self._child.folder
        self._setup, self._limits = setup, limits
        self._forks = self.limits_memory = True
        ready = self._read_message(_LOADING)
        if "forks" not in ready:
            message = ready.get("error") or self._describe_silence()
            self.close()
            raise DeviceError(message)
        self._forks, self.limits_memory = bool(ready["forks"]), bool(ready["limits"])

    @property
    def alive(self) -> bool:
        """True if the child can run another job."""
        return self._child.alive

    def run(
        self,
        invocations: int | None = None,
        progress: Callable[[int], None] | None = None,
        shares: bool = False,
    ) -> ProcessEnd:
        """Run the job in the folder, with this number of invocations; None only creates the adapter.

        A job with ``shares`` may run in a process that runs other jobs before and after it. ``progress`` is called
        repeatedly with the number of invocations that have begun. Raises EOFError if the child ended.
        """
        limits, options = self._limits, dict(self._setup.options)
        request = JobRequest(options, invocations, limits.seconds, limits.memory, shares)
        try:
            self._child.stdin.write(json.dumps(asdict(request)).encode() + b"\n")
            self._child.stdin.flush()
        except (OSError, ValueError) as error:
            raise EOFError(str(error)) from None
        if not self._forks:
            return self._run_last()
        while True:
            # The child supervises the job and sends at least one message per invocation.
            message = self._read_message(self._limits.seconds + _GRACE)
            if "begun" not in message:
                raise EOFError(self._describe_silence())
            if "code" in message:
                shared, too_large = bool(message["shared"]), bool(message["too_large"])
                return ProcessEnd(
                    int(message["code"]), bool(message["late"]), int(message["begun"]), shared, too_large
                )
            if progress is not None:
                progress(int(message["begun"]))

    def _run_last(self) -> ProcessEnd:
        """Run the job of a child that cannot fork, and return its end. The child runs only one job."""
        monitor = _InvocationMonitor(self._child, self._limits.seconds)
        watch = MemoryWatch(self._child.process.pid, self._limits.memory, self._child.kill)
        with nullcontext() if self.limits_memory else watch:
            code = self._child.process.wait()
        monitor.over.set()
        self._child.kill()
        watch.kill_seen()
        return ProcessEnd(code, monitor.late, monitor.begun, too_large=watch.exceeded)

    def _read_message(self, seconds: float) -> dict[str, Any]:
        """Return the child's next message, or an empty mapping if the child ended or no message came in time."""
        line = self._child.read_line(seconds)
        with suppress(ValueError):
            message = json.loads(line)
            return message if isinstance(message, dict) else {}
        return {}

    def _describe_silence(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._child.process.wait(1)
        code = self._child.process.poll()
        said = self.last_output()
        ending = "does not answer" if code is None else f"ended with {exit_name(code)}"
        return f"the process that runs it {ending}{': ' if said else ''}{said}"

    def last_output(self) -> str:
        """Return the last lines that the runtime wrote to stdout and stderr, without known noise; at most _SAID bytes."""
        with suppress(OSError), open(self.folder / LOG, "rb") as log:
            skipped = max(0, os.fstat(log.fileno()).st_size - _SAID)
            log.seek(skipped)
            lines = log.read(_SAID).decode("utf-8", "replace").split("\n")
            if skipped and len(lines) > 1:
                del lines[0]  # an incomplete line
            shown = [line.strip() for line in lines if not line.startswith(("INFO:", "VERBOSE:"))]
            return "\n".join(line for line in shown if line)
        return ""

    def close(self) -> None:
        """Kill the child and remove the folder."""
        if not self._forks and self.alive:
            self._child.kill()
        self._child.close()


class _InvocationMonitor:
    """Counter of the lines with which a child announces invocations. It kills the child if no line comes in time."""

    def __init__(self, child: ChildProcess, seconds: float) -> None:
        self.begun, self.last, self.late = 0, time.monotonic(), False
        self.over = threading.Event()
        self._child, self._seconds = child, seconds
        for work in (self._listen, self._watch):
            threading.Thread(target=work, daemon=True).start()

    def _listen(self) -> None:
        with suppress(OSError, ValueError):  # the pipe was closed
            for _ in self._child.stdout:
                self.begun, self.last = self.begun + 1, time.monotonic()

    def _watch(self) -> None:
        while not self.over.wait(max(0.01, self.last + self._seconds - time.monotonic())):
            if time.monotonic() - self.last > self._seconds:
                self.late = True
                self._child.kill()
                return

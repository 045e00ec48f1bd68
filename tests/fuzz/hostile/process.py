"""Execution of a single command in a fork of this process or in a new process, with limits.

The process that calls :func:`execute` becomes the reaper of all processes of its cases, so that no process escapes it.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.family import below, command, memory, processor, reap, status
from tests.fuzz.hostile.sandbox import Sandbox

#: Seconds without processor time after which a command counts as hanging.
IDLE = 8.0
#: Seconds that the children of a command may take to end after the command.
_GRACE = 3.0
#: Limits that the system enforces, so that a fault of this program exhausts neither memory nor the disk.
_SYSTEM_LIMITS = {resource.RLIMIT_AS: 16 << 30, resource.RLIMIT_FSIZE: 2 << 30, resource.RLIMIT_CORE: 0}
_PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a command with its children: seconds of processor time and bytes of memory."""

    seconds: float
    memory: int


@dataclass(frozen=True, slots=True)
class Ended:
    """End of a command: exit code (negative for a signal), the exceeded limit, and the processes that still run."""

    code: int | None
    limit: str
    seconds: float
    peak: int
    leftovers: tuple[str, ...]


def adopt_orphans() -> None:
    """Make this process the parent of every descendant whose parent ends."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def execute(case: Case, box: Sandbox, captured: Path, limits: Limits) -> Ended:
    """Run a command with stdout and stderr in ``said/stdout`` and ``said/stderr``."""
    own = memory(os.getpid())
    (captured / "stdin").write_bytes(case.stdin)
    started = time.monotonic()
    if case.alone:
        pid = _spawn(case, box, captured)
    else:
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            _run(case, box, captured)
    return _watch(pid, started, 0 if case.alone else own, limits)


def _spawn(case: Case, box: Sandbox, captured: Path) -> int:
    """Start ``litecheck`` like its installed script."""
    launcher = captured / "litecheck"
    launcher.write_text("from litecheck.cli import main\nmain()\n", encoding="utf-8")
    environment = box.environment(dict(case.environment))
    environment["PYTHONPATH"] = os.pathsep.join(os.path.abspath(p) for p in sys.path if p)
    process = subprocess.Popen(
        [sys.executable, str(launcher), *case.argv],
        cwd=box.work,
        env=environment,
        start_new_session=True,
        preexec_fn=lambda: _connect(case, captured),
    )
    process.returncode = 0  # this program waits for the process by its id
    return process.pid


def _connect(case: Case, captured: Path) -> None:
    """Open the three standard streams and set the limits that the system enforces."""
    os.dup2(os.open(captured / "stdin", os.O_RDONLY), 0)
    files = {
        name: os.open(captured / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) for name in ("stdout", "stderr")
    }
    os.dup2(files["stdout"], 1)
    os.dup2(files["stderr"], 2)
    if case.stdout == "full":
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
    elif case.stdout == "broken pipe":
        reader, writer = os.pipe()
        os.dup2(writer, 1)
        os.close(reader)
        os.close(writer)
    elif case.stdout == "closed":
        os.close(1)
    if case.closed_stderr:
        os.close(2)
    for kind, value in _SYSTEM_LIMITS.items():
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))


def _run(case: Case, box: Sandbox, captured: Path) -> None:
    """Run ``litecheck ARGV`` in the fork and end the process."""
    code = 70
    try:
        os.setsid()
        _connect(case, captured)
        os.chdir(box.work)
        environment = box.environment(dict(case.environment))
        os.environ.clear()
        os.environ.update(environment)
        sys.stdin, sys.stdout, sys.stderr = open(0), _stream(1), _stream(2)  # noqa: SIM115
        sys.argv = ["litecheck", *case.argv]
        code = _main()
    finally:
        with suppress(BaseException):
            threading._shutdown()  # type: ignore[attr-defined]
            atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            try:
                if stream is not None:
                    stream.flush()
            except BrokenPipeError:
                code = 120
            except (OSError, ValueError):
                code = 120
        os._exit(code)


def _stream(number: int) -> Any:
    """Return a standard stream as Python opens it, or None for a closed descriptor."""
    try:
        os.fstat(number)
    except OSError:
        return None
    return open(
        number, "w", encoding="utf-8", errors="surrogateescape" if number == 1 else "backslashreplace"
    )


def _main() -> int:
    from litecheck.cli import main

    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        import traceback

        traceback.print_exc()
        return 1
    return 0


def _watch(pid: int, started: float, shared: int, limits: Limits) -> Ended:
    """Wait for a process, and kill it with all its children at a limit."""
    peak, limit, code, pause = 0, "", None, 0.002
    busy, changed = -1.0, time.monotonic()
    while True:
        done, state, usage = os.wait4(pid, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(state)
            peak = max(peak, usage.ru_maxrss * 1024 - shared)
            break
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)
        if pause < 0.02:
            continue
        family = [pid, *below(pid)]
        peak = max(peak, sum(map(memory, family)) - shared)
        seconds, now = sum(map(processor, family)), time.monotonic()
        if seconds != busy:
            busy, changed = seconds, now
        limit = _exceeded(limits, peak, seconds, now - changed, now - started)
        if limit:
            break
    seconds = time.monotonic() - started
    leftovers = () if limit else _leftovers()
    _end(pid, bool(limit))
    if not limit and peak > limits.memory:
        limit = f"memory: {peak >> 20} MB"
    return Ended(code, limit, seconds, peak, leftovers)


def _exceeded(limits: Limits, peak: int, seconds: float, idle: float, elapsed: float) -> str:
    if peak > limits.memory:
        return f"memory: {peak >> 20} MB after {elapsed:.1f} s"
    if seconds > limits.seconds or elapsed > 6 * limits.seconds:
        return f"time: {seconds:.0f} s of processor time in {elapsed:.0f} s"
    return f"time: waits since {idle:.0f} s" if idle > IDLE else ""


def _leftovers() -> tuple[str, ...]:
    """Return the processes that still run some time after the end of their command."""
    until = time.monotonic() + _GRACE
    while (left := _living()) and time.monotonic() < until:
        time.sleep(0.02)
    return tuple(command(pid) for pid in left)


def _living() -> list[int]:
    reap()
    return [pid for pid in below(os.getpid()) if status(pid)[0] != "Z"]


def _end(pid: int, running: bool) -> None:
    """Kill the remaining processes of a command: first children, then orphans."""
    if running:
        for process_id in (*below(pid), pid):
            with suppress(OSError):
                os.kill(process_id, signal.SIGKILL)
        with suppress(OSError):
            os.waitpid(pid, 0)
    until = time.monotonic() + 5
    while (left := _living()) and time.monotonic() < until:
        for process_id in left:
            with suppress(OSError):
                os.kill(process_id, signal.SIGKILL)
        time.sleep(0.01)

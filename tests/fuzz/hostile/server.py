"""Running a case: a fork of this process, which has imported litecheck already, or a new process, under limits."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from tests.fuzz.hostile.case import Case, Ending
from tests.fuzz.hostile.sandbox import Sandbox

#: Seconds of wall time, and of processor time of each process. A hang waits, a bomb computes.
SECONDS, PROCESSOR = 40.0, 15
#: Seconds in which no process of a case gets processor time: the case waits for something that never comes.
IDLE = 8.0
#: Bytes of address space beyond those of this process, and bytes that the largest process of a case may use.
SPACE, MEMORY = 4 << 30, 1536 << 20
#: Seconds that children of a command have to end after the command.
GRACE = 2.0
#: Bytes of the largest file that a case may write.
FILE = 1 << 30
_SUBREAPER = 36


def adopt_orphans() -> None:
    """Make this process the parent of all processes that a case leaves behind (Linux: PR_SET_CHILD_SUBREAPER)."""
    if ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0):
        raise OSError("prctl")


def run(case: Case, box: Sandbox) -> Ending:
    """Run a case in its sandbox to its end, end the processes that it leaves behind, and return the outcome."""
    begin = time.monotonic()
    with _streams(case, box) as descriptors:
        environment = box.environment(dict(case.environment))
        if case.alone:
            child = _start(case, box, environment, descriptors)
        else:
            child = os.fork()
            if child == 0:
                _serve(case, box, environment, descriptors)
    status, peak, ended = _wait(child, begin + SECONDS)
    leftovers = () if ended else tuple(_leftovers())
    end_children()
    code = None if ended else os.waitstatus_to_exitcode(status)
    if code == -signal.SIGXCPU:
        ended = f"more than {PROCESSOR} s of processor time"
    if not ended and peak > MEMORY:
        ended = f"{peak >> 20} MB of memory"
    out, err = (Path(box.root, name).read_bytes() for name in ("stdout", "stderr"))
    return Ending(code, ended, out, err, leftovers, time.monotonic() - begin, peak)


@contextlib.contextmanager
def _streams(case: Case, box: Sandbox) -> Iterator[tuple[int, int, int]]:
    """Open stdin, stdout and stderr of a case; -1 stands for a closed stream."""
    Path(box.root, "stdin").write_bytes(case.stdin)
    for name in ("stdout", "stderr"):
        Path(box.root, name).touch()
    read = os.open(box.root / "stdin", os.O_RDONLY)
    error = -1 if case.closed_stderr else os.open(box.root / "stderr", os.O_WRONLY | os.O_APPEND)
    if case.stdout == "broken pipe":
        other, write = os.pipe()
        os.close(other)
    elif case.stdout == "closed":
        write = -1
    else:
        write = os.open("/dev/full" if case.stdout == "full" else box.root / "stdout", os.O_WRONLY)
    try:
        yield read, write, error
    finally:
        for descriptor in (read, write, error):
            if descriptor >= 0:
                os.close(descriptor)


def _connect(descriptors: tuple[int, int, int]) -> None:
    """Make descriptors 0, 1 and 2 those of the case, and limit the process. Runs in the child."""
    os.setsid()
    for target, descriptor in enumerate(descriptors):
        if descriptor < 0:
            with contextlib.suppress(OSError):
                os.close(target)
        else:
            os.dup2(descriptor, target)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    space = pages * resource.getpagesize() + SPACE
    resource.setrlimit(resource.RLIMIT_AS, (space, space))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR + 2))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def _start(case: Case, box: Sandbox, environment: dict[str, str], descriptors: tuple[int, int, int]) -> int:
    """Start a new Python process for a case and return its number."""
    path = os.pathsep.join(entry for entry in sys.path if entry and Path(entry, "litecheck").is_dir())
    process = subprocess.Popen(
        [sys.executable, str(box.script), *case.argv],
        cwd=box.work,
        env={"PYTHONPATH": path, **environment},
        preexec_fn=lambda: _connect(descriptors),
        pass_fds=[d for d in descriptors if d > 2],
    )
    process.returncode = 0  # _wait waits for it
    return process.pid


def _serve(
    case: Case, box: Sandbox, environment: dict[str, str], descriptors: tuple[int, int, int]
) -> NoReturn:
    """Be the program ``litecheck``: the child's side of the fork, which never returns."""
    code = 70
    try:
        _connect(descriptors)
        os.chdir(box.work)
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:] = [entry for entry in sys.path if entry]
        sys.argv = ["litecheck", *case.argv]
        atexit._clear()
        sys.stdin, sys.stdout, sys.stderr = (
            open(number, mode, encoding="utf-8", errors="backslashreplace" if number == 2 else "strict", closefd=False)
            for number, mode in ((0, "r"), (1, "w"), (2, "w"))
        )  # fmt: skip
        code = _called()
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code & 0xFF)


def _called() -> int:
    from litecheck.cli import main

    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _wait(child: int, until: float) -> tuple[int, int, str]:
    """Return the status, the peak memory in bytes, and the reason if the child had to be ended."""
    delay, used, since = 0.001, -1, time.monotonic()
    while True:
        number, status, usage = os.wait4(child, os.WNOHANG)
        if number:
            return status, usage.ru_maxrss * 1024, ""
        now = time.monotonic()
        if delay > 0.01 and (spent := _ticks(child)) != used:
            used, since = spent, now
        if now > until or now - since > IDLE:
            os.kill(child, signal.SIGKILL)
            _, status, usage = os.wait4(child, 0)
            why = f"more than {SECONDS:.0f} s" if now > until else f"waits for more than {IDLE:.0f} s"
            return status, usage.ru_maxrss * 1024, why
        time.sleep(delay)
        delay = min(delay * 1.5, 0.05)


def _ticks(root: int) -> int:
    """Return the processor time of a process and of all its descendants that live, in ticks."""
    found = {number: fields for number in _numbers() if (fields := _stat(number))}
    inside, before = {root}, 0
    while before != len(inside):
        before = len(inside)
        inside |= {number for number, fields in found.items() if int(fields[1]) in inside}
    return sum(int(fields[11]) + int(fields[12]) for number, fields in found.items() if number in inside)


def _leftovers() -> Iterator[str]:
    """Yield the command lines of processes that go on after the command and a time of grace."""
    until = time.monotonic() + GRACE
    while children() and time.monotonic() < until:
        time.sleep(0.02)
    yield from map(_command_line, children())


def children() -> list[int]:
    """Return the numbers of living child processes; those that have ended are reaped."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    own = str(os.getpid())
    return [number for number in _numbers() if (fields := _stat(number)) and fields[:2] != ["Z", own] and fields[1] == own]


def _numbers() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _stat(number: int) -> list[str]:
    """Return the fields of a process behind its name (state, parent, ...), none for a process that is gone."""
    try:
        # The name of the program, in parentheses, may hold spaces and parentheses.
        return Path(f"/proc/{number}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _command_line(number: int) -> str:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
    except OSError:
        return f"process {number}"


def end_children() -> None:
    """Kill all child processes and those that they leave behind, until there are none."""
    while found := children():
        for number in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        time.sleep(0.005)

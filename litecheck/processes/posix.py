"""Features of Linux and macOS that Windows does not have. Each function states its behavior on other systems."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

#: PR_SET_CHILD_SUBREAPER of linux/prctl.h.
_SET_CHILD_SUBREAPER = 36
#: Maximum number of rounds in which orphans and their children are killed, because a program may fork endlessly.
_GENERATIONS = 100
#: Exit code of a process that SIGKILL ended; None if the system has no SIGKILL.
KILLED = -signal.SIGKILL if hasattr(signal, "SIGKILL") else None


def can_fork() -> bool:
    """Return True if this process can be forked: the system has fork, and the process has one thread."""
    if not hasattr(os, "fork"):
        return False
    with suppress(OSError):
        return len(os.listdir("/proc/self/task")) == 1
    import psutil  # see child.py

    return psutil.Process().num_threads() == 1


def can_limit_memory() -> bool:
    """Return True if the system enforces the limit of :func:`limit_memory`. Linux does; macOS and Windows do not."""
    return address_space() is not None


def kill_group(leader: int) -> None:
    """Kill the process group of ``leader``. Do nothing on a system without process groups."""
    with suppress(ProcessLookupError, PermissionError, AttributeError):
        os.killpg(leader, signal.SIGKILL)


def end_by_signal(number: int) -> None:
    """End this process by a signal, to report the signal that ended a program run by this process."""
    with suppress(OSError):  # the handler of SIGKILL cannot be set
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def adopt_orphans() -> None:
    """Make this process the parent of descendants whose parent ends, so that it can end them. Linux only."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def wait_for_output(pipe: IO[bytes], seconds: float) -> bool:
    """Return True once a pipe has bytes or has ended, False after ``seconds``. Windows cannot wait: True at once."""
    with suppress(ImportError):
        from select import POLLIN, poll

        waiting = poll()
        waiting.register(pipe, POLLIN)
        return bool(waiting.poll(1000 * seconds))
    return True


def children() -> frozenset[int]:
    """Return the process IDs of the children of this process, or none if the system does not report them."""
    found = set[int]()
    with suppress(OSError):
        for task in Path("/proc/self/task").iterdir():
            found.update(map(int, (task / "children").read_text("ascii").split()))
    return frozenset(found)


def end_orphans(keep: frozenset[int]) -> None:
    """Kill all children of this process except those in ``keep``.

    After :func:`adopt_orphans`, the children of killed processes become children of this process and are killed in turn.
    """
    for _ in range(_GENERATIONS):
        orphans = children() - keep
        if not orphans:
            return
        for orphan in orphans:
            with suppress(ProcessLookupError, PermissionError, ChildProcessError):
                os.kill(orphan, signal.SIGKILL)
                os.waitpid(orphan, 0)


def set_alarm(seconds: int) -> None:
    """End this process after ``seconds``, also if its parent has ended; 0 cancels. Do nothing on Windows."""
    with suppress(AttributeError):
        signal.alarm(seconds)


def read_stderr_file() -> str:
    """Return the text in the file that stderr is, or "" if the system does not give access to it. Linux only."""
    with suppress(OSError):
        return Path("/proc/self/fd/2").read_text("utf-8", "replace")
    return ""


def flock(descriptor: int) -> None:
    """Lock a file until it is closed. Raises BlockingIOError if another process has locked it, ImportError on Windows."""
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def limit_memory(size: int) -> None:
    """Limit the address space to ``size`` bytes beyond its present size, files to ``size``, core files to 0.

    Do nothing on Windows. If :func:`can_limit_memory` is False, the parent has to watch the memory.
    """
    try:
        import resource
    except ImportError:
        return
    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: size}
    used = address_space()
    if used is not None:
        limits[resource.RLIMIT_AS] = used + size
    for kind, value in limits.items():
        _, hard = resource.getrlimit(kind)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (value, value))


def address_space() -> int | None:
    """Return the bytes of address space in use, or None if the system does not report them."""
    try:
        import resource

        return int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return None


def free_address_space() -> float:
    """Return the bytes of address space that this process may still allocate; infinity without a limit."""
    used = address_space()
    if used is None:
        return float("inf")
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return float("inf") if limit == resource.RLIM_INFINITY else limit - used


def peak_resident() -> int:
    """Return the peak resident memory of this process in bytes, or 0 if the system does not report it.

    ``getrusage`` is not used: its value starts with the memory of the parent at the start of the process.
    """
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024
    return 0

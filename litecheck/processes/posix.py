"""Features of Linux and macOS that Windows does not have; each function says what it does where they are missing."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

#: PR_SET_CHILD_SUBREAPER of linux/prctl.h.
_SET_CHILD_SUBREAPER = 36
#: Rounds in which orphans and their children are killed: a program that forks all the time must not keep this process.
_GENERATIONS = 100
#: Exit code of a process that SIGKILL ended; None where the system has no signals.
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
    """Return True if the system enforces the limit of :func:`limit_memory`: Linux does, macOS and Windows do not."""
    return address_space() is not None


def kill_group(leader: int) -> None:
    """Kill the process group of ``leader``; do nothing where the system has no process groups."""
    with suppress(ProcessLookupError, PermissionError, AttributeError):
        os.killpg(leader, signal.SIGKILL)


def end_by_signal(number: int) -> None:
    """End this process by a signal, as a program that it ran was ended."""
    with suppress(OSError):  # nobody can handle SIGKILL
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def adopt_orphans() -> None:
    """Make this process the parent of descendants whose own parent ends, so that it can end them. Linux only."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children() -> frozenset[int]:
    """Return the process IDs of the children of this process; none where the system does not say."""
    found = set[int]()
    with suppress(OSError):
        for task in Path("/proc/self/task").iterdir():
            found.update(map(int, (task / "children").read_text("ascii").split()))
    return frozenset(found)


def end_orphans(keep: frozenset[int]) -> None:
    """Kill all children of this process but those to ``keep``. Their own children become children of this process after
    :func:`adopt_orphans`, and are killed in turn."""
    for _ in range(_GENERATIONS):
        orphans = children() - keep
        if not orphans:
            return
        for orphan in orphans:
            with suppress(ProcessLookupError, PermissionError, ChildProcessError):
                os.kill(orphan, signal.SIGKILL)
                os.waitpid(orphan, 0)


def set_alarm(seconds: int) -> None:
    """End this process after ``seconds``, also if its parent is gone; 0 cancels. Does nothing on Windows."""
    with suppress(AttributeError):
        signal.alarm(seconds)


def written_to_stderr() -> str:
    """Return the text in the file that stderr is; nothing where the system does not give access to it. Linux only."""
    with suppress(OSError):
        return Path("/proc/self/fd/2").read_text("utf-8", "replace")
    return ""


def flock(descriptor: int) -> None:
    """Lock a file until it is closed. Raises BlockingIOError where another process has locked it, ImportError on
    Windows."""
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def limit_memory(size: int) -> None:
    """Limit the address space to ``size`` bytes beyond its present size, files to ``size``, core files to 0.

    Do nothing on Windows. Where :func:`can_limit_memory` is False, the parent has to watch the memory.
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
    """Return the bytes of address space in use, or None where the system does not say."""
    try:
        import resource

        return int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return None


def free_address_space() -> float:
    """Return the bytes of address space that this process may still take; infinity without a limit."""
    used = address_space()
    if used is None:
        return float("inf")
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return float("inf") if limit == resource.RLIM_INFINITY else limit - used


def peak_resident() -> int:
    """Return the most resident memory in bytes that this process has had, or 0 where the system does not say.

    ``getrusage`` is not used: its number begins with the memory that the parent held when it started the process.
    """
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024
    return 0

"""Descendants of a process, by /proc: memory, processor time, state and command."""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from pathlib import Path

_PAGE, _TICK = resource.getpagesize(), os.sysconf("SC_CLK_TCK")


def reap() -> None:
    """Reap the children of this process that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def below(pid: int) -> list[int]:
    """Return the process ids of all descendants."""
    found: list[int] = []
    queue = [pid]
    while queue:
        with suppress(OSError):
            for task in os.listdir(f"/proc/{(parent := queue.pop())}/task"):
                children = [int(c) for c in Path(f"/proc/{parent}/task/{task}/children").read_text().split()]
                found += children
                queue += children
    return found


def memory(pid: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    return 0


def status(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat after the name; the first field is the state."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    return ["Z"]


def processor(pid: int) -> float:
    fields = status(pid)
    return sum(map(int, fields[11:15])) / _TICK if len(fields) > 15 else 0.0


def command(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
    return "?"

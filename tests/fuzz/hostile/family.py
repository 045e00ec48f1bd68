"""The processes below one, by /proc: their memory, processor time, state and command."""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from pathlib import Path

_PAGE, _TICK = resource.getpagesize(), os.sysconf("SC_CLK_TCK")


def reap() -> None:
    """Forget the children of this process that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def below(pid: int) -> list[int]:
    """All processes below one."""
    found: list[int] = []
    queue = [pid]
    while queue:
        with suppress(OSError):
            for task in os.listdir(f"/proc/{(one := queue.pop())}/task"):
                children = [int(c) for c in Path(f"/proc/{one}/task/{task}/children").read_text().split()]
                found += children
                queue += children
    return found


def memory(pid: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    return 0


def status(pid: int) -> list[str]:
    """The fields of /proc/PID/stat behind the name: the state first."""
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

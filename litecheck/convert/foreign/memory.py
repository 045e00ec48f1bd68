"""Memory that a process and those it started hold together, looked at again and again while they run."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType

#: Seconds between two looks.
PAUSE = 0.02


class MemoryWatch:
    """``most`` is the largest sum of proportional set sizes seen, in bytes; 0 where the system does not say."""

    def __init__(self, process: int) -> None:
        self.most = 0
        self._process = process
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> MemoryWatch:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(PAUSE):
            self.most = max(self.most, sum(map(_held, _family(self._process))))


def _family(process: int) -> Iterator[int]:
    """A process, and all below it."""
    yield process
    with suppress(OSError, ValueError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text("ascii").split():
                yield from _family(int(child))


def _held(process: int) -> int:
    """What a process holds, pages that it shares counted in parts."""
    with suppress(OSError, ValueError, StopIteration):
        lines = Path(f"/proc/{process}/smaps_rollup").read_text("ascii").splitlines()
        return int(next(line for line in lines if line.startswith("Pss:")).split()[1]) * 1024
    return 0

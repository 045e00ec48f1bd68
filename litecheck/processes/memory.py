"""Memory of a process and its descendants, sampled while they run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING

from litecheck.processes.posix import peak_resident

if TYPE_CHECKING:
    import psutil  # see child.py

#: Seconds between two samples.
PAUSE = 0.02


#: Note in the report of a device whose memory limit relies on samples.
BY_SAMPLING = "memory limit by sampling"


class MemoryWatch:
    """Sampling of the memory of a process and its descendants in a thread, as a context manager.

    ``most`` is the largest sample in bytes. Linux divides shared pages by the number of processes that share them; on
    other systems they count in full. With a ``limit`` in bytes, ``on_excess`` is called after a sample that exceeds the
    first sample by more than the limit, and ``exceeded`` is True.
    """

    def __init__(
        self, pid: int, limit: float = float("inf"), on_excess: Callable[[], object] = lambda: None
    ) -> None:
        self.most, self.exceeded = 0, False
        self._seen: set[psutil.Process] = set()
        self._pid, self._limit, self._on_excess = pid, limit, on_excess
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> MemoryWatch:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def kill_seen(self) -> None:
        """Kill all sampled processes that still run, also if the process that started them has ended."""
        import psutil

        for process in self._seen:
            with suppress(psutil.Error):
                process.kill()

    def _sample(self) -> None:
        first: int | None = None
        while not self._over.wait(PAUSE):
            family = set(_family(self._pid))
            self._seen |= family
            now = sum(map(_memory, family))
            first, self.most = now if first is None else first, max(self.most, now)
            if now > first + self._limit:
                self.exceeded = True
                self._on_excess()
                return


def peak_memory() -> int:
    """Return the peak resident memory of this process in bytes, or its present memory if the system reports no peak."""
    if resident := peak_resident():
        return resident
    import psutil

    memory = psutil.Process().memory_info()
    return int(getattr(memory, "peak_wset", memory.rss))


def _family(pid: int) -> Iterator[psutil.Process]:
    import psutil

    with suppress(psutil.Error):
        process = psutil.Process(pid)
        yield process
        yield from process.children(recursive=True)


def _memory(process: psutil.Process) -> int:
    import psutil

    with suppress(psutil.Error):
        memory = process.memory_full_info()
        return int(getattr(memory, "pss", memory.rss))
    return 0

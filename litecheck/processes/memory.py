"""The memory of a process and its descendants, sampled while they run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import TracebackType

import psutil

from litecheck.processes.posix import peak_resident

#: Seconds between two samples.
PAUSE = 0.02


#: Added to the report of a device whose memory limit is this one.
BY_SAMPLING = "memory limit by sampling"


class MemoryWatch:
    """Sample the memory of a process and its descendants in a thread, as a context manager.

    ``most`` is the largest sample in bytes. Pages that several processes share count in parts where the system says how
    many share them (Linux), else in full. With a ``limit`` in bytes, ``on_excess`` is called once a sample is more than that
    beyond the first, and ``exceeded`` is True.
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
        """Kill the processes that a sample found and that still run, also if the process that started them has ended."""
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
    """Return the most resident memory in bytes that this process has had, or its present memory where the system does not
    say."""
    memory = psutil.Process().memory_info()
    return peak_resident() or int(getattr(memory, "peak_wset", memory.rss))


def _family(pid: int) -> Iterator[psutil.Process]:
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        yield process
        yield from process.children(recursive=True)


def _memory(process: psutil.Process) -> int:
    with suppress(psutil.Error):
        memory = process.memory_full_info()
        return int(getattr(memory, "pss", memory.rss))
    return 0

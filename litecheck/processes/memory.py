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


class MemoryWatch:
    """Sample the memory of a process and its descendants in a thread, as a context manager.

    ``most`` is the largest sample in bytes. Pages that several processes share count in parts where the system says how
    many share them (Linux), else in full. With a ``limit`` in bytes, ``exceeded`` is called once a sample is beyond it.
    """

    def __init__(
        self, pid: int, limit: float = float("inf"), exceeded: Callable[[], object] = lambda: None
    ) -> None:
        self.most = 0
        self._pid, self._limit, self._exceeded = pid, limit, exceeded
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

    def _sample(self) -> None:
        while not self._over.wait(PAUSE):
            self.most = max(self.most, sum(map(_memory, _family(self._pid))))
            if self.most > self._limit:
                self._exceeded()
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

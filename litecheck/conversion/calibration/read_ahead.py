"""Items that a thread computes while the caller works on earlier items, so that samples are read while LiteRT runs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from queue import Empty, Queue
from threading import Event, Thread
from typing import Generic, TypeVar

T = TypeVar("T")
#: Seconds that ``close`` waits for the current item, and between two looks at the thread.
_WAIT, _PAUSE = 2.0, 0.01


class ReadAhead(Generic[T]):
    """Iterator over ``items``, at most two of which are computed before they are requested.

    An exception of ``items`` is raised in the caller, after the items before it. The thread ends after ``close``,
    with its current item.
    """

    def __init__(self, items: Iterator[T]) -> None:
        """Start the thread."""
        self._found: Queue[T | BaseException | None] = Queue(1)
        self._closed = Event()
        self._thread = Thread(target=self._compute, args=(items,), daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[T]:
        while (item := self._found.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item

    def close(self) -> None:
        """Drop the items that nobody requested, and wait a short time for the current item."""
        self._closed.set()
        deadline = time.monotonic() + _WAIT
        while self._thread.is_alive() and time.monotonic() < deadline:
            with suppress(Empty):
                self._found.get(timeout=_PAUSE)

    def _compute(self, items: Iterator[T]) -> None:
        try:
            for item in items:
                self._found.put(item)
                if self._closed.is_set():
                    return
            self._found.put(None)
        except BaseException as error:  # raised again in the caller
            self._found.put(error)

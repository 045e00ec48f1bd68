"""Reuse of worker processes in tests: an idle process of a closed device serves the next device with the same
runtime."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from litecheck.devices import isolated_device
from litecheck.devices.port import Limits
from litecheck.devices.process import WorkerProcess, WorkerSetup
from litecheck.devices.worker import ProcessEnd, Worker

#: Idle processes by the runtime and the environment that they have loaded.
_WAITING: dict[str, list[WorkerProcess]] = {}
#: Largest number of idle processes per runtime: tests open devices at the same time, and in threads.
_MOST = 2
#: Environment variable with the name of the running test, set by pytest.
_TEST = "PYTEST_CURRENT_TEST"


class KeptWorker(Worker):
    """Worker with a reusable process: if it is idle when closed, it serves the next worker with the same
    runtime.

    Each job runs in a process forked from it, which only loads the runtime. No state of a device is reused.
    """

    def __init__(self, setup: WorkerSetup, limits: Limits, started: WorkerProcess | None = None) -> None:
        self._kind, self._idle, self._left = _kind(setup), False, False
        waiting = _WAITING.setdefault(self._kind, [])
        kept = waiting.pop() if waiting and started is None else None
        if kept is None or not kept.alive:
            super().__init__(setup, limits, started)
        else:
            self._child, self.folder = kept, kept.folder
            self._setup, self._limits = setup, limits
            self._forks = self.limits_memory = True
        self._idle = True

    @property
    def alive(self) -> bool:
        return not self._left and super().alive

    def run(self, *arguments: object) -> ProcessEnd:
        self._idle = False
        ended = super().run(*arguments)  # type: ignore[arg-type]
        self._idle = True
        return ended

    def close(self) -> None:
        if self._left:
            return
        self._left = True
        waiting = _WAITING[self._kind]
        if self._forks and self._idle and super().alive and len(waiting) < _MOST:
            waiting.append(self._child)
        else:
            super().close()


def _kind(setup: WorkerSetup) -> str:
    environment = {name: value for name, value in os.environ.items() if name != _TEST}
    loaded = (setup.adapter, setup.modules, dict(setup.environment), environment, sys.path, os.getcwd())
    return json.dumps((*loaded, tempfile.gettempdir()), sort_keys=True)


@contextmanager
def shared_processes() -> Iterator[None]:
    """Keep idle processes for devices that are opened later in this context. End all of them afterwards."""
    own = isolated_device.Worker
    isolated_device.Worker = KeptWorker  # type: ignore[misc]
    try:
        yield
    finally:
        isolated_device.Worker = own  # type: ignore[misc]
        for child in (child for waiting in _WAITING.values() for child in waiting):
            child.close()
        _WAITING.clear()


@contextmanager
def separate_processes() -> Iterator[None]:
    """Give each device in this context its own process, which ends with the device, for tests of this
    behavior."""
    kept, isolated_device.Worker = isolated_device.Worker, Worker  # type: ignore[misc]
    try:
        yield
    finally:
        isolated_device.Worker = kept  # type: ignore[misc]

"""The process of a device's worker, started before anything else is loaded: it loads its runtime meanwhile."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from litecheck.processes.child import ChildProcess
from litecheck.processes.python import python_command

#: Name of the file in the worker's folder that holds the output of its runtime.
LOG = "log"
#: One thread: what a second one gains is little, and it costs memory.
QUIET = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
#: Seconds that a worker has to kill its job and to end, after its input has ended.
_PATIENCE = 2.0


@dataclass(frozen=True, slots=True)
class Setup:
    """What a child loads: a Factory as ``module:attribute``, ``modules`` besides those the factory names, variables for
    its environment; and the options that the factory is called with for every job."""

    adapter: str
    options: Mapping[str, str]
    environment: Mapping[str, str]
    modules: tuple[str, ...] = ()


class WorkerProcess(ChildProcess):
    """A worker that has been started, with a folder of its own; both go when it is closed, or with the interpreter."""

    def __init__(self, setup: Setup) -> None:
        """Return at once; :class:`litecheck.devices.worker.Worker` reads the first line that the worker writes."""
        self.folder = Path(tempfile.mkdtemp(prefix="litecheck-"))
        command = python_command(
            "litecheck.devices.worker_main:main", setup.adapter, json.dumps(setup.modules), str(self.folder)
        )
        remove = partial(shutil.rmtree, self.folder, ignore_errors=True)
        try:
            with open(self.folder / LOG, "wb") as log:
                super().__init__(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    environment=setup.environment,
                    patience=_PATIENCE,
                    closed=remove,
                )
        except BaseException:
            remove()
            raise

"""Process of a device's worker, started early so that it loads its runtime in parallel."""

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

#: Name of the file in the worker's folder with the output of its runtime.
LOG = "log"
#: One thread per process: a second thread gains little and needs memory.
QUIET = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
#: Seconds in which a worker must kill its job and exit after the end of its input.
_PATIENCE = 2.0


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """Setup of a child process: a Factory as ``module:attribute`` with the options for every job, additional
    ``modules`` to load, and environment variables."""

    adapter: str
    options: Mapping[str, str]
    environment: Mapping[str, str]
    modules: tuple[str, ...] = ()


class WorkerProcess(ChildProcess):
    """Worker process with a separate folder. Both are removed when it is closed, or at exit of the interpreter."""

    def __init__(self, setup: WorkerSetup) -> None:
        """Start the process without waiting. :class:`litecheck.devices.worker.Worker` reads the first line that it
        writes."""
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

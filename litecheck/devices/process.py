"""The process of a device's child, started before anything else is loaded: it loads its runtime meanwhile."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

#: The search path goes as an argument: in the environment it would reach programs that the adapter starts.
_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from litecheck.devices.worker_main import main; main()"
#: Where the child's folder holds what its runtime says.
LOG = "log"
#: One thread: what a second one gains is little, and it costs memory.
QUIET = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


@dataclass(frozen=True, slots=True)
class Setup:
    """What a child loads: a Factory as ``module:attribute``, ``modules`` besides those the factory names, variables for
    its environment; and the options that the factory is called with for every job."""

    adapter: str
    options: Mapping[str, str]
    environment: Mapping[str, str]
    modules: tuple[str, ...] = ()


class ChildProcess:
    """A child that has been started, with a folder of its own; both go when it is closed, or with the interpreter."""

    def __init__(self, setup: Setup) -> None:
        """Returns at once; what the child says first is for :class:`litecheck.devices.worker.Worker` to hear."""
        self.folder = Path(tempfile.mkdtemp(prefix="litecheck-"))
        try:
            self.process = self._started(setup)
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        self._finalizer = weakref.finalize(self, _end, self.process, self.folder)

    def _started(self, setup: Setup) -> subprocess.Popen[bytes]:
        path = [os.path.abspath(p or ".") for p in sys.path]
        with open(self.folder / LOG, "wb") as log:
            return subprocess.Popen(
                [
                    sys.executable,
                    "-c",
                    _START,
                    json.dumps(path),
                    setup.adapter,
                    json.dumps(setup.modules),
                    str(self.folder),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, **setup.environment},
                start_new_session=True,
            )

    @property
    def alive(self) -> bool:
        """Whether it still runs and was not closed."""
        return self._finalizer.alive and self.process.poll() is None

    def close(self) -> None:
        """Ends the child, whatever it does, and removes the folder."""
        self._finalizer()


def kill(process: subprocess.Popen[bytes]) -> None:
    """Ends a process, if it still runs, and what it started."""
    if process.poll() is None:
        with suppress(OSError):
            process.kill()
        kill_group(process.pid)


def kill_group(leader: int) -> None:
    """What the child started, where the system knows such groups."""
    with suppress(ProcessLookupError, PermissionError, AttributeError):
        os.killpg(leader, signal.SIGKILL)


def limit(memory: int) -> None:
    """Address space, file size and no core; where the system has such limits."""
    try:
        import resource
    except ImportError:
        return
    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: memory}
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limits[resource.RLIMIT_AS] = pages * resource.getpagesize() + memory
    for kind, value in limits.items():
        _, hard = resource.getrlimit(kind)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (value, value))


def _end(process: subprocess.Popen[bytes], folder: Path) -> None:
    """At the end of its input the child kills its job and goes; one that does not is killed."""
    assert process.stdin
    assert process.stdout
    with suppress(OSError):
        process.stdin.close()
    try:
        process.wait(2)
    except subprocess.TimeoutExpired:
        kill(process)
        process.wait()
    with suppress(OSError):
        process.stdout.close()
    shutil.rmtree(folder, ignore_errors=True)

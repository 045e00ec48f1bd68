"""A program in a child process that is ended with its descendants, after a time limit or with the interpreter."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING

from litecheck.processes.posix import kill_group, wait_for_output

if TYPE_CHECKING:
    import psutil

#: A stream of a child: nothing, a pipe, or an open file.
Stream = int | IO[bytes]
#: Windows sends Ctrl-C to all processes of a console except new groups. On other systems, a new session is excepted.
_NEW_GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
#: Seconds between two checks whether a program has ended.
_PAUSE = 0.002
#: Longest time in seconds that a killed program is waited for.
_KILL_WAIT = 10.0


class TimeLimit:
    """A time limit of a child. ``exceeded`` is True after the limit has ended the child."""

    def __init__(self) -> None:
        self.exceeded = False


class ChildProcess:
    """A running program. Its descendants are in its process group and are ended with it.

    ``patience`` is the time in seconds that the program has to exit after its input ends; after that it is killed.
    ``closed`` is called once after the child has ended, also at the end of the interpreter.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        stdin: Stream = subprocess.DEVNULL,
        stdout: Stream = subprocess.DEVNULL,
        stderr: Stream = subprocess.DEVNULL,
        environment: Mapping[str, str] | None = None,
        patience: float = 0.0,
        closed: Callable[[], object] = lambda: None,
    ) -> None:
        """Start the program. ``environment`` holds additional variables. Raises OSError."""
        self.process = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
            creationflags=_NEW_GROUP,
        )
        self._read = b""
        self._finalizer = weakref.finalize(self, _end_process, self.process, patience, closed)

    def __enter__(self) -> ChildProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def stdin(self) -> IO[bytes]:
        """Pipe to the child's stdin."""
        assert self.process.stdin
        return self.process.stdin

    @property
    def stdout(self) -> IO[bytes]:
        """Pipe from the child's stdout."""
        assert self.process.stdout
        return self.process.stdout

    @property
    def alive(self) -> bool:
        """True while the program runs and was not closed."""
        return self._finalizer.alive and self.process.poll() is None

    def kill(self) -> None:
        """End the program and its descendants immediately, and wait until the program has ended. A pending read of its
        output returns the bytes that are available."""
        kill_tree(self.process)
        with suppress(subprocess.TimeoutExpired):  # a program inside a system call ends after it
            self.process.wait(_KILL_WAIT)

    def close(self) -> None:
        """End the program and its descendants and close the pipes."""
        self._finalizer()

    def read_line(self, seconds: float) -> bytes:
        """Return the next line of the output, or the incomplete line at its end. Kill the program after ``seconds``.

        POSIX systems wait for the pipe, so that no thread is started for a line.
        """
        if os.name != "posix":
            with self.time_limit(seconds):
                return self.stdout.readline()
        end, part = time.monotonic() + seconds, self._read
        with suppress(OSError, ValueError):  # the pipe was closed
            while b"\n" not in part:
                if not wait_for_output(self.stdout, max(0.0, end - time.monotonic())):
                    self.kill()
                part = os.read(self.stdout.fileno(), 1 << 16)
                if not part:
                    break
                self._read += part
        line, ending, self._read = self._read.partition(b"\n")
        return line + ending

    @contextmanager
    def time_limit(self, seconds: float) -> Iterator[TimeLimit]:
        """Kill the program unless the block ends within ``seconds``.

        A timer thread kills the program, because pipes cannot be waited for with a time limit on all systems.
        """
        limit = TimeLimit()

        def end() -> None:
            limit.exceeded = True
            self.kill()

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        timer.start()
        try:
            yield limit
        finally:
            timer.cancel()


def kill_tree(process: subprocess.Popen[bytes]) -> None:
    """Kill a process, if it still runs, and its descendants."""
    if process.poll() is None:
        descendants = _descendants(process.pid)
        with suppress(OSError):
            process.kill()
        _kill(descendants)
    kill_group(process.pid)


def _descendants(pid: int) -> list[psutil.Process]:
    """Return the descendants of a process. Unlike its process group, they include processes after setsid, also on
    Windows."""
    import psutil  # takes 15 ms, so it is imported after the child has been started

    with suppress(psutil.Error):
        return psutil.Process(pid).children(recursive=True)
    return []


def kill_descendants() -> None:
    """Kill the descendants of this process."""
    _kill(_descendants(os.getpid()))


def _kill(processes: Iterable[psutil.Process]) -> None:
    import psutil

    for process in processes:
        with suppress(psutil.Error):
            process.kill()


def exit_name(code: int) -> str:
    """Return a text for an exit code. Examples: 3 gives ``status 3``, -11 gives ``SIGSEGV``."""
    if code >= 0:
        return f"status {code}"
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


def _end_process(process: subprocess.Popen[bytes], patience: float, closed: Callable[[], object]) -> None:
    with suppress(OSError):
        if process.stdin:
            process.stdin.close()
    deadline = time.monotonic() + patience
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(_PAUSE)  # Popen.wait(timeout) sleeps up to 50 ms at a time
    kill_tree(process)
    process.wait()
    with suppress(OSError):
        if process.stdout:
            process.stdout.close()
    closed()

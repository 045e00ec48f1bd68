"""Pool of Python processes that call functions in parallel.

``concurrent.futures.ProcessPoolExecutor`` is not used: its processes import modules of the current folder when they start.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

from litecheck.errors import LitecheckError
from litecheck.processes.child import ChildProcess, exit_name
from litecheck.processes.python import python_command

#: Size of the length field before each message, in bytes.
_LENGTH = 8


class ProcessError(LitecheckError):
    """Error for a process of the pool that ended during a call."""


class ProcessPool:
    """Processes that run until the end of the ``with`` block. Each calls ``prepare(*arguments)`` first.

    Functions, arguments and results are pickled, so functions must be importable from a module. For example, ``with
    ProcessPool(2) as pool: list(pool.map(math.sqrt, [4, 9]))`` gives [2.0, 3.0].
    """

    def __init__(self, jobs: int, prepare: Callable[..., object] | None = None, *arguments: Any) -> None:
        self._threads = ThreadPoolExecutor(jobs)
        self._first = None if prepare is None else (prepare, arguments)
        self._own = threading.local()
        self._children: list[ChildProcess] = []
        self._closed = False

    def __enter__(self) -> ProcessPool:
        return self

    def __exit__(self, *_: object) -> None:
        self._closed = True
        for child in tuple(self._children):
            child.close()
        self._threads.shutdown(cancel_futures=True)

    def map(self, function: Callable[..., Any], *iterables: Iterable[Any]) -> Iterator[Any]:
        """Yield the results in the order of the arguments. An exception in a function is raised here."""
        calls = [
            self._threads.submit(self._call, function, arguments)
            for arguments in zip(*iterables, strict=False)
        ]
        return (call.result() for call in calls)

    def _call(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        child = getattr(self._own, "child", None)
        if child is None:
            child = self._own.child = self._start_child()
            if self._first is not None:
                _call_in_child(child, *self._first)
        return _call_in_child(child, function, arguments)

    def _start_child(self) -> ChildProcess:
        command = python_command("litecheck.processes.worker_pool:main")
        child = ChildProcess(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._children.append(child)
        if self._closed:
            child.close()
        return child


def main() -> None:
    """Call functions until stdin ends. This is the program of a process of the pool; stdout of the functions is
    discarded."""
    calls, results = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "r+b", buffering=0) as nothing:
        for number in (0, 1):
            os.dup2(nothing.fileno(), number)
    while (call := _receive(calls)) is not None:
        function, arguments = call
        try:
            result = True, function(*arguments)
        except Exception as error:
            result = False, error
        _send(results, result)
    sys.stdout.flush()
    os._exit(0)


def _call_in_child(child: ChildProcess, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    try:
        _send(child.stdin, (function, arguments))
        answer = _receive(child.stdout)
    except (OSError, ValueError):  # the process has ended, or the pool was closed
        answer = None
    if answer is None:
        raise ProcessError(f"a process of the pool ended with {exit_name(child.process.wait())}")
    succeeded, result = answer
    if succeeded:
        return result
    raise result


def _send(stream: IO[bytes], message: Any) -> None:
    content = pickle.dumps(message)
    stream.write(len(content).to_bytes(_LENGTH, "little") + content)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    """Return the next message, or None at the end. Both processes are litecheck, so unpickling is safe."""
    head = stream.read(_LENGTH)
    length = int.from_bytes(head, "little")
    content = stream.read(length) if len(head) == _LENGTH else b""
    return pickle.loads(content) if content and len(content) == length else None

"""The program of a device's child process: it loads the runtime once and forks a process for every job.

A case thus has a process of its own at the price of a fork. Where that cannot be (no fork, or a runtime that starts
threads when it is loaded), a child does one job and ends. Jobs and answers are parcels in the child's folder; the
control channel carries one line of JSON each way.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np

from litecheck.devices.ipc import read_parcel, runs_of, unpacked, write_parcel
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import (
    Adapter,
    AdapterAnswer,
    Factory,
    NotDelegated,
    NotSupported,
    Series,
    Timed,
    TooLargeError,
    memory_of,
)
from litecheck.devices.process import LOG, limit

#: Files in the child's folder, besides the log, and the folder in which a job keeps what must not outlive it.
JOB, ANSWER, SCRATCH = "job", "answer", "scratch"
#: Seconds between two lines that tell the parent how far a job is.
_TELLING = 0.2


@dataclass(frozen=True, slots=True)
class Channel:
    """Lines of JSON to and from the parent."""

    incoming: IO[bytes]
    outgoing: IO[bytes]

    def tell(self, **facts: object) -> None:
        """One line to the parent; a parent that is gone is found by ``incoming``."""
        with suppress(OSError):
            self.outgoing.write(json.dumps(facts).encode() + b"\n")
            self.outgoing.flush()


@dataclass(frozen=True, slots=True)
class JobRequest:
    """What a parent asks: an adapter of these options, and ``invocations`` of the job, None only to make it; seconds for
    each, and bytes beyond what is in use."""

    options: dict[str, str]
    invocations: int | None
    seconds: float
    memory: int


def main() -> None:
    """Arguments: search path (as JSON, read before), adapter ``module:attribute``, modules as JSON, folder."""
    reference, modules, folder = sys.argv[2], json.loads(sys.argv[3]), Path(sys.argv[4])
    channel = _channel(folder)
    try:
        factory = loaded(reference)
        for module in (*getattr(factory, "runtime", ()), *modules):
            import_module(module)
    except BaseException as error:
        channel.tell(error=_described(error))
        return
    forks = hasattr(os, "fork") and _threads() == 1
    channel.tell(forks=forks)
    gc.collect()
    gc.freeze()
    while line := channel.incoming.readline():
        request = JobRequest(**json.loads(line))
        if not forks:
            with suppress(AttributeError):  # the parent watches the time, unless it is gone
                signal.alarm(int(request.seconds * ((request.invocations or 0) + 1)) + 60)
            _work(factory, folder, request, lambda: channel.tell(begun=1))
        channel.tell(**_forked(channel, factory, folder, request))
    shutil.rmtree(folder, ignore_errors=True)


def loaded(reference: str) -> Any:
    """What ``module:attribute`` names, as entry points do; importlib.metadata, which reads them, is slow to load."""
    module, _, attribute = reference.partition("[")[0].partition(":")
    return attrgetter(attribute.strip())(import_module(module.strip()))


def _channel(folder: Path) -> Channel:
    """Takes the channel away from stdin and stdout, which belong to the runtime's own words from here on."""
    channel = Channel(os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb"))
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    _redirect(folder)
    # A last word before a crash must not stay in a buffer.
    with suppress(ValueError, OSError, AttributeError, TypeError):
        libc = ctypes.CDLL(None)
        libc.setvbuf(ctypes.c_void_p.in_dll(libc, "stdout"), None, 1, 0)
    return channel


def _redirect(folder: Path) -> None:
    with open(folder / LOG, "wb") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)


def _threads() -> int:
    with suppress(OSError):
        return len(os.listdir("/proc/self/task"))
    return 1


def _forked(channel: Channel, factory: Factory, folder: Path, request: JobRequest) -> dict[str, object]:
    """One job in a process of its own: how that ended."""
    bell, ring = os.pipe()
    pulse, beat = os.pipe()
    os.set_blocking(ring, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    before = signal.set_wakeup_fd(ring, warn_on_full_buffer=False)
    try:
        if (pid := os.fork()) == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for end in (bell, ring, pulse, channel.incoming.fileno(), channel.outgoing.fileno()):
                os.close(end)
            os.setsid()
            _work(factory, folder, request, lambda: os.write(beat, b"."))
        return _watched(pid, bell, pulse, channel, request.seconds)
    finally:
        signal.set_wakeup_fd(before)
        for end in (bell, ring, pulse, beat):
            os.close(end)


def _watched(pid: int, bell: int, pulse: int, channel: Channel, seconds: float) -> dict[str, object]:
    """Waits for a job and kills it when an invocation's time is over, or when the parent is gone; its children go
    with it."""
    end, begun, told = time.monotonic() + seconds, 0, time.monotonic()
    late = False
    while True:
        ears = (bell, pulse, channel.incoming.fileno())
        ready, _, _ = select.select(ears, [], [], max(0.0, end - time.monotonic()))
        if pulse in ready:
            begun += len(os.read(pulse, 1 << 12))
            end = time.monotonic() + seconds
            if end - seconds - told > _TELLING:
                told = end - seconds
                channel.tell(begun=begun)
        if bell in ready:
            os.read(bell, 512)
        elif pulse not in ready or channel.incoming.fileno() in ready:
            late = True
            _kill(pid)
        ended, status = os.waitpid(pid, 0 if late else os.WNOHANG)
        if ended:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            return {"code": os.waitstatus_to_exitcode(status), "late": late, "begun": begun}


def _kill(pid: int) -> None:
    for kill in (os.killpg, os.kill):  # a process that has just begun leads no group yet
        with suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)
            return


def _work(factory: Factory, folder: Path, request: JobRequest, begin: Callable[[], object]) -> NoReturn:
    """The job itself; ``begin`` is called before each invocation. The answer is written before the adapter goes: what
    it broke in memory may show only then."""
    code = 1
    try:
        _redirect(folder)
        (folder / SCRATCH).mkdir(exist_ok=True)
        tempfile.tempdir = str(folder / SCRATCH)
        limit(request.memory)
        asked = None if request.invocations is None else begin
        header, arrays, adapter = _answered(factory, request.options, folder, asked)
        write_parcel(folder / ANSWER, header, arrays)
        del adapter, arrays
        gc.collect()
        sys.stdout.flush()
        sys.stderr.flush()
        code = 0
    except BaseException as error:  # the answer could not be written
        print(_described(error), file=sys.stderr, flush=True)
    finally:
        with suppress(OSError, AttributeError, TypeError):
            ctypes.CDLL(None).fflush(None)
        os._exit(code)


def _answered(
    factory: Factory, options: dict[str, str], folder: Path, begin: Callable[[], object] | None
) -> tuple[dict[str, Any], list[Any], Adapter | None]:
    """An answer's header and arrays; the adapter as well, so that it lives on until they are written. Without
    ``begin`` only the adapter is made."""
    adapter = None
    try:
        adapter = factory(options)
        answer = AdapterAnswer(())
        if begin is not None:
            answer = _asked(adapter, folder, begin)
        runs = [[np.asarray(a) for a in run] for run in answer.runs]
        delegated = None if answer.delegated is None else [bool(d) for d in answer.delegated]
        facts = {"runs": list(map(len, runs)), "delegated": delegated, "message": answer.message}
        facts |= {"memory": memory_of(adapter).value} if begin is None else {}
        return facts, [a for run in runs for a in run], adapter
    except BaseException as error:  # an adapter may raise anything, sys.exit included
        return {"error": _described(error), "outcome": _outcome(error).value}, [], adapter


def _asked(adapter: Any, folder: Path, begin: Callable[[], object]) -> AdapterAnswer:
    """The job that lies in the folder: its series where it has any, else its runs."""
    header, (model, *arrays) = read_parcel(folder / JOB)
    series = unpacked(header, arrays)
    made: AdapterAnswer
    if series is None:
        made = adapter.run(model.tobytes(), Timed(runs_of(header, arrays), begin))
    else:
        made = adapter.series(model.tobytes(), [Series(Timed(s.runs, begin), s.start) for s in series])
    return made


def _outcome(error: BaseException) -> Outcome:
    if isinstance(error, TooLargeError):
        return Outcome.WRONG_SHAPE
    if isinstance(error, NotDelegated):
        return Outcome.NOT_DELEGATED
    if isinstance(error, NotSupported):
        return Outcome.NOT_SUPPORTED
    return Outcome.OUT_OF_MEMORY if isinstance(error, MemoryError) else Outcome.REFUSED


def _described(error: BaseException) -> str:
    text = " ".join(str(error).split())
    plain = isinstance(error, (RuntimeError, ValueError, NotDelegated, NotSupported))
    return text if text and plain else f"{type(error).__name__}: {text}"

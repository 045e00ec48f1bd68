"""Program of a device's child process: it loads the runtime once and forks a process for every job.

A fork gives every case a separate process at low cost; jobs that allow it share a process. If forking is impossible (no
fork, or a runtime that starts threads on load), a child runs a single job and ends. Jobs and answers are messages in
the child's folder; the control channel has one line of JSON in each direction.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from litecheck.arrays import stack_inferences
from litecheck.devices.ipc import pack_runs, read_message, unpack_runs, unpack_series, write_message
from litecheck.devices.job_process import Channel, JobProcess, JobRequest
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import (
    Adapter,
    AdapterAnswer,
    Factory,
    NotDelegated,
    NotSupported,
    Series,
    TimedRuns,
    TooLargeError,
    memory_of,
)
from litecheck.devices.process import LOG
from litecheck.processes.child import kill_descendants
from litecheck.processes.posix import adopt_orphans, can_fork, can_limit_memory, limit_memory, set_alarm
from litecheck.spelling import suggestion

#: Files in the child's folder, besides the log, and the folder for temporary files of a job.
JOB, ANSWER, SCRATCH = "job", "answer", "scratch"


def main() -> None:
    """Run jobs until stdin ends. Arguments: adapter ``module:attribute``, modules as JSON, folder."""
    reference, modules, folder = sys.argv[1], json.loads(sys.argv[2]), Path(sys.argv[3])
    channel = _open_channel(folder)
    try:
        factory = load_attribute(reference)
        for module in (*getattr(factory, "runtime", ()), *modules):
            import_module(module)
    except BaseException as error:
        channel.tell(error=_describe_error(error))
        return
    forks = can_fork()
    limits = can_limit_memory()
    channel.tell(forks=forks, limits=limits)
    adopt_orphans()
    gc.collect()
    gc.freeze()
    process: JobProcess | None = None
    while line := channel.incoming.readline():
        request = JobRequest(**json.loads(line))
        request = replace(request, shares=request.shares and getattr(factory, "shares", False))
        if not forks:
            set_alarm(int(request.seconds * ((request.invocations or 0) + 1)) + 60)
            code = _work(factory, folder, request, lambda: channel.tell(begun=1))
            kill_descendants()
            os._exit(code)
        if process is not None and not process.accepts(request):
            process.end()
            process = None
        process = process or JobProcess(channel, partial(_work, factory, folder), samples=not limits)
        channel.tell(**process.run(request))
    if process is not None:
        process.end()
    shutil.rmtree(folder, ignore_errors=True)
    if getattr(factory, "shares", False):
        os._exit(0)  # the parent waits, and unloading such a runtime takes longer than a job of a small model


def load_attribute(reference: str) -> Any:
    """Return the object ``module:attribute``, in the syntax of entry points. importlib.metadata would load slowly."""
    module, _, attribute = reference.partition("[")[0].partition(":")
    return attrgetter(attribute.strip())(import_module(module.strip()))


def _open_channel(folder: Path) -> Channel:
    """Return a channel on copies of stdin and stdout. Output of the runtime goes to the log after that."""
    channel = Channel(os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb"))
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    _redirect(folder)
    # The last output before a crash must not stay in a buffer.
    with suppress(ValueError, OSError, AttributeError, TypeError):
        libc = ctypes.CDLL(None)
        libc.setvbuf(ctypes.c_void_p.in_dll(libc, "stdout"), None, 1, 0)
    return channel


def _redirect(folder: Path) -> None:
    with open(folder / LOG, "wb") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)


def _work(factory: Factory, folder: Path, request: JobRequest, begin: Callable[[], object]) -> int:
    """Run the job and return the exit status of its process; ``begin`` is called before each invocation.

    The answer is written before the adapter is destroyed, because memory corruption may crash the destruction.
    """
    code = 1
    try:
        _redirect(folder)
        (folder / SCRATCH).mkdir(exist_ok=True)
        tempfile.tempdir = str(folder / SCRATCH)
        limit_memory(request.memory)
        begin_invocation = None if request.invocations is None else begin
        header, arrays, adapter = _make_answer(factory, request.options, folder, begin_invocation)
        write_message(folder / ANSWER, header, arrays)
        del adapter, arrays
        gc.collect()
        sys.stdout.flush()
        sys.stderr.flush()
        code = 0
    except BaseException as error:  # the answer could not be written
        print(_describe_error(error), file=sys.stderr, flush=True)
    finally:
        with suppress(OSError, AttributeError, TypeError):
            ctypes.CDLL(None).fflush(None)
    return code


def _make_answer(
    factory: Factory, options: dict[str, str], folder: Path, begin: Callable[[], object] | None
) -> tuple[dict[str, Any], list[Any], Adapter | None]:
    """Return header and arrays of an answer, and the adapter, so that it exists until they are written.

    Without ``begin`` only the adapter is created.
    """
    adapter = None
    try:
        _check_options(factory, options)
        adapter = factory(options)
        answer = AdapterAnswer(())
        if begin is not None:
            answer = _run_adapter(adapter, folder, begin)
        facts, arrays = pack_runs(stack_inferences([tuple(map(np.asarray, run)) for run in answer.runs]))
        delegated = None if answer.delegated is None else [bool(d) for d in answer.delegated]
        facts |= {"delegated": delegated, "message": answer.message}
        facts |= {"memory": memory_of(adapter).value} if begin is None else {}
        return facts, arrays, adapter
    except BaseException as error:  # an adapter may raise anything, sys.exit included
        return {"error": _describe_error(error), "outcome": _outcome(error).value}, [], adapter


def _check_options(factory: Factory, options: dict[str, str]) -> None:
    """Raise ValueError for an option that is not in the class attribute ``options`` of an adapter, if it has one."""
    declared: tuple[str, ...] | None = getattr(factory, "options", None)
    for key in options:
        if key and declared is not None and key not in declared:
            raise ValueError(f"unknown option {key!r}{suggestion(key, declared)}")


def _run_adapter(adapter: Any, folder: Path, begin: Callable[[], object]) -> AdapterAnswer:
    """Run the job in the folder: its series if it has any, else its runs."""
    header, (model, *arrays) = read_message(folder / JOB)
    series = unpack_series(header, arrays)
    made: AdapterAnswer
    if series is None:
        made = adapter.run(model.tobytes(), TimedRuns(unpack_runs(header, arrays)[0], begin))
    else:
        made = adapter.series(model.tobytes(), [Series(TimedRuns(s.runs, begin), s.start) for s in series])
    return made


def _outcome(error: BaseException) -> Outcome:
    if isinstance(error, TooLargeError):
        return Outcome.WRONG_SHAPE
    if isinstance(error, NotDelegated):
        return Outcome.NOT_DELEGATED
    if isinstance(error, NotSupported):
        return Outcome.NOT_SUPPORTED
    return Outcome.OUT_OF_MEMORY if isinstance(error, MemoryError) else Outcome.REFUSED


def _describe_error(error: BaseException) -> str:
    text = " ".join(str(error).split())
    plain = isinstance(error, (RuntimeError, ValueError, NotDelegated, NotSupported))
    return text if text and plain else f"{type(error).__name__}: {text}"

"""A conversion in its own process, from the parent's side: started, measured, and stopped at the time limit."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.other_converters import converter_program
from litecheck.processes.child import ChildProcess, exit_name
from litecheck.processes.memory import MemoryWatch
from litecheck.processes.posix import KILLED
from litecheck.processes.python import python_command

#: Maximum characters of the process's last output that are kept.
_SAID = 4000
_MEMORY = (
    "MemoryError", "bad_alloc", "annot allocate memory", "ut of memory", "Resource temporarily unavailable",
)  # fmt: skip

#: Calibration samples by the input's name in the model's signature.
NamedSamples = Sequence[Mapping[str, NDArray[Any]]]


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """Limits of a conversion: seconds, and bytes of address space beyond those of its imports."""

    seconds: float = 1800.0
    memory: int = 16 << 30


@dataclass(frozen=True, slots=True)
class ConverterResult:
    """A model of a converter, the seconds of its whole process, and the peak memory in bytes of all its processes."""

    model: bytes
    seconds: float
    peak_memory: int


class ForeignError(Exception):
    """A conversion that failed.

    ``kind`` is the exception's class in the child, ``missing module``, ``late``, ``memory``, or how the process ended
    (``SIGSEGV``). ``said`` is its last output.
    """

    def __init__(self, kind: str, message: str, said: str) -> None:
        super().__init__(message or kind)
        self.kind, self.message, self.said = kind, message, said


def run_converter(
    reference: str, request: Mapping[str, Any], limits: ProcessLimits, samples: NamedSamples = ()
) -> ConverterResult:
    """Run ``module:function`` on a request (plain data) and samples, and return its model. Raises ForeignError, OSError."""
    with tempfile.TemporaryDirectory(prefix="litecheck-") as name:
        folder = Path(name)
        (folder / converter_program.REQUEST).write_text(json.dumps({**request, **asdict(limits)}), "utf-8")
        if samples:
            stacked: Mapping[str, Any] = _stack_samples(samples)
            np.savez(folder / converter_program.SAMPLES, **stacked)
        begun = time.monotonic()
        code, late, memory = _run_program(reference, folder, limits.seconds)
        seconds = time.monotonic() - begun
        facts: dict[str, Any] = {}
        with suppress(OSError, ValueError):
            facts = json.loads((folder / converter_program.END).read_text("utf-8"))
        model = folder / converter_program.MODEL
        if code == 0 and not facts.get("error") and os.path.exists(model):
            return ConverterResult(model.read_bytes(), seconds, max(memory, int(facts.get("peak", 0))))
        raise _failure(code, late, limits.seconds, facts, _log_end(folder))


def _stack_samples(samples: NamedSamples) -> dict[str, NDArray[Any]]:
    return {name: np.stack([sample[name] for sample in samples]) for name in samples[0]}


def _run_program(reference: str, folder: Path, seconds: float) -> tuple[int, bool, int]:
    """Return the exit status (negative for a signal), True if the time limit was exceeded, and the peak memory."""
    command = python_command(
        "litecheck.conversion.other_converters.converter_program:main", reference, str(folder)
    )
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "2", "CUDA_VISIBLE_DEVICES": "-1", "PYTHONIOENCODING": "utf-8"}
    with (
        open(folder / converter_program.LOG, "wb") as log,
        ChildProcess(command, stdout=log, stderr=log, environment=quiet) as child,
        # wait(timeout) polls every 50 ms, which would add to the measured time.
        child.time_limit(seconds) as limit,
        MemoryWatch(child.process.pid) as memory,
    ):
        code = child.process.wait()
    return code, limit.exceeded, memory.most


def _log_end(folder: Path) -> str:
    with suppress(OSError):
        return (folder / converter_program.LOG).read_text("utf-8", "replace")[-_SAID:].strip()
    return ""


def _failure(code: int, late: bool, seconds: float, facts: Mapping[str, Any], said: str) -> ForeignError:
    """Return the error for a missing model."""
    message = str(facts.get("message", ""))
    kind = str(facts.get("error", "")) or exit_name(code)
    if late:
        return ForeignError("late", f"no end after {seconds:g} s", said)
    if code == KILLED or any(word in f"{kind} {message} {said}" for word in _MEMORY):
        return ForeignError("memory", message, said)
    return ForeignError(kind, message, said)

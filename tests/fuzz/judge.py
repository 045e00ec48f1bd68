"""The reader's contract for a single file: accepted or rejected with a place, within a second, in limited memory."""

from __future__ import annotations

import json
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from litecheck.checks.validate import validate_file
from litecheck.processes.memory import peak_memory
from litecheck.rendering.formats import formats, render
from litecheck.report import ModelReport, Report

#: Limit of processor time for a single file, in seconds; waiting for a busy machine does not count.
SECONDS = 1.0
#: Limit of the peak memory of the process, in bytes.
MEMORY = 256 << 20

Judge = Callable[[Path], tuple[ModelReport, ...]]


class Hang(BaseException):
    """Timeout. Not an Exception, so that no handler catches it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a single file: ``verdict`` is accepted, rejected, or the violation of the contract."""

    verdict: str
    detail: str = ""
    codes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def violates(self) -> bool:
        return self.verdict not in ("accepted", "rejected")


VERDICTS = ("accepted", "rejected", "exception", "hang", "memory", "no place", "died")


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise Hang after this processor time within the block."""

    def up(number: int, frame: FrameType | None) -> None:
        raise Hang

    before = signal.signal(signal.SIGPROF, up)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def peak() -> int:
    """Return the peak memory of this process, in bytes."""
    return peak_memory()


def examine(path: Path, judge: Judge = validate_file, formats: tuple[str, ...] = ("json",)) -> Outcome:
    """Validate a file and render the report; warnings count as exceptions."""
    begin = time.process_time()
    try:
        with alarm(SECONDS), warnings.catch_warnings():
            warnings.simplefilter("error")
            reports = judge(path)
            texts = [render(Report("0", tuple(reports)), name) for name in formats]
            document = json.loads(texts[0])
    except Hang:
        return Outcome("hang", f"more than {SECONDS} s")
    except MemoryError:
        return Outcome("memory", "MemoryError")
    except Exception as error:
        return Outcome("exception", _where(error))
    seconds = time.process_time() - begin
    if peak() > MEMORY:
        return Outcome("memory", f"{peak() >> 20} MB", seconds=seconds)
    return _judged(path, reports, document, seconds)


def _judged(path: Path, reports: tuple[ModelReport, ...], document: Any, seconds: float) -> Outcome:
    problems = [p for report in reports for p in report.problems]
    size = path.stat().st_size
    for p in problems:
        placed = p.path or p.offset is not None
        if not p.code or not placed or not (p.offset is None or 0 <= p.offset <= size):
            return Outcome("no place", repr(p), seconds=seconds)
    if not reports or len(document["models"]) != len(reports):
        return Outcome("no place", "no report", seconds=seconds)
    codes = tuple(sorted({p.code for p in problems}))
    return Outcome("rejected" if problems else "accepted", "", codes, seconds)


def _where(error: Exception) -> str:
    """Return the exception and the line of litecheck that raised it."""
    step, place = error.__traceback__, ""
    while step is not None:
        file = Path(step.tb_frame.f_code.co_filename)
        if "litecheck" in file.parts:
            place = f"{file.name}:{step.tb_lineno}"
        step = step.tb_next
    return f"{type(error).__name__} at {place}: {error}"[:300]


#: Node data of Model Explorer describe one model; a bundle has several.
ALL_FORMATS = ("json", *(name for name in formats("validate") if name not in ("json", "model-explorer")))

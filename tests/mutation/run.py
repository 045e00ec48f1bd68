"""The tests of one mutant, in a forked child with a limit of time and memory."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil
import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.mutation import overlay
from tests.mutation.sites import Mutant
from tests.mutation.targets import ROOT, find_folder, find_tests

Status = Literal["killed", "survived", "unclear"]
#: Seconds that the tests of a mutant may take.
LIMIT = 120.0
#: Address space of a child: an endless list must not fill the machine.
MEMORY = 6 << 30
_NO_TESTS = 5

# A failure need not be made small, and nothing is remembered for the next mutant.
settings.register_profile(
    "mutation",
    deadline=None,
    database=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The outcome of one mutant; ``reason`` is the first failing test, ``time limit`` or empty."""

    mutant: Mutant
    status: Status
    reason: str
    seconds: float
    mirrored: bool
    in_folder: bool = False
    """True if only another file of the mirrored folder kills the mutant."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """Exit code of pytest, -1 beyond the time limit; the first failing test."""

    code: int
    failed: str


class _FirstFailure:
    """A pytest plugin that writes the first failing test, or file that cannot be imported, to a file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.failed and not self._file.exists():
            self._file.write_text(report.nodeid, "utf-8")


class Judge:
    """Runs the tests of mutants and remembers which tests pass without a mutant."""

    def __init__(
        self, limit: float = LIMIT, root: Path = ROOT, quick: bool = False, folder: bool = False
    ) -> None:
        self._limit, self._root = limit, root
        self._quick, self._folder = quick, folder
        self._passing: dict[tuple[str, ...], bool] = {}

    def judge(self, mutant: Mutant) -> Judgement:
        """Run the tests of the mutant's module; a failing test is run again without the mutant."""
        tests, start = find_tests(mutant.module, self._root), time.monotonic()
        fast: tuple[str, ...] = ("-m", "not slow") if self._quick or not tests.mirrored else ()
        files, in_folder = tests.files, False
        ended = self._run((*fast, *files), mutant)
        if self._folder and ended.code in (0, _NO_TESTS):
            fast, files, in_folder = ("-m", "not slow"), (find_folder(mutant.module, self._root),), True
            ended = self._run((*fast, *files), mutant)
        if ended.code in (0, _NO_TESTS):
            status: Status = "survived"
        else:
            # The whole function: values of the changed module may be part of the name in brackets.
            again = (ended.failed.partition("[")[0],) if ended.failed else (*fast, *files)
            status = "killed" if self._passes(again) else "unclear"
        reason = "time limit" if ended.code == -1 else ended.failed
        if status != "survived" and not reason:
            reason = f"exit code {ended.code}"
        killed_there = in_folder and status == "killed"
        return Judgement(mutant, status, reason, time.monotonic() - start, tests.mirrored, killed_there)

    def _passes(self, tests: tuple[str, ...]) -> bool:
        if tests not in self._passing:
            self._passing[tests] = self._run(tests, None).code in (0, _NO_TESTS)
        return self._passing[tests]

    def _run(self, arguments: Sequence[str], mutant: Mutant | None) -> _Ended:
        folder = Path(tempfile.mkdtemp(prefix="mutant-"))
        try:
            if mutant is not None:
                source = (self._root / mutant.module).read_text("utf-8")
                (folder / "mutant.py").write_text(mutant.apply(source), "utf-8")
            pid = os.fork()
            if pid == 0:
                _run_in_child(arguments, mutant, folder, self._root)
            code = _wait(pid, self._limit)
            failed = folder / "failed"
            return _Ended(code, failed.read_text("utf-8") if failed.exists() else "")
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _run_in_child(arguments: Sequence[str], mutant: Mutant | None, folder: Path, root: Path) -> None:
    """Run pytest and end the process with its exit code."""
    code = 3
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.chdir(root)
        if mutant is not None:
            name = mutant.module.removesuffix(".py").replace("/", ".")
            overlay.install(name, root / mutant.module, folder / "mutant.py")
        options: tuple[str, ...] = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist")
        options += (f"--basetemp={folder / 'tmp'}", "--hypothesis-profile=mutation", f"--rootdir={root}")
        code = pytest.main([*options, *arguments], plugins=[_FirstFailure(folder / "failed")])
    finally:
        os._exit(code)


def _wait(pid: int, limit: float) -> int:
    """Return the exit code of a child, -1 beyond the limit; processes that it left are ended too."""
    end = time.monotonic() + limit
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > end:
            _end_tree(pid)
            os.waitpid(pid, 0)
            return -1
        time.sleep(0.02)
    _end_group(pid)  # before the child is reaped: its number cannot belong to another group yet
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code if code >= 0 else 128 - code


def _end_tree(pid: int) -> None:
    for process in psutil.Process(pid).children(recursive=True):
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    _end_group(pid)
    os.kill(pid, signal.SIGKILL)


def _end_group(pid: int) -> None:
    if os.getpgid(pid) == pid:
        os.killpg(pid, signal.SIGKILL)


def warm_up() -> None:
    """Import the packages that every test needs, before children are forked. Of litecheck nothing may be imported."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    for name in ("numpy", "yaml", "flatbuffers", "typer", "rich.console", "rich.table"):
        __import__(name)
    assert not any(name == "litecheck" or name.startswith("litecheck.") for name in sys.modules)

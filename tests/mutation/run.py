"""The tests of a single mutant, in a forked child with a limit of time and memory."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil
import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.mutation import overlay
from tests.mutation.reach import Reach
from tests.mutation.sites import Mutant
from tests.mutation.targets import ROOT, find_package_tests, find_tests

Status = Literal["killed", "survived", "unclear"]
Stage = Literal["file", "package"]
#: Seconds that the tests of a mutant may take.
LIMIT = 120.0
#: Address space of a child: an endless list must not fill the machine.
MEMORY = 6 << 30
_NO_TESTS, _TIMEOUT = 5, -1

# A failure need not be minimized, and no example is stored for the next mutant.
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
    """The outcome of a single mutant; ``reason`` is the first failing test, ``time limit`` or empty."""

    mutant: Mutant
    status: Status
    reason: str
    seconds: float
    mirrored: bool
    stage: Stage = "file"
    """The last tests that ran: those of the mirrored file, or also those of the mirrored package."""


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
    """Runner of the tests of mutants. It remembers the tests that pass without a mutant."""

    def __init__(
        self, limit: float = LIMIT, root: Path = ROOT, quick: bool = False, reach: Reach | None = None
    ) -> None:
        self._limit, self._root, self._quick, self._reach = limit, root, quick, reach
        self._passing: dict[tuple[str, ...], bool] = {}

    def judge(self, mutant: Mutant) -> Judgement:
        """Run the tests of the mutant's module, then those of the mirrored package if ``reach`` is known."""
        tests, start = find_tests(mutant.module, self._root), time.monotonic()
        fast = self._quick or not tests.mirrored
        status, reason = self._outcome(fast, tests.files, mutant)
        stage: Stage = "file"
        if status == "survived" and self._reach is not None:
            done = tests.files if tests.mirrored else ()
            files = self._reach.select(mutant, find_package_tests(mutant.module, self._root), done)
            if files:
                status, reason = self._outcome(True, files, mutant)
            if reason == "time limit":  # the tests of a package may take as long without the mutant
                status = "survived"
            stage = "package"
        return Judgement(mutant, status, reason, time.monotonic() - start, tests.mirrored, stage)

    def _outcome(self, fast: bool, files: tuple[str, ...], mutant: Mutant) -> tuple[Status, str]:
        """Return the status and its reason; a failing test is run again without the mutant."""
        tests = (*(("-m", "not slow") if fast else ()), *files)
        ended = self._run(tests, mutant, self._limit)
        if ended.code in (0, _NO_TESTS):
            return "survived", ""
        # The function without the brackets of its parameters: values of the changed module may be part of the brackets.
        again = (ended.failed.partition("[")[0],) if ended.failed else tests
        reason = "time limit" if ended.code == _TIMEOUT else ended.failed or f"exit code {ended.code}"
        return "killed" if self._passes(again) else "unclear", reason

    def _passes(self, tests: tuple[str, ...]) -> bool:
        if tests not in self._passing:
            self._passing[tests] = self._run(tests, None, self._limit / 2).code in (0, _NO_TESTS)
        return self._passing[tests]

    def _run(self, arguments: Sequence[str], mutant: Mutant | None, limit: float) -> _Ended:
        folder = Path(tempfile.mkdtemp(prefix="mutant-"))
        try:
            if mutant is not None:
                source = (self._root / mutant.module).read_text("utf-8")
                (folder / "mutant.py").write_text(mutant.apply(source), "utf-8")
            pid = os.fork()
            if pid == 0:
                run_in_child(lambda: self._prepare(mutant, folder), arguments, folder, self._root)
            code = wait_for(pid, limit)
            failed = folder / "failed"
            return _Ended(code, failed.read_text("utf-8") if failed.exists() else "")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _prepare(self, mutant: Mutant | None, folder: Path) -> None:
        if mutant is not None:
            name = mutant.module.removesuffix(".py").replace("/", ".")
            overlay.install(name, self._root / mutant.module, folder / "mutant.py")


def run_in_child(
    prepare: Callable[[], None], arguments: Sequence[str], folder: Path, root: Path = ROOT
) -> None:
    """Run pytest in this process and end it with pytest's exit code; ``folder`` holds its files and ``failed``."""
    code = 3
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.chdir(root)
        prepare()
        options: tuple[str, ...] = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist")
        options += (f"--basetemp={folder / 'tmp'}", "--hypothesis-profile=mutation", f"--rootdir={root}")
        code = pytest.main([*options, *arguments], plugins=[_FirstFailure(folder / "failed")])
    finally:
        os._exit(code)


def wait_for(pid: int, limit: float) -> int:
    """Return the exit code of a child, -1 beyond the limit; processes that it left are ended too."""
    end = time.monotonic() + limit
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > end:
            _end_tree(pid)
            os.waitpid(pid, 0)
            return _TIMEOUT
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


def warm_up(root: Path = ROOT) -> None:
    """Import the packages that every test needs, before children are forked. No module of litecheck may be imported.

    Compiled code is kept in ``build/bytecode``, even if the environment forbids Python to write bytecode.
    """
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(root / "build" / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    for name in ("numpy", "yaml", "flatbuffers", "typer", "rich.console", "rich.table"):
        __import__(name)
    assert not any(name == "litecheck" or name.startswith("litecheck.") for name in sys.modules)

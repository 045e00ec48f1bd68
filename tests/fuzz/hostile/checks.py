"""The promises of litecheck about hostile input, each as a check of one run."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tests.fuzz.hostile.case import Case, Ending, Fault
from tests.fuzz.hostile.printed import raw
from tests.fuzz.hostile.sandbox import SECRET, Sandbox, State
from tests.fuzz.hostile.written import json_faults, report_faults

#: Exit codes that the help and the docs state, and those of a full disk, an interrupt and a closed pipe.
CODES = (0, 1, 2, 64, 74, 130, 141)
#: Bytes of a written file that is read.
_LIMIT = 50 << 20
_TRACE = re.compile(r"Traceback \(most recent call last\)|mistake in litecheck|^Exception ignored", re.MULTILINE)
_MEMORY = re.compile(r"^error: out of memory|MemoryError|Unable to allocate|there is no memory for it", re.MULTILINE)
#: The cache folder belongs to litecheck.
_CACHE = "cache/litecheck"


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a case: its sandbox before and after, and its ending."""

    case: Case
    box: Sandbox
    before: Mapping[str, State]
    after: Mapping[str, State]
    ending: Ending


def check_limits(run: Run) -> Iterator[str]:
    """The command ends by itself within the limits of time and memory, and does not try to allocate more."""
    if run.ending.ended:
        yield run.ending.ended
    found = _MEMORY.search(run.ending.stderr.decode("utf-8", "replace"))
    if found:
        yield f"memory was allocated without a limit: {_line_of(run.ending.stderr, found.group())}"


def check_exit_code(run: Run) -> Iterator[str]:
    """The exit code is documented, and no signal ended the process."""
    if not run.ending.ended and run.ending.code not in CODES:
        yield f"exit code {run.ending.code}"


def check_traceback(run: Run) -> Iterator[str]:
    """No traceback and no unexpected exception reaches the user."""
    for name, content in (("stdout", run.ending.stdout), ("stderr", run.ending.stderr)):
        text = content.decode("utf-8", "replace")
        if _TRACE.search(text):
            lines = [line for line in text.splitlines() if line.strip() and "mistake in litecheck" not in line]
            places = [line.strip() for line in lines if "/litecheck/" in line]
            yield f"{name}: {lines[-1][:200] if lines else ''} ({places[-1][-120:] if places else '?'})"


def check_printed(run: Run) -> Iterator[str]:
    """stdout and stderr hold no raw control characters and no line that a CI system executes."""
    colors = "FORCE_COLOR" in run.case.environment
    for name, content in (("stdout", run.ending.stdout), ("stderr", run.ending.stderr)):
        annotations = name == "stdout" and "github" in run.case.argv
        yield from (f"{name}: {fault}" for fault in raw(content, annotations=annotations, colors=colors))


def check_json(run: Run) -> Iterator[str]:
    """A JSON report on stdout is JSON."""
    formats = [run.case.argv[n + 1] for n, word in enumerate(run.case.argv[:-1]) if word == "-f"]
    streamed = [name for name in formats if ":" not in name]
    if streamed == ["json"] and run.ending.stdout.startswith(b"{") and not run.ending.ended:
        yield from json_faults(run.ending.stdout)


def check_reports(run: Run) -> Iterator[str]:
    """Files that the command was told to write hold only content that their format allows."""
    for path, state in run.after.items():
        regular = stat.S_ISREG(state[2]) and state[0] <= _LIMIT
        if regular and run.before.get(path) != state and _is_inside(path, _requested(run.case)):
            yield from (f"{path}: {fault}" for fault in report_faults(path, (run.box.root / path).read_bytes()))


def check_folders(run: Run) -> Iterator[str]:
    """No file outside the requested outputs is written, changed or removed."""
    requested = _requested(run.case)
    for path in sorted(run.before.keys() | run.after.keys()):
        if run.before.get(path) == run.after.get(path) or path.startswith("canary/"):
            continue
        parent = any(one.startswith(f"{path}/") for one in requested)
        if parent or _is_inside(path, (*requested, _CACHE)):
            continue
        change = "written" if path not in run.before else "changed" if path in run.after else "removed"
        yield f"{change}: {path!r}"


def check_rights(run: Run) -> Iterator[str]:
    """Files in the cache folder can be read by the user alone."""
    for path, state in run.after.items():
        if path.startswith(f"{_CACHE}/") and stat.S_ISREG(state[2]) and state[2] & 0o077:
            yield f"{path} has mode {stat.S_IMODE(state[2]):o}"


def check_foreign_code(run: Run) -> Iterator[str]:
    """No code runs that came with an input."""
    for path in sorted(run.after):
        if path.startswith("canary/"):
            yield f"{path.removeprefix('canary/')} ran"


def check_disclosure(run: Run) -> Iterator[str]:
    """No message quotes a file that is not an input of the command."""
    if SECRET.encode() in run.ending.stdout + run.ending.stderr:
        yield "a message holds the content of another file"


def check_processes(run: Run) -> Iterator[str]:
    """No process goes on after the command has ended."""
    yield from (f"still runs: {one[:150]}" for one in run.ending.leftovers)


CHECKS: dict[str, Callable[[Run], Iterator[str]]] = {
    "limits": check_limits, "exit code": check_exit_code, "traceback": check_traceback, "printed": check_printed,
    "json": check_json, "reports": check_reports, "folders": check_folders, "rights": check_rights,
    "foreign code": check_foreign_code, "disclosure": check_disclosure, "processes": check_processes,
}  # fmt: skip


def faults(run: Run) -> tuple[Fault, ...]:
    """Return the faults of a run, those of each check in the order of CHECKS."""
    return tuple(Fault(name, evidence) for name, check in CHECKS.items() for evidence in check(run))


def _requested(case: Case) -> tuple[str, ...]:
    return tuple(os.path.normpath(f"above/work/{path}") for path in case.writes)


def _is_inside(path: str, places: tuple[str, ...]) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in places)


def _line_of(content: bytes, text: str) -> str:
    return next(line for line in content.decode("utf-8", "replace").splitlines() if text in line)[:200]

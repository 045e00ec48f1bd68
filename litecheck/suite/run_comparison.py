"""Two judged runs of a suite, of two devices or two versions of one: what became worse, better, or different."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from litecheck.documents import decode_json
from litecheck.errors import ConfigError
from litecheck.files import read_file
from litecheck.suite.manifest import Suite
from litecheck.suite.results import SuiteResults, read_results
from litecheck.suite.verdict import NOT_CLAIMED, CaseVerdict, SuiteReport
from litecheck.typed_json import decoded
from litecheck.version import __version__

#: The key that a report of ``suite judge`` in JSON begins with, and the version of it that is read.
_REPORT, _VERSION = "litecheck_suite_report", 1


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """One side: where it was read, which device it was, the SHA-256 of the suite, and every verdict."""

    file: str
    device: str
    suite: str
    cases: tuple[CaseVerdict, ...]


@dataclass(frozen=True, slots=True)
class RunSide:
    """How a case ended on one side. ``excuse`` is ``waived`` or ``not claimed`` where it fails nothing for that."""

    ending: str
    excuse: str
    worst: float
    unit: str
    arithmetic: str
    message: str


@dataclass(frozen=True, slots=True)
class CaseChange:
    """A case that is on both sides and ended otherwise."""

    name: str
    opcode: str
    kind: str
    before: RunSide
    after: RunSide


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs, the first of which came before. ``same`` counts the cases that ended alike, by as much."""

    version: str
    before: str
    after: str
    devices: tuple[str, str]
    suites: tuple[str, str]
    same: int
    regressions: tuple[CaseChange, ...]
    fixed: tuple[CaseChange, ...]
    changed: tuple[CaseChange, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """1 where something became worse, 2 where no case is on both sides."""
        both = self.same + len(self.regressions) + len(self.fixed) + len(self.changed)
        return 1 if self.regressions else 0 if both else 2


def read_run(
    path: str | Path, judged: Callable[[SuiteResults], SuiteReport] | None, suite: Suite | None
) -> JudgedRun:
    """A report of ``suite judge`` in JSON, or a folder of results, which is judged then: for that the suite is needed.

    Raises ConfigError for what is neither.
    """
    if Path(path).is_dir():
        if suite is None or judged is None:
            raise ConfigError(f"{path}: to judge a folder of results, its suite is needed: --suite DIR")
        report = judged(read_results(path, suite))
        return JudgedRun(str(path), report.described or report.device, report.suite, report.cases)
    document = decode_json(read_file(path), str(path))
    if not isinstance(document, Mapping) or document.get(_REPORT) != _VERSION:
        raise ConfigError(f"{path}: no report that `litecheck suite judge -f json` wrote")
    try:
        return _of_report(str(path), document)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


@dataclass(frozen=True, slots=True)
class _ReportedRun:
    """What is read of a report."""

    device: str
    described: str
    suite: str
    cases: tuple[CaseVerdict, ...]


def _of_report(file: str, document: Mapping[str, object]) -> JudgedRun:
    found: _ReportedRun = decoded(document, _ReportedRun, "report")
    return JudgedRun(file, found.described or found.device, found.suite, found.cases)


def compare_runs(before: JudgedRun, after: JudgedRun) -> RunComparison:
    """What became of each case between two runs, in the order of the second."""
    known = {case.name: case for case in before.cases}
    both = [(known[case.name], case) for case in after.cases if case.name in known]
    worse, better, other = list[CaseChange](), list[CaseChange](), list[CaseChange]()
    for old, new in both:
        if _differ(old, new):
            step, good = _grade(new) - _grade(old), _grade(new) == _GOOD
            (worse if step < 0 else better if step and good else other).append(_change(old, new))
    named = {case.name for case in after.cases}
    return RunComparison(
        version=__version__,
        before=before.file,
        after=after.file,
        devices=(before.device, after.device),
        suites=(before.suite, after.suite),
        same=len(both) - len(worse) - len(better) - len(other),
        regressions=tuple(worse),
        fixed=tuple(better),
        changed=tuple(other),
        only_before=tuple(case.name for case in before.cases if case.name not in named),
        only_after=tuple(case.name for case in after.cases if case.name not in known),
    )


_FAILS, _TOLD, _GOOD = range(3)


def _grade(case: CaseVerdict) -> int:
    """Whether a case fails, is told and fails nothing (skipped, waived, accepted), or is as it should be."""
    if case.ending.good:
        return _GOOD
    return _FAILS if case.fails else _TOLD


def _side(case: CaseVerdict) -> RunSide:
    excuse = "waived" if case.waiver else NOT_CLAIMED if case.standing == NOT_CLAIMED else ""
    excused = excuse if not case.ending.good else ""
    return RunSide(case.ending.value, excused, case.worst, case.unit, case.arithmetic, case.message)


def _differ(old: CaseVerdict, new: CaseVerdict) -> bool:
    """Whether a case ended otherwise, or is off by another amount; messages and seconds differ from run to run."""
    ours, theirs = ((one.ending, one.fails, one.worst, one.mismatches, one.arithmetic) for one in (old, new))
    return ours != theirs


def _change(old: CaseVerdict, new: CaseVerdict) -> CaseChange:
    return CaseChange(new.name, new.opcode, new.kind, _side(old), _side(new))

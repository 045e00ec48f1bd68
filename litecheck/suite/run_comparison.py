"""Comparison of two judged runs of a suite (two devices, or two versions): regressions, fixes and changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from litecheck.documents import decode_json
from litecheck.errors import ConfigError
from litecheck.files import read_file
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.manifest import Suite
from litecheck.suite.results import SuiteResults, read_results
from litecheck.suite.verdict import NOT_CLAIMED, CaseVerdict, SuiteReport
from litecheck.typed_json import decode
from litecheck.version import __version__

#: First key of a JSON report of ``suite judge``, and its supported version.
_REPORT, _VERSION = "litecheck_suite_report", 1


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A side: file, device, SHA-256 of the suite, and all verdicts."""

    file: str
    device: str
    suite: str
    cases: tuple[CaseVerdict, ...]


@dataclass(frozen=True, slots=True)
class RunSide:
    """The ending of a case on a side. ``excuse`` is ``waived`` or ``not claimed`` for a case that therefore does not
    fail."""

    ending: str
    excuse: str
    worst: float
    unit: str
    arithmetic: str
    message: str


@dataclass(frozen=True, slots=True)
class CaseChange:
    """A case that both sides have, with different endings or differences."""

    name: str
    opcode: str
    kind: str
    before: RunSide
    after: RunSide


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs, the earlier first. ``same`` counts the cases with equal endings and equal differences, ``unrun`` the
    cases with missing results on both sides, and the invalid models that a side did not test."""

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
    unrun: int = 0

    @property
    def exit_code(self) -> int:
        """Exit code: 1 if a case became worse, 2 if no case ran on both sides, else 0."""
        both = self.same + len(self.regressions) + len(self.fixed) + len(self.changed)
        return 1 if self.regressions else 0 if both else 2


def read_run(
    path: str | Path, judged: Callable[[SuiteResults], SuiteReport] | None, suite: Suite | None
) -> JudgedRun:
    """Read a JSON report of ``suite judge``, or judge a folder of results, which needs the suite.

    Raise ConfigError for a file that is no such report.
    """
    if os.path.isdir(path):
        if suite is None or judged is None:
            raise ConfigError(
                f"{path}: is a folder of results, which only their suite can judge. Add --suite DIR"
            )
        report = judged(read_results(path, suite))
        return JudgedRun(str(path), report.described or report.device, report.suite, report.cases)
    document = decode_json(read_file(path), str(path))
    if not isinstance(document, Mapping) or document.get(_REPORT) != _VERSION:
        raise ConfigError(f"{path}: no report that `litecheck suite judge -f json` wrote")
    try:
        return _read_report(str(path), document)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


@dataclass(frozen=True, slots=True)
class _ReportedRun:
    """The part of a report that is read."""

    device: str
    described: str
    suite: str
    cases: tuple[CaseVerdict, ...]


def _read_report(file: str, document: Mapping[str, object]) -> JudgedRun:
    found: _ReportedRun = decode(document, _ReportedRun, "report")
    return JudgedRun(file, found.described or found.device, found.suite, found.cases)


def compare_runs(before: JudgedRun, after: JudgedRun) -> RunComparison:
    """Compare each case of two runs, in the order of the second."""
    known = {case.name: case for case in before.cases}
    pairs = [(known[case.name], case) for case in after.cases if case.name in known]
    both = [pair for pair in pairs if not _unrun(*pair)]
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
        unrun=len(pairs) - len(both),
    )


_FAILS, _TOLD, _GOOD = range(3)
#: Endings of an invalid model that was not computed.
_UNCOMPUTED = (CaseOutcome.REJECTED, CaseOutcome.BROKE_DOWN)


def _unrun(old: CaseVerdict, new: CaseVerdict) -> bool:
    """Return True if both sides lack a result, or if a side did not test an invalid model."""
    ends = {old.ending, new.ending}
    return ends == {CaseOutcome.MISSING} or CaseOutcome.NOT_TESTED in ends


def _grade(case: CaseVerdict) -> int:
    """Grade a case: it fails, does not fail without being good (missing, waived, wrongly accepted), or is good."""
    if case.ending.good:
        return _GOOD
    return _FAILS if case.fails else _TOLD


def _side(case: CaseVerdict) -> RunSide:
    excuse = "waived" if case.waiver else NOT_CLAIMED if case.standing == NOT_CLAIMED else ""
    excused = excuse if not case.ending.good else ""
    return RunSide(case.ending.value, excused, case.worst, case.unit, case.arithmetic, case.message)


def _differ(old: CaseVerdict, new: CaseVerdict) -> bool:
    """Return True if a case has another ending, difference or arithmetic; messages and seconds are ignored.

    An invalid model can be read out of bounds, so that chance decides between an error and a crash: both are one
    ending. The outputs under an excuse, such as memory that was never written, are not compared.
    """
    if old.broken and new.broken:
        return (old.ending in _UNCOMPUTED) != (new.ending in _UNCOMPUTED)
    if old.excuse and old.excuse == new.excuse:
        return old.ending is not new.ending
    ours, theirs = ((one.ending, one.fails, one.worst, one.mismatches, one.arithmetic) for one in (old, new))
    return ours != theirs


def _change(old: CaseVerdict, new: CaseVerdict) -> CaseChange:
    return CaseChange(new.name, new.opcode, new.kind, _side(old), _side(new))

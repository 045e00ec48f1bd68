"""Verdicts on a device's run of a suite: a verdict for each case, and a row per operator, type and granularity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from litecheck.comparison.admitted_arithmetics import PublishedAgreement, agreement
from litecheck.comparison.types import MismatchCluster, MismatchExample
from litecheck.comparison.vector_tails import SharedTail
from litecheck.diagnosis.result import SharedTraits
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.claims import ClaimsRecord, Shortfall
from litecheck.suite.geometry_gaps import GeometryGap
from litecheck.suite.missing_case import MissingCase
from litecheck.suite.waivers import CaseWaiver, WaiverRecord

#: Claim status of a case or of an operator's cases, if there are claims.
CLAIMED, PARTLY_CLAIMED, NOT_CLAIMED = "claimed", "partly claimed", "not claimed"


@dataclass(frozen=True, slots=True)
class CaseVerdict:
    """The verdict of a case.

    ``arithmetic`` is the arithmetic of the verdict, ``fits`` are all compared arithmetics that fit exactly. ``worst``
    is the largest difference in LSB (for floats, a share of the largest magnitude), ``at`` the element and ``operands``
    its inputs, for elementwise operators. ``patterns`` are those of the differences of a failing case, in the output
    with the largest difference. ``fault`` is a known fault of the runtime that can be the reason. ``excuse``
    is the reason that the case fails nobody: it is optional, or shows a known fault of a published runtime that claims
    nothing. ``standing`` is ``claimed`` or ``not claimed``, empty without claims; ``waiver`` excuses a case that would
    fail.
    """

    name: str
    opcode: str
    kind: str
    granularity: str
    title: str
    ending: CaseOutcome
    elements: int = 0
    mismatches: int = 0
    arithmetic: str = ""
    fits: tuple[str, ...] = ()
    tolerance: float = 0.0
    unit: str = "LSB"
    worst: float = 0.0
    at: MismatchExample | None = None
    operands: tuple[float, ...] = ()
    patterns: tuple[MismatchCluster, ...] = ()
    message: str = ""
    seconds: float = 0.0
    delegated: str = ""
    broken: str = ""
    effect: str = ""
    fault: str = ""
    standing: str = ""
    waiver: CaseWaiver | None = None
    excuse: str = ""

    @property
    def wanting(self) -> bool:
        """True if the case fails, or lacks claimed support; a waiver can excuse it."""
        if self.standing == NOT_CLAIMED or self.excuse:
            return False
        return self.ending.fails or (self.standing == CLAIMED and self.ending.lacks and not self.broken)

    @property
    def counts(self) -> bool:
        """True if the case can fail the device: a valid model, neither excused nor outside the claims."""
        return not (self.broken or self.excuse or self.standing == NOT_CLAIMED)

    @property
    def required(self) -> bool:
        """True if the case must have a result without any claim."""
        return self.counts and not self.standing

    @property
    def missing(self) -> bool:
        """True if the result of a required case is missing."""
        return self.required and self.ending is CaseOutcome.MISSING

    @property
    def fails(self) -> bool:
        """True if the case fails the device."""
        return self.wanting and self.waiver is None


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """All cases of an operator on a type with weights of a granularity.

    ``arithmetic`` is the claimed arithmetic that fits most cases; ``fits`` are the compared arithmetics that fit all
    cases, ``mistakes`` are mutants that explain all outputs. ``placement`` is ``proved``, ``partly`` or ``left to
    others`` for a delegate, else empty.
    """

    opcode: str
    kind: str
    granularity: str
    counts: Mapping[str, int]
    arithmetic: str
    fits: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()
    tolerance: float = 0.0
    worst: float = 0.0
    unit: str = "LSB"
    case: str = ""
    """The case with the largest difference."""
    placement: str = ""
    standing: str = ""
    """``claimed``, ``partly claimed``, ``not claimed``; empty where nobody claims anything."""
    excused: Mapping[str, int] = field(default_factory=dict)
    """Of ``counts``, cases that fail nothing all the same: not claimed, or waived."""
    waived: int = 0
    because: str = ""
    """Reason of the tolerance."""
    apart: tuple[SharedTraits, ...] = ()
    """Traits of all failing cases that few or no passing cases have."""
    tail: SharedTail | None = None
    """Remainder of vector loops that has all differences of the failing cases."""

    @property
    def cases(self) -> int:
        """Number of cases, including invalid models."""
        return sum(self.counts.values())

    def count(self, ending: CaseOutcome) -> int:
        """Count the cases with an ending."""
        return self.counts.get(ending.value, 0)

    @property
    def verdict(self) -> str:
        """``conforms``, ``fails``, ``waived``, ``not claimed``, ``incomplete`` if results are missing, and if no case was
        computed ``not checked``, or ``not supported`` if the device has none of them."""
        if self.standing == NOT_CLAIMED:
            return self.standing
        if any(self.count(e) > self.excused.get(e.value, 0) for e in CaseOutcome if self._needs_waiver(e)):
            return "fails"
        if self.waived:
            return "waived"
        if not self.correct_cases:
            lacking = [ending for ending in CaseOutcome if ending.lacks and self.count(ending)]
            return "not supported" if lacking == [CaseOutcome.NOT_SUPPORTED] else "not checked"
        missing = self.count(CaseOutcome.MISSING) - self.excused.get(CaseOutcome.MISSING.value, 0)
        return "incomplete" if missing else "conforms"

    @property
    def correct_cases(self) -> int:
        """Number of cases with correct outputs."""
        return self.count(CaseOutcome.PASSED) + self.count(CaseOutcome.TOLERATED)

    @property
    def differs(self) -> bool:
        """True if a case has outputs that are wrong or do not repeat."""
        return self.count(CaseOutcome.FAILED) + self.count(CaseOutcome.FLAKY) > 0

    def _needs_waiver(self, ending: CaseOutcome) -> bool:
        return ending.fails or (bool(self.standing) and ending.lacks)


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """Report on a device and a suite. ``suite``, ``results``, ``rules`` and ``program`` are SHA-256, empty if unknown."""

    version: str
    profile: str
    level: str
    seed: int
    suite: str
    rules: str
    results: str
    device: str
    described: str
    program: str
    arithmetics: tuple[str, ...]
    """Those the device was judged by: all of the suite's, or those that are claimed."""
    rows: tuple[OperatorRow, ...]
    cases: tuple[CaseVerdict, ...]
    uncovered: tuple[MissingCase, ...] = ()
    notes: tuple[str, ...] = ()
    date: str = ""
    """The day by which waivers were judged, ISO."""
    claims: ClaimsRecord | None = None
    shortfalls: tuple[Shortfall, ...] = ()
    waivers: tuple[WaiverRecord, ...] = ()
    partial: bool = False
    """True if missing results do not fail."""
    inferences: tuple[int, int] = (0, 0)
    """Inferences of the valid cases with a result, and inferences of the same cases in the whole suite."""
    coverage: tuple[int, int] = (0, 0)
    """Mutants that the made inferences detect, and mutants that the whole suite detects; zeros without a search."""
    untried: tuple[GeometryGap, ...] = ()
    """Geometry not exercised, for each operator and type."""

    @property
    def incomplete(self) -> bool:
        """True if the result of a required case, or of an inference of a case, is missing."""
        return bool(self.missing) or self.inferences[0] < self.inferences[1]

    @property
    def required(self) -> int:
        """Number of cases that must have a result; 0 with claims, which decide themselves."""
        return sum(case.required for case in self.cases)

    @property
    def missing(self) -> int:
        """Number of required cases with missing results."""
        return sum(case.missing for case in self.cases)

    def wants(self, case: CaseVerdict) -> bool:
        """Return True if a case fails the report, or would without its waiver: it fails, or its result is missing."""
        if not case.missing:
            return case.wanting
        return not self.partial and any(row.correct_cases or row.verdict == "fails" for row in self.rows)

    @property
    def agreement(self) -> PublishedAgreement:
        """The claimed arithmetics that fit the operators that conform."""
        exact = (
            (row.opcode, [name for name in row.fits if name in self.arithmetics])
            for row in self.rows
            if row.verdict in ("conforms", "incomplete")
        )
        return agreement(exact, self.arithmetics)

    def counts(self) -> Mapping[str, int]:
        """Count the cases by ending, in the order of Ending; endings without cases are omitted."""
        found = Counter(case.ending for case in self.cases)
        return {ending.value: found[ending] for ending in CaseOutcome if found[ending]}

    @property
    def verdict(self) -> str:
        """``conforms``, ``fails`` (also for missing results, an expired waiver or a shortfall), or ``not checked`` if no
        case was computed."""
        verdicts = {row.verdict for row in self.rows}
        expired = any(record.state == "expired" for record in self.waivers)
        if "fails" in verdicts or expired or self.shortfalls:
            return "fails"
        kept = any(row.correct_cases for row in self.rows if row.standing != NOT_CLAIMED)
        if kept and self.incomplete and not self.partial:
            return "fails"
        return "conforms" if kept else "not checked"

    @property
    def waived(self) -> int:
        """Number of waived cases."""
        return sum(row.waived for row in self.rows)

    @property
    def exit_code(self) -> int:
        """Exit code: 0 conforms, 1 fails, 2 not checked."""
        return {"conforms": 0, "fails": 1}.get(self.verdict, 2)

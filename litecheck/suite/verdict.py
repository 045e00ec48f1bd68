"""What a device's run of a suite is worth: a verdict for each case, and a row for each operator, type and granularity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from litecheck.compare.types import Spot
from litecheck.suite.claims import ClaimsRecord, Shortfall
from litecheck.suite.gap import Gap
from litecheck.suite.waivers import CaseWaiver


class Ending(str, Enum):
    """The one word a case ends with; the value is what people read."""

    PASSED = "passed"
    TOLERATED = "tolerated"
    FAILED = "failed"
    REFUSED = "refused"
    CRASHED = "crashed"
    HUNG = "hung"
    OUT_OF_MEMORY = "out of memory"
    NOT_DELEGATED = "not delegated"
    NOT_SUPPORTED = "not supported"
    SKIPPED = "skipped"
    REJECTED = "rejected"
    ACCEPTED = "accepted"
    """A model that breaks a requirement and was computed all the same."""
    BROKE_DOWN = "broke down"
    """A model that breaks a requirement, on which the device crashed, hung or ran out of memory."""

    @property
    def good(self) -> bool:
        """Whether the device did what it should."""
        return self in (Ending.PASSED, Ending.TOLERATED, Ending.REJECTED)

    @property
    def fails(self) -> bool:
        """Whether the device did what it should not. What it makes of models that it must refuse is told and fails
        nothing: LiteRT itself computes some of them and crashes on others."""
        return self in (
            Ending.FAILED,
            Ending.REFUSED,
            Ending.CRASHED,
            Ending.HUNG,
            Ending.OUT_OF_MEMORY,
        )

    @property
    def lacks(self) -> bool:
        """Whether the device itself computed nothing: of a claimed case that fails, too."""
        return self in (Ending.NOT_DELEGATED, Ending.NOT_SUPPORTED, Ending.SKIPPED)


#: What the standing of a case or of an operator's cases can be, where something is claimed at all.
CLAIMED, PARTLY_CLAIMED, NOT_CLAIMED = "claimed", "partly claimed", "not claimed"


@dataclass(frozen=True, slots=True)
class CaseVerdict:
    """One case. ``arithmetic`` is the one it was judged under, ``fits`` are all of the suite's that it fits exactly.

    ``worst`` is the largest difference in LSB (of reals in parts of the largest magnitude), ``at`` the element and
    ``operands`` what it was made of, where the operator works on elements. ``fault`` is a known fault of the runtime
    that this may come from. ``standing`` is ``claimed`` or ``not claimed``, empty where nobody claims anything; ``waiver``
    excuses a case that would fail.
    """

    name: str
    opcode: str
    kind: str
    granularity: str
    title: str
    ending: Ending
    elements: int = 0
    mismatches: int = 0
    arithmetic: str = ""
    fits: tuple[str, ...] = ()
    tolerance: float = 0.0
    unit: str = "LSB"
    worst: float = 0.0
    at: Spot | None = None
    operands: tuple[float, ...] = ()
    message: str = ""
    seconds: float = 0.0
    delegated: str = ""
    broken: str = ""
    effect: str = ""
    fault: str = ""
    standing: str = ""
    waiver: CaseWaiver | None = None

    @property
    def wanting(self) -> bool:
        """Whether the device did what it should not, or left out what is claimed; a waiver may excuse it."""
        if self.standing == NOT_CLAIMED:
            return False
        return self.ending.fails or (self.standing == CLAIMED and self.ending.lacks and not self.broken)

    @property
    def fails(self) -> bool:
        """Whether it fails the device."""
        return self.wanting and self.waiver is None


@dataclass(frozen=True, slots=True)
class WaiverRecord:
    """What became of a waiver: ``used``, ``expired``, ``unneeded`` where none of its cases fails, or ``matches nothing``;
    ``cases`` are how many it excuses, or would."""

    waiver: CaseWaiver
    state: str
    cases: int


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """All cases of one operator on one type with weights of one granularity.

    ``arithmetic`` is the claimed one that fits most of the cases; ``fits`` those of the suite's that fit all of them,
    ``mistakes`` known ones that explain everything the device gave otherwise. ``placement`` says whether the device is
    known to have computed it: ``proved``, ``partly``, ``left to others``, or nothing where nobody says so.
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
    """Why the tolerance is what it is."""

    @property
    def cases(self) -> int:
        """How many there are, those that must be refused included."""
        return sum(self.counts.values())

    def count(self, ending: Ending) -> int:
        """How many cases ended so."""
        return self.counts.get(ending.value, 0)

    @property
    def verdict(self) -> str:
        """``conforms``, ``fails``, ``waived``, ``not claimed``, or ``not checked`` where no case of it was computed."""
        if self.standing == NOT_CLAIMED:
            return self.standing
        if any(self.count(e) > self.excused.get(e.value, 0) for e in Ending if self._wanting(e)):
            return "fails"
        if self.waived:
            return "waived"
        return "conforms" if self.kept else "not checked"

    @property
    def kept(self) -> int:
        """How many cases were computed as they should be."""
        return self.count(Ending.PASSED) + self.count(Ending.TOLERATED)

    def _wanting(self, ending: Ending) -> bool:
        return ending.fails or (bool(self.standing) and ending.lacks)


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """A device on a suite. ``suite``, ``results``, ``rules`` and ``program`` are SHA-256; what is unknown is empty."""

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
    uncovered: tuple[Gap, ...] = ()
    notes: tuple[str, ...] = ()
    date: str = ""
    """The day by which waivers were judged, ISO."""
    claims: ClaimsRecord | None = None
    shortfalls: tuple[Shortfall, ...] = ()
    waivers: tuple[WaiverRecord, ...] = ()

    def counts(self) -> Mapping[str, int]:
        """How many cases ended how, in the order of Ending; only what occurs."""
        found = Counter(case.ending for case in self.cases)
        return {ending.value: found[ending] for ending in Ending if found[ending]}

    @property
    def verdict(self) -> str:
        """``conforms``, ``fails`` (an expired waiver fails, too), or ``not checked`` where no case was computed."""
        verdicts = {row.verdict for row in self.rows}
        expired = any(record.state == "expired" for record in self.waivers)
        if "fails" in verdicts or expired or self.shortfalls:
            return "fails"
        kept = any(row.kept for row in self.rows if row.standing != NOT_CLAIMED)
        return "conforms" if kept else "not checked"

    @property
    def waived(self) -> int:
        """How many cases are excused by a waiver."""
        return sum(row.waived for row in self.rows)

    @property
    def exit_code(self) -> int:
        """0 conforms, 1 fails, 2 not checked."""
        return {"conforms": 0, "fails": 1}.get(self.verdict, 2)

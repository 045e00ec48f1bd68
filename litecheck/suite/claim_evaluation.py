"""Effect of claims and waivers on verdicts: claimed and waived cases, and shortfalls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from litecheck.profile.types import Profile
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.claims import Claims, Shortfall
from litecheck.suite.manifest import CaseEntry, Suite
from litecheck.suite.verdict import CLAIMED, NOT_CLAIMED, PARTLY_CLAIMED, CaseVerdict, OperatorRow
from litecheck.suite.waivers import CaseWaiver, WaiverRecord
from litecheck.verification.case_verdict import Tolerances, tolerances


@dataclass(frozen=True, slots=True, eq=False)
class ClaimEvaluation:
    """Claims (or None), waivers (including those of the claims), and the date of the verdict."""

    suite: Suite
    claims: Claims | None
    waivers: tuple[CaseWaiver, ...]
    date: str
    stated: Mapping[str, Arithmetic] = field(default_factory=dict)
    """Arithmetics beside the claims, without answers in the suite."""

    def arithmetics(self, opcode: str, every: tuple[str, ...]) -> tuple[str, ...]:
        """Return the arithmetics claimed for an operator; ``every`` if none is claimed."""
        claim = self.claims.of(opcode) if self.claims else None
        return (claim.arithmetics if claim else ()) or every

    def every_arithmetic(self, every: tuple[str, ...]) -> tuple[str, ...]:
        """Return the arithmetics claimed for any operator of the suite."""
        opcodes = dict.fromkeys(case.opcode for case in self.suite.manifest.cases)
        return tuple(dict.fromkeys(name for opcode in opcodes for name in self.arithmetics(opcode, every)))

    def own_arithmetics(self) -> Mapping[str, Arithmetic]:
        """Return the arithmetics without answers in the suite."""
        if self.claims is None:
            return self.stated
        files, claims = self.claims.arithmetics, (*self.claims.operators.values(), self.claims.default)
        named = dict.fromkeys(name for claim in claims for name in claim.arithmetics)
        known = self.suite.manifest.arithmetics
        claimed = {n: load_arithmetic(files.get(n, n), quoting=False) for n in named if n not in known}
        return {**self.stated, **claimed}

    def tolerances(self, profile: Profile | None) -> Tolerances:
        """Return the claimed tolerances, then those of the profile; without a profile, those that the suite states."""
        stated = {one.opcode: one.conformance() for one in self.suite.manifest.tolerances}
        declared = tolerances(profile)
        if profile is None and stated:
            declared = Tolerances((stated, *declared.stated))
        return Tolerances((self.claims.tolerances(), *declared.stated)) if self.claims else declared

    def of_case(self, case: CaseEntry, verdict: CaseVerdict) -> CaseVerdict:
        """Return a verdict with the claim status of its case, its excuse, and the waiver that excuses it."""
        known = verdict.fault if self.claims is None and verdict.ending.fails else ""
        verdict = replace(verdict, excuse=case.optional or known)
        if self.claims is not None:
            claimed = self.claims.holds(case, self.suite)
            verdict = replace(verdict, standing=CLAIMED if claimed else NOT_CLAIMED)
        if not verdict.wanting:
            return verdict
        holding = (w for w in self.waivers if not w.is_expired(self.date) and w.covers(verdict.name))
        return replace(verdict, waiver=next(holding, None))

    def of_row(self, row: OperatorRow, verdicts: Sequence[CaseVerdict]) -> OperatorRow:
        """Return a row with the claim status of its cases and the numbers of excused cases."""
        standings = {verdict.standing for verdict in verdicts}
        standing = standings.pop() if len(standings) == 1 else PARTLY_CLAIMED
        excused = Counter(v.ending.value for v in verdicts if _is_excused(v))
        waived = sum(v.waiver is not None for v in verdicts)
        return replace(row, standing=standing, excused=dict(excused), waived=waived)

    def records(self, verdicts: Sequence[CaseVerdict]) -> Iterator[WaiverRecord]:
        """Yield the state of each waiver."""
        for waiver in self.waivers:
            covered = [v for v in verdicts if waiver.covers(v.name)]
            wanting = [v for v in covered if v.wanting]
            used = sum(v.waiver is waiver for v in wanting)
            if waiver.is_expired(self.date):
                yield WaiverRecord(waiver, "expired", len(wanting))
            else:
                idle = "unneeded" if covered else "matches nothing"
                yield WaiverRecord(waiver, "used" if used else idle, used)

    def shortfalls(self, program: str) -> tuple[Shortfall, ...]:
        """Return the claims that the suite cannot show."""
        return tuple(self.claims.shortfalls(self.suite.manifest, program)) if self.claims else ()

    def notes(self) -> tuple[str, ...]:
        """Return notes on claimed types that this suite cannot show."""
        return tuple(self.claims.elsewhere(self.suite.manifest)) if self.claims else ()


def _is_excused(verdict: CaseVerdict) -> bool:
    """Return True if an ending that fails or lacks a result has no effect: the case is optional, waived or not
    claimed."""
    if verdict.ending is CaseOutcome.MISSING and not verdict.standing:
        return not verdict.counts
    return (verdict.ending.fails or (bool(verdict.standing) and verdict.ending.lacks)) and not verdict.fails

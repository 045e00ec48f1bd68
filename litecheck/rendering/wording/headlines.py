"""First lines of a verification: the verdict, the arithmetic that shows it, and excused outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from litecheck.devices.outcome import Outcome
from litecheck.rendering.escape import NAME, visible
from litecheck.rendering.wording import agreements
from litecheck.rendering.wording.agreements import agreement_sentence
from litecheck.rendering.wording.outcomes import cases, one_line, title
from litecheck.summary_text import count_of
from litecheck.verification.result import Verdict, Verification


def fitting_arithmetics(verification: Verification) -> str:
    """Return the arithmetics that fit the exact cases, or the admissible arithmetics if no case is exact.

    Without any output to compare, return ``unknown: no output``.
    """
    names = ", ".join(map(visible, verification.arithmetics))
    compared = [v for v in verification.verdicts if v.differences or v.fits]
    if not verification.agreement.groups:
        if verification.verdicts and not compared:
            return "unknown: no output"
        return f"none of {names}" if len(verification.arithmetics) > 1 else names
    exact = sum(v.outcome is Outcome.EXACT for v in verification.verdicts)
    return agreement_sentence(verification.agreement, exact, len(compared))


def remark(verification: Verification) -> str:
    """Return the arithmetic of a conforming device, and if no case fails, the numbers of outcomes that are not exact; and
    the number of known faults.

    Examples: ``4 of 16 exact under litert-xnnpack, 11 within tolerance, 1 known fault``, ``4 not supported``.
    """
    ends, faults = _ends(verification)
    if verification.verdict == "fails":
        return faults
    agreed, exact = agreements.headline(verification.agreement), ends.pop(Outcome.EXACT, 0)
    if agreed and exact < len(verification.verdicts):
        agreed = f"{exact:,} of {len(verification.verdicts):,} {agreed}"
    others = (f"{count:,} {outcome.text}" for outcome, count in ends.items())
    return ", ".join(filter(None, (agreed, *others, faults)))


def conclusion(verification: Verification) -> str:
    """Return the verdict with the remark: ``conforms: exact under litert-xnnpack``."""
    return ": ".join(filter(None, (verification.verdict, remark(verification))))


def headline(verification: Verification) -> str:
    """Return the verdict with the remark, or with the share that fails.

    Examples: ``conforms: exact under litert-xnnpack``, ``fails: 4 of 7 operators``.
    """
    failing = sum(map(verification.failing, verification.verdicts))
    share = f"{failing:,} of {cases(verification)}" if failing and len(verification.verdicts) > 1 else ""
    told = ", ".join(filter(None, (share, remark(verification))))
    return ": ".join(filter(None, (verification.verdict, told)))


def tally(verification: Verification) -> str:
    """Return ``65 operators: 62 exact, 2 mismatch, 1 known fault``; the faults are those of the device's runtime."""
    ends, faults = _ends(verification)
    counted = (f"{ends[end]:,} {end.text}" for end in Outcome if ends[end])
    return ": ".join(filter(None, (cases(verification), ", ".join(filter(None, (*counted, faults))))))


def _ends(verification: Verification) -> tuple[Counter[Outcome], str]:
    """Return the numbers of outcomes without known faults of the device's runtime, and the number of these in words."""
    ends = Counter(v.outcome for v in verification.verdicts if not verification.known_fault(v))
    known = len(verification.verdicts) - ends.total()
    return ends, count_of(known, "known fault") if known else ""


def fitting(verification: Verification, verdict: Verdict) -> str:
    """Return the arithmetics that fit a case: ``any`` if all admissible ones do, else their names."""
    if len(verification.arithmetics) > 1 and len(verdict.fits) == len(verification.arithmetics):
        return "any"
    return visible(", ".join(verdict.fits) or verdict.arithmetic)


def excused_cases(verification: Verification) -> Iterator[str]:
    """Yield each case that shows a known fault of the device's own runtime, and the inputs that crash the runtime."""
    for v in verification.verdicts:
        if v.fault and not verification.failing(v):
            told = f"{title(v, NAME)}, {v.outcome.text}: {visible(v.fault)}"
            yield f"{told}; {one_line(v.message)}" if v.message and not v.mismatches else told

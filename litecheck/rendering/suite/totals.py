"""Totals of a suite's report: the verdict with reasons, cases by ending, and missing results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from litecheck.rendering.suite.wording import name
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.verdict import CaseVerdict, SuiteReport
from litecheck.summary_text import count_of

#: Largest number of operators that the verdict names.
_FEW = 3
#: Texts for kinds of operators that do not fail: singular and plural.
_STANDING = {
    "conforms": ("conforms", "conform"),
    "incomplete": ("is incomplete", "are incomplete"),
    "waived": ("is waived", "are waived"),
    "not claimed": ("is not claimed", "are not claimed"),
    "not supported": ("is not supported", "are not supported"),
    "not checked": ("was not checked", "were not checked"),
}


def sentence(report: SuiteReport) -> str:
    """Return the verdict with reasons: ``2 of 7 kinds of operators fail: SOFTMAX int8, ADD int8; 4 conform, 1 was not
    checked``."""
    verdicts = Counter(row.verdict for row in report.rows)
    number = count_of(len(report.rows), "kind of operator", "kinds of operators")
    worst = next((word for word in ("fails", "incomplete") if verdicts[word]), "")
    rest = [
        count_of(verdicts[word], *forms)
        for word, forms in _STANDING.items()
        if verdicts[word] and word != worst
    ]
    if worst:
        names = [name(row) for row in report.rows if row.verdict == worst]
        more = f" and {len(names) - _FEW:,} more" if len(names) > _FEW else ""
        verbs = _STANDING.get(worst, ("fails", "fail"))
        told = f"{len(names):,} of {number} {verbs[len(names) > 1]}: {', '.join(names[:_FEW])}{more}"
        told += f"; {', '.join(rest)}" if rest else ""
    elif not verdicts["conforms"] and not verdicts["waived"]:
        told = f"none of {number} was checked" if report.rows else "there is no case"
    else:
        verb = "conforms" if len(report.rows) == 1 else "conform"
        told = (
            f"{verdicts['conforms']:,} of {number} {', '.join([verb, *rest[bool(verdicts['conforms']) :]])}"
        )
    return told + "".join(f"; {short}" for short in _short(report))


def _short(report: SuiteReport) -> Iterator[str]:
    """Yield failures besides the cases: missing claims and expired waivers."""
    expired = sum(record.state == "expired" for record in report.waivers)
    if report.shortfalls:
        yield f"{count_of(len(report.shortfalls), 'claim is', 'claims are')} not confirmed"
    if expired:
        yield f"{count_of(expired, 'waiver has', 'waivers have')} expired"
    if report.missing:
        yield f"{count_of(report.missing, 'result is', 'results are')} missing"


#: Groups of cases in the totals: singular and plural.
_GROUPS = (
    ("case", "cases"),
    ("optional case", "optional cases"),
    ("case with a known fault of the runtime", "cases with a known fault of the runtime"),
    ("case that is not claimed", "cases that are not claimed"),
    ("invalid model", "invalid models"),
)


def _group(case: CaseVerdict) -> int:
    """Return the number of a case's group; only cases of the first group can fail the device."""
    if case.broken:
        return 4
    if case.excuse:
        return 2 if case.excuse == case.fault else 1
    return 0 if case.counts else 3


def tally(report: SuiteReport) -> str:
    """Return ``84 cases: 48 passed, 36 failed; 5 optional cases: 5 passed; 20 invalid models: 19 rejected, 1
    wrongly accepted``."""
    groups = [[case for case in report.cases if _group(case) == n] for n in range(len(_GROUPS))]
    parts = (
        f"{count_of(len(cases), *forms)}: {endings(cases)}"
        for cases, forms in zip(groups, _GROUPS, strict=True)
        if cases
    )
    return "; ".join(parts) or "no cases"


def endings(cases: Iterable[CaseVerdict]) -> str:
    """Return ``19 rejected, 1 wrongly accepted``."""
    ends = Counter(case.ending for case in cases)
    return ", ".join(f"{ends[ending]:,} {ending.text}" for ending in CaseOutcome if ends[ending])


def missing_by_operator(report: SuiteReport) -> dict[str, list[str]]:
    """Return the names of the cases whose required results are missing, by kind of operator."""
    found: dict[str, list[str]] = {}
    for case in report.cases:
        if case.counts and case.ending is CaseOutcome.MISSING:
            found.setdefault(name(case), []).append(case.name)
    return found

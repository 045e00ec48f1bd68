"""First and last lines of suites: verdict, missing results, arithmetic, excused cases; the ends of make and run."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.devices.outcome import Outcome
from litecheck.rendering.columns import percent
from litecheck.rendering.escape import visible
from litecheck.rendering.suite.wording import name
from litecheck.rendering.wording import agreements
from litecheck.rendering.wording.claims import shortfalls_sentence
from litecheck.rendering.wording.operator_lines import extent
from litecheck.rendering.wording.outcomes import one_line
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.manifest import Manifest
from litecheck.suite.run_summary import RunSummary
from litecheck.suite.verdict import SuiteReport
from litecheck.summary_text import count_of

#: Number of operators without a valid case, or within their tolerance, that are named.
_GAPS = 3


def remark(report: SuiteReport) -> str:
    """Return the remark on the verdict: unshown claims, failing cases, missing results, arithmetic, excused cases.

    The arithmetic is that of a conforming device. The numbers of cases that are not supported and of excused cases are
    last.
    """
    exact = _agreement(report) if report.verdict == "conforms" else ""
    failing, every = sum(case.fails for case in report.cases), sum(case.counts for case in report.cases)
    wrong = f"{failing:,} of {count_of(every, 'case')}" if failing else ""
    flaky = sum(case.fails and case.ending is CaseOutcome.FLAKY for case in report.cases)
    wrong += f" ({flaky:,} flaky)" if flaky else ""
    ran = report.required - report.missing
    part = f"results of {ran:,} of {count_of(report.required, 'case')}" if report.missing else ""
    made, whole = report.inferences
    inferences = f"{made:,} of {count_of(whole, 'inference')}" if made < whole else ""
    detected, known = report.coverage
    coverage = f"{percent(detected, known)} of the mutation coverage" if report.incomplete and known else ""
    short = visible(shortfalls_sentence(report.shortfalls))
    lacking = sum(case.counts and case.ending is CaseOutcome.NOT_SUPPORTED for case in report.cases)
    without = f"{lacking:,} of {count_of(every, 'case')} not supported" if lacking else ""
    told = (short, wrong, part, inferences, coverage, exact, without, *_excuses(report))
    return ", ".join(filter(None, told))


def _agreement(report: SuiteReport) -> str:
    """Return ``exact under litert-xnnpack``, or ``4 of 5 kinds of operators exact under litert-xnnpack, 1 within tolerance
    (SOFTMAX within 1 LSB)``."""
    exact = agreements.headline(report.agreement)
    judged = [row for row in report.rows if row.verdict == "conforms"]
    tolerated = [row for row in judged if row.count(CaseOutcome.TOLERATED)]
    if not tolerated:
        return exact
    part = (
        f"{len(judged) - len(tolerated):,} of {count_of(len(judged), 'kind')} of operators {exact}"
        if exact
        else ""
    )
    within = dict.fromkeys(f"{row.opcode} within {extent(row.tolerance, row.unit)}" for row in tolerated)
    named = f" ({', '.join(map(visible, within))})" if len(within) <= _GAPS else ""
    return ", ".join(filter(None, (part, f"{len(tolerated):,} within tolerance{named}")))


def _excuses(report: SuiteReport) -> Iterator[str]:
    """Yield the numbers of optional cases and known faults that would fail the device."""
    excused = [case.excuse == case.fault for case in report.cases if case.excuse and case.ending.fails]
    for known, noun in ((False, "optional case"), (True, "known fault")):
        if known in excused:
            yield f"{count_of(excused.count(known), noun)} excused"


def headline(report: SuiteReport) -> str:
    """Return the verdict with the remark: ``conforms: exact under litert-xnnpack``."""
    return ": ".join(filter(None, (report.verdict, remark(report))))


def excused_sentences(report: SuiteReport) -> Iterator[str]:
    """Yield ``CONV_2D int8 per-axis, 2 wrongly rejected: REASON`` for optional cases and known faults that fail nothing."""
    groups: dict[tuple[str, str, str], int] = {}
    for case in report.cases:
        if case.excuse and case.ending.fails:
            key = name(case), case.ending.text, case.excuse
            groups[key] = groups.get(key, 0) + 1
    for (operator, ending, why), number in groups.items():
        yield f"{operator}, {number:,} {ending}: {visible(why)}"


def suite_size_sentence(manifest: Manifest) -> str:
    """Return ``31 cases of int8, 29 of them invalid models``."""
    invalid = sum(1 for case in manifest.cases if case.broken)
    kinds = ", ".join(dict.fromkeys(case.kind for case in manifest.cases if not case.broken))
    of = f" of {kinds}" if kinds else ""
    return f"{len(manifest.cases):,} cases{of}, {invalid:,} of them invalid models"


def gaps_sentence(manifest: Manifest) -> str:
    """Return ``no valid case of 2 operators: ADD int8 (breaks ADD/limits/lhs.batch), SUB int8 (...)``; "" without gaps."""
    gaps = [gap for gap in manifest.uncovered if gap.kind and not gap.form]
    if not gaps:
        return ""
    told = [f"{gap.opcode} {gap.kind} ({gap.reason})" for gap in gaps[:_GAPS]]
    more = [f"and {len(gaps) - _GAPS} more, see uncovered in the manifest"] if len(gaps) > _GAPS else []
    return f"no valid case of {count_of(len(gaps), 'operator')}: {', '.join((*told, *more))}"


def run_sentence(summary: RunSummary) -> str:
    """Return ``results of 52 of 52 cases; 1 of 3 valid cases computed, 2 rejected: exit status 3; no memory``."""
    told = f"results of {summary.results:,} of {summary.cases:,} cases"
    if not summary.outcomes:
        return told
    ends = ", ".join(f"{number:,} {Outcome(outcome).text}" for outcome, number in summary.outcomes.items())
    computed = f"{summary.computed:,} of {summary.valid:,} valid cases computed"
    return "; ".join((told, ": ".join(filter(None, (f"{computed}, {ends}", one_line(summary.message))))))

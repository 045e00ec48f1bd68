"""Document of a suite's report, for Markdown: table of operators, failures, accepted invalid models, and gaps."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.rendering import document as layout
from litecheck.rendering.escape import NAME, PHRASE, shorten, visible
from litecheck.rendering.suite import totals, wording
from litecheck.rendering.suite.headline import excused_sentences, remark
from litecheck.rendering.wording.geometry import geometry_sentences
from litecheck.rendering.wording.operator_lines import operator_grid
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.verdict import CaseVerdict, SuiteReport
from litecheck.summary_text import count_of

#: Largest number of failing cases: GitHub displays at most a megabyte of Markdown.
_MANY = 50
_ROWS = 1000
_IN_COMMON = "In common: properties that separate failing cases from passing cases"


def document(report: SuiteReport) -> layout.Document:
    """Return the document: the table and failing cases are open."""
    title: layout.Line = ("litecheck suite: ", layout.Code(shorten(wording.device_name(report), 2 * NAME)))
    parts = (
        _table(report),
        layout.section("Claims and waivers", (sentence for _, sentence in wording.claims(report))),
        _failing_parts(report),
        layout.section(_IN_COMMON, wording.in_common(report)),
        _missing_parts(report),
        layout.section("Not supported by the device", wording.unsupported_lines(report)),
        layout.section("Excused: optional cases and known faults of the runtime", excused_sentences(report)),
        _refusals(report),
        layout.section(
            "Not covered", (f"{why}: {', '.join(kinds)}" for why, kinds in wording.gap_lines(report))
        ),
        _untested_parts(report),
        _hashes(report),
    )
    facts = tuple((label, shorten(text, PHRASE)) for label, text in wording.facts(report))
    told = remark(report)
    summary = f"{told}; " if told else ""
    summary += f"{totals.sentence(report)}. {totals.tally(report)}"
    found = tuple(one for part in parts for one in part)
    return layout.Document("suite", title, report.verdict, summary, facts, found, report.version)


def _table(report: SuiteReport) -> Iterator[layout.Part]:
    if report.rows:
        yield layout.Heading(("Operators",))
        yield operator_grid(wording.operators(report), _ROWS)


def _failing_parts(report: SuiteReport) -> Iterator[layout.Part]:
    failing = [case for cases in wording.failing_by_operator(report) for case in cases]
    if failing:
        yield layout.Heading(("Failing cases",))
    for case in failing[:_MANY]:
        yield layout.case(wording.title(case), case.ending.text, wording.details(case))
    if len(failing) > _MANY:
        yield layout.Paragraph((f"and {count_of(len(failing) - _MANY, 'other failing case')}",))


def _missing_parts(report: SuiteReport) -> Iterator[layout.Part]:
    """Yield the names of the cases with missing results, by kind of operator."""
    groups = totals.missing_by_operator(report)
    if groups and report.verdict != "not checked":
        yield layout.Heading(("Missing results",))
    for kind, names in groups.items() if report.verdict != "not checked" else ():
        listed = layout.short_list(tuple((layout.Code(visible(name)),) for name in names), _MANY)
        yield layout.Collapsible(kind, (f": {count_of(len(names), 'case')}",), (listed,))


def _refusals(report: SuiteReport) -> Iterator[layout.Part]:
    """Yield the invalid models by operator; only those that were not rejected are listed."""
    groups = wording.refusals(report)
    if groups:
        yield layout.Heading(("Invalid models, which must be rejected",))
    for opcode, cases in groups.items():
        told = (f": {totals.endings(cases)}",)
        wrong = (case for case in cases if case.ending not in (CaseOutcome.REJECTED, CaseOutcome.NOT_TESTED))
        lines = tuple(map(_refusal, wrong))
        listed = (layout.short_list(lines, _MANY),) if lines else ()
        yield layout.Collapsible(opcode, told, listed)


def _refusal(case: CaseVerdict) -> layout.Line:
    kind = " ".join(filter(None, (case.kind, case.granularity)))
    return (layout.Code(case.broken), f" ({kind}), {case.ending.text}: {case.effect}")


def _untested_parts(report: SuiteReport) -> Iterator[layout.Part]:
    told = tuple((sentence,) for sentence in geometry_sentences(report.untried))
    if told:
        yield layout.Collapsible(
            "Not exercised", (": geometry that no case with outputs has",), (layout.ItemList(told),)
        )


def _hashes(report: SuiteReport) -> Iterator[layout.Part]:
    rows = tuple((label, (layout.Code(text),)) for label, text in wording.hashes(report))
    yield layout.Collapsible("Versions and SHA-256", (), (layout.FactRows(rows),))

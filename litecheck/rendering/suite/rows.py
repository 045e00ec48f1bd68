"""Result rows of a suite's report: a row for each failing case and each invalid model that was not rejected."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.finding import Level
from litecheck.rendering.escape import PHRASE, shorten, visible
from litecheck.rendering.rows import (
    Annotation,
    JudgedCase,
    ResultRow,
    Results,
    RowPlace,
    RowRule,
    Subject,
    digest,
    lines_of,
    not_judged,
)
from litecheck.rendering.suite import totals, wording
from litecheck.rendering.wording.operator_lines import OPERATOR_HEADS, OperatorLine, operator_cells
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.verdict import CaseVerdict, SuiteReport
from litecheck.summary_text import count_of

_HANDFUL = 5
_FAILING = {
    "not confirmed": "suite/claim",
    "expired": "suite/waiver-expired",
    "incomplete": "suite/incomplete",
}
_RULES = {
    "suite/claim": "A claim says more than the run shows.",
    "suite/waiver-expired": "A waiver holds no longer.",
    "suite/incomplete": "Results of inferences are missing.",
}
#: Endings of invalid models that were not rejected, with their levels; they do not fail the device.
_UNREFUSED: dict[CaseOutcome, Level] = {CaseOutcome.ACCEPTED: "note", CaseOutcome.BROKE_DOWN: "warning"}


def results(report: SuiteReport) -> Results:
    """Return a subject for each kind of operator, with its cases."""
    subjects = tuple(_subject(report, line) for line in wording.operators(report))
    endings = {case.ending for case in report.cases if _is_result(report, case)}
    return Results(
        "litecheck suite",
        report.version,
        report.exit_code,
        f"{report.verdict} on {report.device}: {totals.sentence(report)}; {totals.tally(report)}",
        (*subjects, *_claims(report), *_unchecked_subject(report)),
        (
            *(
                RowRule(wording.rule(ending), text, text, _level(ending))
                for ending, text in wording.MEANING.items()
                if ending in endings
            ),
            *(RowRule(code, text, text) for code, text in _RULES.items()),
        ),
        tuple(_annotations(report)),
        {"suite": {"verdict": report.verdict, "counts": dict(report.counts()), **dict(_facts(report))}},
        tuple(_remarks(report)),
    )


def _is_result(report: SuiteReport, case: CaseVerdict) -> bool:
    """Return True if a case is a result: it fails, or it is an invalid model that the device does not reject."""
    return report.wants(case) or case.ending in _UNREFUSED


def _level(ending: CaseOutcome) -> Level:
    return _UNREFUSED.get(ending, "violation")


def _facts(report: SuiteReport) -> Iterator[tuple[str, str]]:
    yield from wording.facts(report)
    yield from ((f"{label} version" if label == "litecheck" else f"{label} sha256", text)
                for label, text in wording.hashes(report))  # fmt: skip


def _subject(report: SuiteReport, line: OperatorLine) -> Subject:
    several = [report.cases[position] for position in line.positions]
    pairs = [(case, _row(report, case) if _is_result(report, case) else None) for case in several]
    own = zip((head.lstrip(">") for head in OPERATOR_HEADS), operator_cells(line), strict=True)
    facts = (*_facts(report), *(fact for fact in own if fact[1]))
    return Subject(
        f"{line.title} on {report.device}",
        line.title.replace(" ", "."),
        facts,
        tuple(row for _, row in pairs if row is not None),
        tuple(_case(case, row) for case, row in pairs),
    )


def _case(case: CaseVerdict, row: ResultRow | None) -> JudgedCase:
    if row is not None:
        return JudgedCase(case.name, (row,))
    gap = "" if case.ending.good else f"{case.ending.text}: {wording.summary(case)}"
    aside = () if case.ending is CaseOutcome.PASSED else lines_of(wording.details(case))
    return JudgedCase(case.name, reason=gap, aside=aside)


def _row(report: SuiteReport, case: CaseVerdict) -> ResultRow:
    ending, summary = case.ending.text, wording.summary(case)
    details = tuple(wording.details(case))
    fingerprint = digest(wording.rule(case.ending), case.name)
    return ResultRow(
        wording.rule(case.ending),
        _level(case.ending),
        f"{ending} on {report.device}",
        RowPlace(f"{wording.folder(case)}/model.tflite", wording.title(case), tuple(_steps(case))),
        case.effect or ending,
        summary,
        details,
        title=f"{ending}: {summary}",
        full=lines_of(details),
        fails=report.wants(case) and case.waiver is None,
        waiver=wording.waiver_text(case),
        silent=case.ending in wording.BROKEN,
        fingerprint=fingerprint,
        identity=digest(report.suite, report.device, fingerprint),
    )


def _steps(case: CaseVerdict) -> Iterator[tuple[str, str, str]]:
    yield case.opcode, case.opcode, "function"
    if case.broken:
        yield case.broken, case.broken, "member"


def _claims(report: SuiteReport) -> Iterator[Subject]:
    """Yield a subject for the failures besides the cases."""
    rows = tuple(_claim(report, state, sentence) for state, sentence in _failures(report))
    if rows:
        cases = tuple(JudgedCase(row.message, (row,)) for row in rows)
        name, group = (
            ("claims of", "claims") if report.shortfalls or report.waivers else ("suite on", "suite")
        )
        yield Subject(f"{name} {report.device}", group, tuple(_facts(report)), rows, cases)


def _failures(report: SuiteReport) -> Iterator[tuple[str, str]]:
    """Yield unshown claims, expired waivers, and missing inferences, each as (state, sentence)."""
    yield from ((state, sentence) for state, sentence in wording.claims(report) if state in _FAILING)
    made, every = report.inferences
    if report.verdict == "fails" and made < every and not report.partial:
        yield "incomplete", f"results of {every - made:,} of {count_of(every, 'inference')} are missing"


def _claim(report: SuiteReport, state: str, sentence: str) -> ResultRow:
    fingerprint = digest(state, sentence)
    return ResultRow(
        _FAILING[state],
        "violation",
        sentence,
        RowPlace(report.claims.file if report.claims else "manifest.json", state),
        state,
        title=sentence,
        full=(sentence,),
        fails=True,
        fingerprint=fingerprint,
        identity=digest(report.suite, report.device, fingerprint),
    )


def _unchecked_subject(report: SuiteReport) -> Iterator[Subject]:
    """Yield the whole suite as a subject if nothing was checked."""
    if report.verdict != "not checked":
        return
    told = totals.sentence(report)
    text, where = f"not checked on {report.device}: {told}", RowPlace("manifest.json", "suite")
    row = not_judged("suite", where, text, told, report.suite, report.device, "not-judged")
    yield Subject(report.device, "suite", tuple(_facts(report)), obstacles=(row,))


def _remarks(report: SuiteReport) -> Iterator[ResultRow]:
    """Yield the gaps with reasons, unneeded waivers, and notes."""
    for because, several in wording.gap_lines(report):
        yield _remark("suite/not-covered", f"{', '.join(several)}: {because}")
    for state, sentence in wording.claims(report):
        if state not in _FAILING:
            yield _remark("suite/waiver", sentence)
    yield from (_remark("suite/note", visible(note)) for note in report.notes)


def _remark(code: str, text: str) -> ResultRow:
    return ResultRow(code, "note", text, RowPlace(""))


def _annotations(report: SuiteReport) -> Iterator[Annotation]:
    """Yield an annotation for each ending and kind of operator, failures first."""
    groups: dict[tuple[CaseOutcome, str], list[CaseVerdict]] = {}
    for case in sorted(
        (c for c in report.cases if _is_result(report, c) and c.waiver is None),
        key=lambda case: not case.fails,
    ):
        groups.setdefault((case.ending, wording.name(case)), []).append(case)
    for (ending, kind), cases in groups.items():
        title = f"{ending.text} on {report.device}: {kind} ({count_of(len(cases), 'case')})"
        lines = [f"{case.title or case.name}: {shorten(wording.summary(case), PHRASE)}" for case in cases]
        more = [f"and {count_of(len(lines) - _HANDFUL, 'other case')}"] if len(lines) > _HANDFUL else []
        place = f"{wording.folder(cases[0])}/model.tflite"
        yield Annotation(_level(ending), place, title, (*lines[:_HANDFUL], *more))
    for state, sentence in _failures(report):
        yield Annotation("violation", "manifest.json", state, (sentence,))
    if report.verdict == "not checked":
        title = f"not checked on {report.device}"
        yield Annotation("violation", "manifest.json", title, (totals.sentence(report),))

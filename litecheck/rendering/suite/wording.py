"""Common wording of a suite's report: endings, failures with reasons, and waived cases."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.comparison.wording import gathering_sentence, shared_tail_sentence
from litecheck.rendering.columns import percent
from litecheck.rendering.escape import shorten, visible
from litecheck.rendering.rows import Detail
from litecheck.rendering.wording.agreements import agreement_sentence, not_distinguished
from litecheck.rendering.wording.claims import shortfall_sentence, waiver_sentence
from litecheck.rendering.wording.contrasts import trait_sentences
from litecheck.rendering.wording.operator_lines import OperatorLine, extent, kind_name
from litecheck.rendering.wording.outcomes import one_line, size_words, spot_words, value_words
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.missing_case import MissingCase
from litecheck.suite.verdict import NOT_CLAIMED, CaseVerdict, OperatorRow, SuiteReport
from litecheck.summary_text import count_of

#: Meaning of each ending, as a sentence.
MEANING: dict[CaseOutcome, str] = {
    CaseOutcome.PASSED: "The device gives every element as the arithmetic does.",
    CaseOutcome.TOLERATED: "The device differs by no more than the declared tolerance.",
    CaseOutcome.FAILED: "The device gives other values, or outputs of another number, shape or type.",
    CaseOutcome.FLAKY: "The device gives different values for the same input.",
    CaseOutcome.REFUSED: "The device rejected a valid model.",
    CaseOutcome.CRASHED: "The device's process crashed.",
    CaseOutcome.HUNG: "The device did not answer in time.",
    CaseOutcome.OUT_OF_MEMORY: "The device needs more memory than it was allowed.",
    CaseOutcome.NOT_DELEGATED: "The runtime did not delegate the operator to the device.",
    CaseOutcome.NOT_SUPPORTED: "The device does not have the operator, or no kernel for its types.",
    CaseOutcome.MISSING: "The result is missing.",
    CaseOutcome.REJECTED: "The device rejected an invalid model, as required.",
    CaseOutcome.ACCEPTED: "The device computed an invalid model, which does not fail it.",
    CaseOutcome.BROKE_DOWN: "The device crashed, hung or ran out of memory on an invalid model, which does not fail it.",
    CaseOutcome.NOT_TESTED: "The result of the invalid model is missing, or no valid case of its operator was computed.",
}
#: Largest length of the title of a case.
_TITLE = 240
#: Endings without an output that could be compared.
BROKEN = frozenset({CaseOutcome.REFUSED, CaseOutcome.CRASHED, CaseOutcome.HUNG, CaseOutcome.OUT_OF_MEMORY})


def rule(ending: CaseOutcome) -> str:
    """Return the rule id of an ending: ``suite/out-of-memory``."""
    return f"suite/{ending.value.replace(' ', '-')}"


def name(row: OperatorRow | CaseVerdict) -> str:
    """Return ``CONV_2D int8 per-axis``."""
    return kind_name(row.opcode, row.kind, row.granularity)


def device_name(report: SuiteReport) -> str:
    """Return the claimed device with its version, with the name of the results: ``MY NPU 1.0 (results)``."""
    claimed = report.claims.device if report.claims else None
    if claimed is None or not claimed.name:
        return visible(report.device)
    return visible(f"{claimed.name} {claimed.version}".strip() + f" ({report.device})")


def folder(case: CaseVerdict) -> str:
    """Return the folder of a case's model and inputs within the suite's folder."""
    return f"cases/{case.name}"


def operators(report: SuiteReport) -> tuple[OperatorLine, ...]:
    """Return the rows for every format. Invalid models without granularity are in the first row of their operator."""
    keys = dict.fromkeys((row.opcode, row.kind, row.granularity) for row in report.rows)
    first = {key[:2]: key for key in reversed(keys)}
    positions: dict[tuple[str, str, str], list[int]] = {}
    for position, case in enumerate(report.cases):
        key = case.opcode, case.kind, case.granularity
        positions.setdefault(key if key in keys else first.get(key[:2], key), []).append(position)
    return tuple(
        OperatorLine(
            report.device,
            row.opcode,
            row.kind,
            row.granularity,
            row.verdict,
            {ending: row.count(ending) for ending in CaseOutcome},
            row.tolerance,
            row.worst,
            row.unit,
            arithmetic(row, report.arithmetics),
            "not delegated" if row.placement == "left to others" else row.placement,
            tuple(positions.get((row.opcode, row.kind, row.granularity), ())),
        )
        for row in report.rows
    )


def arithmetic(row: OperatorRow, claimed: tuple[str, ...]) -> str:
    """Return the arithmetic: claimed ones that fit, others that fit, mutants that explain all, or none."""
    if not row.correct_cases and not row.differs:
        return ""
    if row.arithmetic in row.fits:
        return not_distinguished(tuple(name for name in row.fits if name in claimed))
    if row.fits:
        return f"fits {', '.join(row.fits)}"
    if row.mistakes:
        return f"explained by {' or '.join(row.mistakes)}"
    return "none known" if row.differs else f"{row.arithmetic}, within the tolerance"


def also_fits(row: OperatorRow, claimed: tuple[str, ...]) -> str:
    """Return further arithmetics with the same outputs in every case that ran: they are not distinguished."""
    return ", ".join(name for name in row.fits if name not in claimed) if row.arithmetic in row.fits else ""


def facts(report: SuiteReport) -> Iterator[tuple[str, str]]:
    """Yield the judged device, suite, arithmetics, claims and waivers in a few words each."""
    yield "device", visible(report.described or report.device)
    yield "suite", f"{visible(report.profile)}, level {report.level}, seed {report.seed}"
    if report.agreement.groups:
        exact = sum(row.verdict == "conforms" and bool(row.fits) for row in report.rows)
        checked = sum(row.verdict in ("conforms", "fails", "waived") for row in report.rows)
        yield "arithmetic", agreement_sentence(report.agreement, exact, checked)
    yield "compared with", ", ".join(map(visible, report.arithmetics))
    if report.claims is not None:
        own = report.claims
        if own.device.name:
            yield "claimed", visible(f"{own.device.name} {own.device.version}")
        yield "claims", visible(" ".join(filter(None, (own.name, own.profile, own.version, own.level))))
    if report.date:
        yield "judged on", visible(report.date)
    yield from (("note", visible(note)) for note in report.notes)


def hashes(report: SuiteReport) -> Iterator[tuple[str, str]]:
    """Yield the versions and SHA-256 that identify the report; empty values are omitted."""
    known = (
        ("litecheck", report.version),
        ("suite", report.suite),
        ("rules", report.rules),
        ("results", report.results),
        ("program", report.program),
        ("claims", report.claims.sha256 if report.claims else ""),
    )
    yield from ((label, visible(text)) for label, text in known if text)


def failing(report: SuiteReport) -> list[CaseVerdict]:
    """Return the cases that fail the report, in order."""
    return [case for case in report.cases if case.fails]


def waiver_text(case: CaseVerdict) -> str:
    """Return the reason and the last day of a case's waiver."""
    waiver = case.waiver
    return f"{visible(waiver.reason)} (until {waiver.expires})" if waiver else ""


def claims(report: SuiteReport) -> Iterator[tuple[str, str]]:
    """Yield (state, sentence) of each claim that the run does not show and of each waiver."""
    yield from (("not confirmed", visible(shortfall_sentence(one))) for one in report.shortfalls)
    yield from ((record.state, visible(waiver_sentence(record))) for record in report.waivers)


def in_common(report: SuiteReport) -> list[str]:
    """Return the traits that separate the failing cases of a kind of operator from its passing cases, a sentence each."""
    return [f"{name(row)}: {told}" for row in report.rows for told in in_common_of(row)]


def in_common_of(row: OperatorRow) -> Iterator[str]:
    """Yield the location of all differences of a kind of operator, then the traits of its failing cases."""
    if row.tail:
        yield shared_tail_sentence(row.tail)
    yield from trait_sentences(row.apart, row.correct_cases)


def failing_by_operator(report: SuiteReport) -> list[list[CaseVerdict]]:
    """Return the failing cases by kind of operator: flaky cases and cases without an answer first, then the
    largest differences."""
    groups: dict[str, list[CaseVerdict]] = {}
    for case in failing(report):
        groups.setdefault(name(case), []).append(case)
    return [worst_first(cases) for cases in groups.values()]


def worst_first(cases: list[CaseVerdict]) -> list[CaseVerdict]:
    """Return flaky cases and cases without an answer first, then those with the largest differences."""
    return sorted(cases, key=lambda case: (case.ending is CaseOutcome.FAILED, -abs(case.worst)))


def unsupported_lines(report: SuiteReport) -> list[str]:
    """Return ``CONV_2D uint8 per-tensor, 3 cases: no kernel: ...`` for cases that are not supported and do not fail."""
    groups: dict[tuple[str, str], int] = {}
    for case in report.cases:
        if case.ending is CaseOutcome.NOT_SUPPORTED and not case.wanting:
            key = name(case), summary(case)
            groups[key] = groups.get(key, 0) + 1
    return [f"{kind}, {count_of(number, 'case')}: {why}" for (kind, why), number in groups.items()]


def refusals(report: SuiteReport) -> dict[str, list[CaseVerdict]]:
    """Return the invalid models by operator: those that were not rejected first, those that were not tested last."""
    last = (CaseOutcome.REJECTED, CaseOutcome.NOT_TESTED)
    found: dict[str, list[CaseVerdict]] = {}
    for case in report.cases:
        if case.broken:
            found.setdefault(case.opcode, []).append(case)
    return {
        opcode: sorted(cases, key=lambda case: last.index(case.ending) if case.ending in last else -1)
        for opcode, cases in found.items()
    }


def gap_lines(report: SuiteReport) -> list[tuple[str, list[str]]]:
    """Return the reasons for gaps, each with its operators, types or forms."""
    groups: dict[str, list[str]] = {}
    for one in report.uncovered:
        groups.setdefault(visible(one.reason), []).append(_gap_name(one))
    return list(groups.items())


def _gap_name(gap: MissingCase) -> str:
    """Return ``PAD int16``, ``PAD int16, pads of zero``, or the path of a requirement."""
    if gap.form.startswith(f"{gap.opcode}/"):
        return visible(gap.form)
    return ", ".join(filter(None, (f"{visible(gap.opcode)} {visible(gap.kind)}".strip(), visible(gap.form))))


def summary(case: CaseVerdict) -> str:
    """Return the reason for a case's ending in a phrase."""
    if case.broken:
        return " ".join(filter(None, (visible(case.broken), f"({case.effect})" if case.effect else "")))
    if case.mismatches:
        total, worst = count_of(case.elements, "element"), size_words(case.worst, case.unit)
        return f"{case.mismatches:,} of {total}, by at most {worst}"
    return one_line(case.message) or MEANING[case.ending].rstrip(".")


def details(case: CaseVerdict) -> Iterator[Detail]:
    """Yield the details of a case, in visible characters."""
    if case.mismatches:
        total = f"{count_of(case.elements, 'element')} ({percent(case.mismatches, case.elements)})"
        yield "differ", (f"{case.mismatches:,} of {total}, by at most {size_words(case.worst, case.unit)}",)
    if case.mismatches and worst(case):
        yield "worst", (worst(case),)
    if case.patterns:
        yield "pattern", tuple(visible(gathering_sentence(pattern)) for pattern in case.patterns)
    found = (
        ("tolerance", extent(case.tolerance, case.unit)),
        ("under", case.arithmetic),
        ("matches", ", ".join(case.fits) if case.arithmetic not in case.fits else ""),
        ("breaks", case.broken),
        ("impact", case.effect),
        ("standing", case.standing if case.standing == NOT_CLAIMED else ""),
        ("waived", waiver_text(case)),
        ("excuse", case.excuse if case.excuse != case.fault else ""),
        ("fault", case.fault),
        ("message", one_line(case.message)),
        ("placement", case.delegated),
        ("files", folder(case)),
    )
    yield from ((label, (visible(text),)) for label, text in found if text)


def worst(case: CaseVerdict) -> str:
    """Describe the element with the largest difference: run, index, expected and actual value, inputs."""
    if case.at is None:
        return ""
    made = ", ".join(value_words(value, case.unit) for value in case.operands)
    return spot_words(case.at, case.unit) + (f"; computed from {made}" if made else "")


def title(case: CaseVerdict, limit: int = _TITLE) -> str:
    """Return ``ADD int8: ties``. The default shows all factors of a geometric case."""
    return f"{name(case)}: {shorten(case.title or case.name, limit)}"

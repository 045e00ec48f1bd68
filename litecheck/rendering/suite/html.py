"""HTML page of a suite's report: an expandable table of operators in a single file without external resources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from litecheck.rendering.escape import PHRASE, shorten, visible
from litecheck.rendering.html.page import SHARED, asset, embed_json, interactive, text
from litecheck.rendering.suite import totals, wording
from litecheck.rendering.suite.headline import excused_sentences, headline
from litecheck.rendering.wording.geometry import geometry_sentences
from litecheck.rendering.wording.operator_lines import OperatorLine, operator_words
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.verdict import CaseVerdict, OperatorRow, SuiteReport

_FOLDER = Path(__file__).parent / "page"
_SCRIPTS = (
    *(SHARED / f"{name}.js" for name in ("elements", "controls", "table", "operators")),
    _FOLDER / "page.js",
)
#: Sign of each ending, legible without color.
SIGNS: dict[CaseOutcome, str] = {
    CaseOutcome.PASSED: "=",
    CaseOutcome.TOLERATED: "≈",
    CaseOutcome.FAILED: "≠",
    CaseOutcome.FLAKY: "F",
    CaseOutcome.REFUSED: "R",
    CaseOutcome.CRASHED: "C",
    CaseOutcome.HUNG: "H",
    CaseOutcome.OUT_OF_MEMORY: "M",
    CaseOutcome.NOT_DELEGATED: "N",
    CaseOutcome.NOT_SUPPORTED: "U",
    CaseOutcome.MISSING: "–",
    CaseOutcome.REJECTED: "✓",
    CaseOutcome.ACCEPTED: "!",
    CaseOutcome.BROKE_DOWN: "X",
    CaseOutcome.NOT_TESTED: "·",
}
#: Sections that are absent if they have no content, by the name of their data.
_SECTIONS = ("claims", "refusals", "uncovered", "excused", "untried", "missing", "common")
#: Terms of the page.
_TERMS = {
    "conforms": "Every compared output is bit-exact, or within the stated tolerance. Inputs and shapes that no case has "
    "are not judged: see Not exercised.",
    "arithmetic": "A named set of rounding, accumulation and saturation rules, such as those of a published runtime.",
    "kind of operator": "An operator with a type of activations and a granularity of the weights' scales.",
    "invalid model": "A model that breaks one requirement of the profile, which a device should reject. Its ending does "
    "not fail the device.",
    "LSB": "A step of 1 of the stored integers.",
}
#: Largest number of listed cases of an operator: failing cases, and remaining cases.
_FAILING = 200
_OTHERS = 100
#: Largest number of named cases with missing results of each kind of operator.
_NAMED = 20


def page(report: SuiteReport) -> str:
    """Return the page. Its JSON element has the table and the details of each row."""
    words = _words(report)
    parts = {
        "words": embed_json(words),
        "device": text(wording.device_name(report)),
        "headline": text(headline(report)),
        "verdict": report.verdict,
        "sentence": text(totals.sentence(report)),
        "tally": text(totals.tally(report)),
        "legend": _legend(report),
    }
    body = _drop_empty_sections(asset(_FOLDER / "body.html"), words)
    title = f"{shorten(wording.device_name(report))}: {report.verdict}"
    return interactive(title, body, parts, _SCRIPTS, asset(_FOLDER / "page.css"))


def _drop_empty_sections(body: str, words: Mapping[str, Any]) -> str:
    """Return the body without the sections that have no content."""
    for name in _SECTIONS:
        if not words[name]:
            body = re.sub(rf'<section id="{name}-section".*?</section>\n', "", body, flags=re.DOTALL)
    return body


def _legend(report: SuiteReport) -> str:
    """Return the terms and the endings that occur, each with its sign and meaning."""
    found = report.counts()
    endings = "".join(
        f'<dt><span class="sign" data-outcome="{e.value}">{SIGNS[e]}</span> {e.text}</dt>'
        f"<dd>{text(wording.MEANING[e])}</dd>"
        for e in CaseOutcome
        if e.value in found
    )
    return endings + "".join(f"<dt>{term}</dt><dd>{text(meaning)}</dd>" for term, meaning in _TERMS.items())


def _words(report: SuiteReport) -> dict[str, Any]:
    known = {(row.opcode, row.kind, row.granularity): row for row in report.rows}
    return {
        "device": wording.device_name(report),
        "verdict": report.verdict,
        "headline": headline(report),
        "excused": list(excused_sentences(report)),
        "untried": list(geometry_sentences(report.untried)),
        "sentence": totals.sentence(report),
        "tally": totals.tally(report),
        "facts": list(wording.facts(report)),
        "hashes": list(wording.hashes(report)),
        "counts": dict(report.counts()),
        "outcomes": [
            {"name": e.value, "text": e.text, "sign": SIGNS[e], "meaning": wording.MEANING[e], "bad": e.fails}
            for e in CaseOutcome
        ],
        "operators": [
            _operator(report, line, known[line.opcode, line.kind, line.granularity])
            for line in wording.operators(report)
        ],
        "refusals": [_invalid(opcode, cases) for opcode, cases in wording.refusals(report).items()],
        "claims": list(wording.claims(report)),
        "common": wording.in_common(report),
        "missing": [
            f"{kind}: {_names_text(names)}" for kind, names in totals.missing_by_operator(report).items()
        ],
        "uncovered": wording.gap_lines(report),
    }


def _names_text(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return visible(", ".join(names[:_NAMED])) + more


def _operator(report: SuiteReport, line: OperatorLine, row: OperatorRow) -> dict[str, Any]:
    several = [report.cases[position] for position in line.positions if not report.cases[position].broken]
    failing = [case for case in several if case.wanting]
    others = sorted((case for case in several if not case.wanting), key=lambda case: case.ending.good)
    worst = next((case for case in several if case.name == row.case), None)
    told = operator_words(line)
    del told["positions"]
    return {
        **told,
        "facts": list(_facts(row, report, worst)),
        "failing": [_case(case) for case in wording.worst_first(failing)[:_FAILING]],
        "others": [_case_summary(case) for case in others[:_OTHERS]],
        "more": max(0, len(failing) - _FAILING) + max(0, len(others) - _OTHERS),
    }


def _facts(row: OperatorRow, report: SuiteReport, worst: CaseVerdict | None) -> Iterator[tuple[str, str]]:
    """Yield the facts of an operator beyond its row."""
    found = wording.arithmetic(row, report.arithmetics)
    nearest = row.arithmetic if row.differs and row.arithmetic not in row.fits else ""
    facts = (
        ("arithmetic", found),
        ("also fits", wording.also_fits(row, report.arithmetics)),
        ("nearest", nearest),
        ("worst", wording.worst(worst) if worst else ""),
        ("worst case", visible(row.case)),
        ("in common", "; ".join(wording.in_common_of(row))),
        ("standing", row.standing),
        ("tolerance", visible(row.because)),
    )
    yield from ((label, text) for label, text in facts if text)


def _case(case: CaseVerdict) -> dict[str, Any]:
    details = [(label, [shorten(line, PHRASE) for line in lines]) for label, lines in wording.details(case)]
    return {
        "ending": case.ending.value,
        "title": shorten(case.title or case.name, PHRASE),
        "waived": case.waiver is not None,
        "details": details,
    }


def _case_summary(case: CaseVerdict) -> tuple[str, ...]:
    """Return the ending and the title of a case, and the reason unless it passed."""
    told = (case.ending.value, shorten(case.title or case.name, PHRASE))
    return told if case.ending is CaseOutcome.PASSED else (*told, shorten(wording.summary(case), PHRASE))


def _invalid(opcode: str, cases: list[CaseVerdict]) -> dict[str, Any]:
    """Return the invalid models of an operator: path, impact, type and ending of each."""
    ends: dict[str, int] = {}
    for case in cases:
        ends[case.ending.value] = ends.get(case.ending.value, 0) + 1
    return {
        "opcode": shorten(opcode),
        "ends": ends,
        "cases": [
            (case.ending.value, visible(case.broken), visible(case.effect), _form(case)) for case in cases
        ],
    }


def _form(case: CaseVerdict) -> str:
    return " ".join(filter(None, (case.kind, case.granularity)))

"""HTML page of a validation: verdicts, findings on the graph strip, plots of scales and weights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from litecheck.finding import Finding
from litecheck.rendering.escape import PHRASE, place, shorten, visible
from litecheck.rendering.html.page import SHARED, asset, embed_json, interactive
from litecheck.rendering.validation.configuration import options_line
from litecheck.rendering.validation.graph import cells, rows
from litecheck.rendering.validation.grouping import AlikeFindings, Block, blocks, sort_findings, waived_counts
from litecheck.rendering.validation.plots import plots
from litecheck.rendering.validation.targets import target_facts
from litecheck.report import ModelReport, Report
from litecheck.summary_text import COUNTED, coverage_text

_FOLDER = Path(__file__).parent / "page"
_SCRIPTS = (
    *(SHARED / f"{name}.js" for name in ("elements", "controls", "table", "pictures", "strip")),
    *(_FOLDER / f"{name}.js" for name in ("plots", "model", "page")),
)
#: Number of models that are shown in full; of further models the page has the row, so that it opens.
_DETAILED = 50
_BLOCKS = 200
_PLACES = 30
#: Sign (legible without color) and meaning of each status, and True for an error.
LOOKS: dict[str, tuple[str, str, bool]] = {
    "conforms": ("=", "Every requirement that speaks of it is kept.", False),
    "violates": ("!", "A requirement is not kept.", True),
    "waived": ("w", "A requirement is not kept, and somebody let that pass.", False),
    "structure checked only": ("s", "Its structure was judged; no rule speaks of its quantization.", False),
    "not covered": ("?", "No rule speaks of it: nothing is known.", False),
    "not applicable": ("·", "It has no quantization that could be wrong.", False),
    "not checked": ("?", "Nothing of it could be judged.", True),
    "violation": ("!", "The requirement is not kept.", True),
    "warning": ("~", "The requirement is kept within limits that are worth a look.", False),
    "note": ("i", "It is allowed, and worth knowing.", False),
}
_WORST = ("conforms", "violates", "not checked")


def page(report: Report) -> str:
    """Return the page. Its JSON element has the content; numbers and sentences are those of all other formats."""
    words = _words(report)
    title, parts = f"{words['title']}: {words['verdict']}{_scope(report)}", {"words": embed_json(words)}
    return interactive(title, asset(_FOLDER / "body.html"), parts, _SCRIPTS, asset(_FOLDER / "page.css"))


def _scope(report: Report) -> str:
    """Return the scope of the verdict, if all models are judged and share the scope."""
    scopes = {report.headline(model).removeprefix(report.verdict(model)) for model in report.models}
    return visible(scopes.pop()) if len(scopes) == 1 else ""


def _words(report: Report) -> dict[str, Any]:
    alone = len(report.models) == 1
    order = sorted(range(len(report.models)), key=lambda n: report.verdict(report.models[n]) == "conforms")
    told = set(order[:_DETAILED])
    return {
        "title": visible(report.models[0].name) if alone else "litecheck",
        "verdict": _WORST[report.exit_code],
        "summary": visible(report.summary),
        "facts": list(_run_facts(report)),
        "outcomes": [
            {"name": name, "sign": sign, "meaning": meaning, "bad": fault}
            for name, (sign, meaning, fault) in LOOKS.items()
        ],
        "verdicts": {verdict: number for verdict, number in report.verdicts.items() if number},
        "models": [_model(report, model, n in told) for n, model in enumerate(report.models)],
        "stale": [visible(str(entry)) for entry in report.stale],
    }


def _run_facts(report: Report) -> Iterator[tuple[str, str]]:
    yield from (("litecheck", report.version), ("fails on", report.fail_on))
    if report.selection:
        yield "selection", visible(", ".join(report.selection))
    if report.configuration:
        yield "configuration", options_line(report, verbose=True)


def _why(report: Report, model: ModelReport) -> str:
    """Return the text after the verdict: the scope of the verdict, then its reason."""
    scope = report.headline(model).removeprefix(report.verdict(model)).strip()
    return visible(f"{scope}: {report.explain(model)}" if scope else report.explain(model))


def _model(report: Report, model: ModelReport, told: bool) -> dict[str, Any]:
    counts = {key: model.counts[key] for key in COUNTED}
    row = {
        "name": visible(model.name),
        "verdict": report.verdict(model),
        "why": _why(report, model),
        "size": model.size_text,
        "bytes": model.size,
        "counts": counts,
        "coverage": dict(model.coverage),
        "told": told,
    }
    if not told:
        return row
    findings = sort_findings(model.findings)
    return {
        **row,
        "facts": list(_facts(model)),
        "problems": [visible(str(problem)) for problem in model.problems],
        "remarks": list(map(visible, model.remarks)),
        "blocks": list(map(_block, blocks(model.active)[:_BLOCKS])),
        "waived": [
            (visible(path), number, visible(f"by {w.by}: {w.reason}"))
            for w, path, number in waived_counts(model)
        ],
        "reasons": list(_reasons(model)),
        "cells": cells(model),
        **rows(model, findings, _sentence),
        "plots": plots(model),
    }


def _facts(model: ModelReport) -> Iterator[tuple[str, str]]:
    if model.profiles:
        yield "checked against", visible(model.judges)
    yield "size", model.size_text
    if model.operators:
        yield "operators", coverage_text(model.coverage)
    yield from target_facts(model)


def _reasons(model: ModelReport) -> Iterator[tuple[str, str, int, str]]:
    """Yield (status, opcode, count, reason) of operators that were not checked."""
    for status in ("structure checked only", "not covered"):
        for kind in model.kinds(status):
            yield status, shorten(kind.opcode), kind.count, shorten(kind.reason, PHRASE)


def _block(block: Block) -> dict[str, Any]:
    return {
        "level": block.level,
        "path": visible(block.path),
        "effect": block.effect,
        "places": sum(len(case.findings) for case in block.cases),
        "facts": [(label, visible(text)) for label, text in block.facts],
        "cases": list(map(_case, block.cases[:_PLACES])),
        "more": max(0, len(block.cases) - _PLACES),
    }


def _case(case: AlikeFindings) -> dict[str, Any]:
    places = list(dict.fromkeys(place(finding.where) for finding in case.findings))
    return {
        "found": shorten(case.found, PHRASE),
        "required": shorten(case.required, PHRASE),
        "places": [shorten(one, PHRASE) for one in places[:_PLACES]],
        "more": max(0, len(places) - _PLACES),
    }


def _sentence(finding: Finding) -> tuple[str, str, str]:
    """Return the level, or ``waived``, the path, and the sentence after the name of the operand."""
    operand = f"{visible(finding.where.operand)}: " if finding.where.operand else ""
    state = "waived" if finding.waiver else finding.level
    return state, visible(finding.path), operand + shorten(finding.sentence, 2 * PHRASE)

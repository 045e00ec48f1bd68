"""HTML page of a verification: text, graphics and script in a single file without external resources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from litecheck.devices.outcome import Outcome
from litecheck.rendering.escape import shorten, visible
from litecheck.rendering.html.page import SHARED, asset, embed_json, interactive
from litecheck.rendering.verification.operator_table import operators
from litecheck.rendering.verification.values import LOOKS, by_operator, values
from litecheck.rendering.wording import headlines
from litecheck.rendering.wording import outcomes as wording
from litecheck.rendering.wording.operator_lines import operator_words
from litecheck.rendering.wording.separations import separation_sentence
from litecheck.verification.result import Operation, Verdict, Verification

_FOLDER = Path(__file__).parent / "page"
#: Scripts of the page, in the order of their dependencies.
_SCRIPTS = (
    *(SHARED / f"{name}.js" for name in ("elements", "controls", "table", "operators", "pictures", "strip")),
    *(_FOLDER / f"{name}.js" for name in ("details", "charts", "drift", "cases", "page")),
)
#: Details that the page draws instead.
_DRAWN = frozenset({"histogram", "candidates"})


def page(verification: Verification) -> str:
    """Return the page. Its two JSON elements have the values of the json format, and the sentences of ``wording``."""
    parts = {"verification": embed_json(values(verification)), "words": embed_json(_words(verification))}
    title = f"{shorten(verification.model)}: {verification.verdict}"
    return interactive(title, asset(_FOLDER / "body.html"), parts, _SCRIPTS)


def _words(verification: Verification) -> dict[str, Any]:
    """Return the page's texts beyond the record, so that they agree with all other formats."""
    return {
        "headline": headlines.headline(verification),
        "fits": wording.fits(verification),
        "tally": headlines.tally(verification),
        "facts": list(_facts(verification)),
        "outcomes": [
            {
                "name": outcome.value,
                "text": outcome.text,
                "sign": LOOKS[outcome][0],
                "meaning": wording.MEANING[outcome],
                "bad": outcome.judged and not outcome.good,
            }
            for outcome in Outcome
        ],
        "operators": list(map(operator_words, operators(verification))),
        "cases": [_case(verification, verdict) for verdict in verification.verdicts],
        "strip": list(_strip(verification)),
        "untried": list(wording.untried_properties(verification)),
    }


def _facts(verification: Verification) -> Iterator[tuple[str, str]]:
    facts = (
        ("model", verification.model),
        ("sha256", verification.sha256),
        ("device", verification.described or verification.device),
        ("arithmetic", headlines.fitting_arithmetics(verification)),
        ("mode", wording.mode(verification)),
        ("inputs", verification.inputs),
        ("started", verification.started),
        ("litecheck", verification.version),
        *(("known fault", told) for told in headlines.excused_cases(verification)),
        *(("note", note) for note in verification.notes),
        *(("in common", separation_sentence(s)) for s in verification.across),
    )
    yield from ((label, visible(text)) for label, text in facts if text)


def _case(verification: Verification, verdict: Verdict) -> dict[str, Any]:
    return {
        "number": wording.numbers(verdict),
        "operator": shorten(verdict.opcode),
        "name": shorten(verdict.name),
        "differ": wording.differing(verdict),
        "arithmetic": headlines.fitting(verification, verdict),
        "largest": wording.largest(verdict),
        "details": [d for d in wording.details(verdict) if d[0] not in _DRAWN],
    }


def _strip(verification: Verification) -> Iterator[dict[str, Any]]:
    """Yield the operators in execution order, each with the index of the verdict that the page shows for it."""
    told = by_operator(verification)
    known = {(o.subgraph, o.index): o for o in verification.operations}
    position = {id(verdict): n for n, verdict in enumerate(verification.verdicts)}
    for place in sorted({*known, *told}):
        verdict = told.get(place)
        yield {
            "subgraph": place[0],
            "index": place[1],
            "operator": shorten(_opcode(place[1], known.get(place), verdict)),
            "case": None if verdict is None else position[id(verdict)],
        }


def _opcode(index: int, operation: Operation | None, verdict: Verdict | None) -> str:
    if operation is not None:
        return operation.opcode
    known = () if verdict is None else zip(verdict.operators, verdict.opcodes, strict=False)
    return dict(known).get(index, "")

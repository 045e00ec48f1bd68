"""Verifications of several models in every format: the report of each model in turn, and the worst verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from rich.console import Console
from rich.text import Text

from litecheck.files import from_here
from litecheck.rendering import document as layout
from litecheck.rendering import rows as result
from litecheck.rendering.escape import NAME, shorten, visible
from litecheck.rendering.text_page import VERDICTS, Page
from litecheck.rendering.verification import document as single_document
from litecheck.rendering.verification import operator_table as single_operators
from litecheck.rendering.verification import rows as single_rows
from litecheck.rendering.verification import text as single_text
from litecheck.rendering.verification import values as single_values
from litecheck.rendering.wording import headlines
from litecheck.rendering.wording.operator_lines import OperatorLine
from litecheck.summary_text import count_of
from litecheck.verification.result import Verification
from litecheck.verification.several_models import UnverifiedModel, Verifications

#: Version of the JSON; it increases when a key changes its meaning or is removed.
VERSION = 1


def summary(report: Verifications) -> str:
    """Return ``3 models on tflm: 1 conforms, 2 fail``."""
    words = {"conforms": ("conforms", "conform"), "fails": ("fails", "fail")}
    ends = (f"{n:,} {words.get(v, (v, v))[n > 1]}" for v, n in report.counts().items())
    return f"{count_of(len(report.models), 'model')} on {visible(report.device)}: {', '.join(ends)}"


def results(report: Verifications) -> result.Results:
    """Return the rows of each model; shared rules are listed once."""
    each = [_results(report, one) for one in report.models]
    rules = {rule.id: rule for one in each for rule in one.rules}
    return result.Results(
        "litecheck verify",
        report.version,
        report.exit_code,
        summary(report),
        tuple(subject for one in each for subject in one.subjects),
        tuple(rules.values()),
        tuple(note for one in each for note in one.annotations),
        {"verifications": [one.properties["verification"] for one in each if one.properties]},
        tuple(remark for one in each for remark in one.remarks),
        readable=all(one.readable for one in each),
    )


def _results(report: Verifications, one: Verification | UnverifiedModel) -> result.Results:
    """Return the results of a model, as in a run over that model alone."""
    if isinstance(one, Verification):
        return single_rows.results(one)
    file = from_here(one.model)
    obstacles = tuple(
        result.ResultRow(
            f"file/{p.code}",
            "violation",
            str(p),
            result.RowPlace(file, p.path or "file", offset=p.offset),
            title=str(p),
            identity=result.digest(file, report.device, p.code, p.path, str(number)),
        )
        for number, p in enumerate(one.problems)
    )
    note = result.Annotation("violation", file, "not checked", tuple(row.title for row in obstacles))
    rules = (result.RowRule(row.id, row.title, row.title) for row in obstacles)
    facts = (("litecheck", report.version), ("verdict", one.verdict), ("model", one.model))
    subject = result.Subject(f"{one.model} on {report.device}", one.model, facts, obstacles=obstacles)
    return result.Results(
        "litecheck verify", report.version, 2, "", (subject,), tuple(rules), (note,), {}, readable=False
    )


def document(report: Verifications) -> layout.Document:
    """Return a table of the models, then the details of each; those of failing models are open."""
    rows = tuple(
        (
            (layout.Code(shorten(one.model, 2 * NAME)),),
            (layout.StatusIcon(one.verdict), one.verdict),
            (_tally(one),),
        )
        for one in report.models
    )
    table = layout.TableGrid(("model", "verdict", "cases"), rows)
    parts: tuple[layout.Part, ...] = (table, *map(_fold, report.models))
    title: layout.Line = ("litecheck: ", layout.Code(shorten(report.device, 2 * NAME)))
    facts = (("device", visible(report.described)),)
    return layout.Document("verify", title, report.verdict, summary(report), facts, parts, report.version)


def _tally(one: Verification | UnverifiedModel) -> str:
    if isinstance(one, Verification):
        return headlines.tally(one)
    return visible(str(one.problems[0])) if one.problems else ""


def _fold(one: Verification | UnverifiedModel) -> layout.Collapsible:
    told: tuple[layout.Part, ...] = (layout.ItemList(tuple((visible(str(p)),) for p in _problems(one))),)
    if isinstance(one, Verification):
        whole = single_document.document(one)
        facts = tuple((label, (text,)) for label, text in whole.facts if label != "device")
        told = (layout.FactRows(facts), *whole.parts)
    title = shorten(one.model, 2 * NAME)
    return layout.Collapsible(title, (f": {one.verdict}",), told, one.verdict != "conforms")


def _problems(one: Verification | UnverifiedModel) -> tuple[object, ...]:
    return one.problems if isinstance(one, UnverifiedModel) else ()


def values(report: Verifications) -> dict[str, Any]:
    """Return the JSON values of each model, in a list, with totals."""
    return {
        "litecheck_verifications": VERSION,
        "verdict": report.verdict,
        "exit_code": report.exit_code,
        "counts": dict(report.counts()),
        "version": report.version,
        "device": report.device,
        "described": report.described,
        "models": list(map(_values, report.models)),
    }


def _values(one: Verification | UnverifiedModel) -> dict[str, Any]:
    if isinstance(one, Verification):
        return single_values.values(one)
    return {"model": one.model, "verdict": one.verdict, "problems": list(map(asdict, one.problems))}


def operators(report: Verifications) -> tuple[OperatorLine, ...]:
    """Return the table of operators of each model, with the model's name."""
    return tuple(_lines(report))


def _lines(report: Verifications) -> Iterator[OperatorLine]:
    for one in report.models:
        if isinstance(one, Verification):
            yield from (replace(line, model=one.model) for line in single_operators.operators(one))


def print_report(report: Verifications, console: Console, verbose: bool = False) -> None:
    """Print each model's report, and the number of models by verdict."""
    page = Page(console, verbose)
    for one in report.models:
        if isinstance(one, Verification):
            single_text.print_report(one, console, verbose)
        else:
            page.title(one.model, one.verdict, VERDICTS[one.verdict])
            page.bullets(visible(str(problem)) for problem in one.problems)
        page.line()
    page.line(Text(summary(report), VERDICTS[report.verdict]))


def brief(report: Verifications) -> str:
    """Return the failures of all models, a line each."""
    return "".join(_brief(one) for one in report.models)


def _brief(one: Verification | UnverifiedModel) -> str:
    if isinstance(one, Verification):
        return single_text.brief(one)
    return "".join(f"{visible(one.model)}: not checked: {visible(str(p))}\n" for p in one.problems)

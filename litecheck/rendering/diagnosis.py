"""Report of a diagnosis: conformance page of a device, a row for each unexplained operator, plain values, text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from litecheck.comparison.wording import gathering_sentence
from litecheck.diagnosis.result import Diagnosis, ModelOperator, OperatorDiagnosis
from litecheck.rendering import document as layout
from litecheck.rendering import rows as result
from litecheck.rendering.columns import print_lines, table, width_of
from litecheck.rendering.escape import shorten, visible
from litecheck.rendering.wording import hypotheses as wording
from litecheck.rendering.wording.property_coverage import probed_values, untested_sentence
from litecheck.summary_text import count_of

if TYPE_CHECKING:
    from rich.console import Console

#: Version of the format; it increases when a key changes its meaning or is removed. 2: ``model`` became ``models``.
VERSION = 3
_HEADS = ("operator", "type", "variant", "arithmetic", ">probes", ">outputs", "")
#: Columns of prose if the output has no width.
_WIDTH = 100


def document(diagnosis: Diagnosis) -> layout.Document:
    """Return the document; ``conforms`` means that every answered operator is explained exactly."""
    d = diagnosis
    parts = (
        layout.Heading(("Operators by type, arithmetic and evidence",)),
        _overview(d.operators),
        layout.Heading(("Probes of each operator",)),
        *(_operator(f"operator-{n}", one) for n, one in enumerate(d.operators)),
        *_models(d),
        layout.Heading(("Not tried: of this nothing is known",)),
        layout.ItemList(tuple((text,) for text in _untested_sentences(d)))
        if d.untried
        else layout.Paragraph(("Nothing.",)),
    )
    verdict = wording.VERDICTS[d.exit_code]
    return layout.Document(
        "diagnose", (d.device,), verdict, wording.summary(d), tuple(_facts(d)), parts, d.version
    )


def _untested_sentences(of: Diagnosis | OperatorDiagnosis) -> tuple[str, ...]:
    return tuple(map(untested_sentence, of.untried))


def _facts(diagnosis: Diagnosis) -> Iterator[tuple[str, str]]:
    facts = (
        ("device", diagnosis.described),
        ("version", diagnosis.build),
        ("host", diagnosis.host),
        ("date", diagnosis.started),
        ("models", ", ".join(diagnosis.models)),
        ("probes", f"seed {diagnosis.seed}"),
        ("arithmetic", wording.agreed_arithmetics(diagnosis)),
    )
    yield from ((label, text) for label, text in facts if text)


def _overview(operators: Sequence[OperatorDiagnosis]) -> layout.TableGrid:
    """Return the table of operators, a row each, with links to their details."""
    rows = [
        (
            (layout.StatusIcon(d.conclusion), layout.Link(f"#operator-{n}", d.opcode)),
            (d.form,),
            (", ".join(filter(None, (wording.candidate_text(d), wording.notes(d)))),),
            (_published_names(d),),
            (f"{d.probes:,}",),
            (f"{d.elements:,}",),
        )
        for n, d in enumerate(operators)
    ]
    return layout.TableGrid(("operator", "type", "variant", "arithmetic", ">probes", ">outputs"), tuple(rows))


def _published_names(d: OperatorDiagnosis) -> str:
    return ", ".join(d.fits[0].published) if d.fits else ""


def _operator(anchor: str, d: OperatorDiagnosis) -> layout.Collapsible:
    """Return a kind of operator; open if it is not explained."""
    asked = f" in {count_of(d.inferences, 'inference')}" if d.inferences else ""
    problems, evidence = tuple(wording.problems(d)), tuple(wording.evidence(d))
    rows: tuple[tuple[str, layout.Line], ...] = (
        ("computed by", (wording.candidate_text(d),)),
        ("arithmetic", (_published_names(d),)),
        ("evidence", (f"{count_of(d.elements, 'output')} of {count_of(d.probes, 'probe')}{asked}",)),
        ("wrong", layout.join_lines(problems)),
        ("no answer", layout.join_lines(tuple(wording.silent(d)))),
        ("parameters", layout.join_lines(tuple(f"{had.property}: {probed_values(had)}" for had in d.tried))),
        ("not tried", layout.join_lines(_untested_sentences(d))),
        ("other ways", layout.join_lines(evidence)),
        ("names", layout.join_lines(tuple(f"{o.called} is '{shorten(o.title)}'" for o in d.owned))),
    )
    shown = tuple((label, line) for label, line in rows if any(line))
    opened = d.conclusion in wording.UNEXPLAINED
    return layout.Collapsible(
        d.opcode, (f" {d.form}, {d.conclusion}",), (layout.FactRows(shown),), opened, anchor
    )


def _models(diagnosis: Diagnosis) -> Iterator[layout.Part]:
    """Yield each model with its operators by kind: the number tried, and the number explained."""
    rows = [
        _own_row(model, d, own)
        for model in diagnosis.models
        for d in diagnosis.operators
        if (own := [o for o in d.owned if o.model == model])
    ]
    if rows:
        heads = ("model", "operator", "type", ">tried", ">explained", "")
        yield from (layout.Heading(("Models",)), layout.TableGrid(heads, tuple(rows)))


def _own_row(model: str, d: OperatorDiagnosis, own: Sequence[ModelOperator]) -> tuple[layout.Line, ...]:
    good = sum(o.explained for o in own)
    sign = layout.StatusIcon("explained" if good == len(own) else "not explained")
    wrong = ", ".join(f"{o.called} '{shorten(o.title)}'" for o in own if not o.explained)
    return (shorten(model),), (d.opcode,), (d.form,), (str(len(own)),), (str(good),), (sign, wrong)


def results(diagnosis: Diagnosis) -> result.Results:
    """Return the rows of a device."""
    d = diagnosis
    rows = {id(one): _result(d, one) for one in d.operators if one.conclusion in wording.UNEXPLAINED}
    verdict, found = wording.VERDICTS[d.exit_code], tuple(rows.values())
    facts = [("litecheck", d.version), ("verdict", verdict), ("device", d.described), ("started", d.started)]
    facts += [(label, text) for label, text in (("version", d.build), ("host", d.host)) if text]
    cases = tuple(_case(one, rows.get(id(one))) for one in d.operators)
    subject = result.Subject(d.described, d.device, tuple(facts), found, cases, tuple(_obstacles(d)))
    used = dict.fromkeys(row.id for row in found)
    return result.Results(
        "litecheck diagnose",
        d.version,
        d.exit_code,
        f"{verdict} on {d.device}: {wording.tally(d)}",
        (subject,),
        tuple(
            result.RowRule(_id(end), text, text)
            for end, text in wording.UNEXPLAINED.items()
            if _id(end) in used
        ),
        tuple(result.annotate_rows((*subject.obstacles, *found))),
        {"diagnosis": {"device": d.described, "verdict": verdict, "models": d.models}},
        tuple(
            result.ResultRow("diagnose/not-tried", "note", text, result.RowPlace(d.device))
            for text in _untested_sentences(d)
        ),
    )


def _id(conclusion: str) -> str:
    return f"diagnose/{conclusion.replace(' ', '-')}"


def _result(diagnosis: Diagnosis, d: OperatorDiagnosis) -> result.ResultRow:
    name = f"{d.opcode} {d.form}"
    problems, other = tuple(wording.problems(d)), (*wording.evidence(d), *wording.silent(d))
    details = tuple((label, lines) for label, lines in (("wrong", problems), ("evidence", other)) if lines)
    identity = result.digest(diagnosis.device, d.opcode, d.form, d.conclusion)
    return result.ResultRow(
        _id(d.conclusion),
        "violation",
        f"{d.conclusion} on {diagnosis.device}",
        result.RowPlace(
            diagnosis.device, name, ((d.opcode, d.opcode, "module"), (d.form, d.form, "function"))
        ),
        d.conclusion,
        problems[0] if problems else "",
        details,
        title=f"{name}: {d.conclusion} on {diagnosis.device}",
        full=(*problems, *other),
        fails=True,
        fingerprint=identity,
        identity=identity,
    )


def _case(d: OperatorDiagnosis, row: result.ResultRow | None) -> result.JudgedCase:
    name = f"{d.opcode} {d.form}"
    if row is not None:
        return result.JudgedCase(name, (row,))
    silent = "; ".join(wording.silent(d)) or "no probe was answered"
    aside = (f"computed by: {wording.candidate_text(d)}", *wording.evidence(d)) if d.probes else ()
    return result.JudgedCase(name, reason="" if d.probes else f"{d.conclusion}: {silent}", aside=aside)


def _obstacles(d: Diagnosis) -> Iterator[result.ResultRow]:
    if d.exit_code == 2:
        why = f"{count_of(len(d.operators), 'kind')} of operators tried, none answered"
        text, where = f"not checked on {d.device}: {why}", result.RowPlace(d.device, "device")
        yield result.not_judged("diagnose", where, text, text, d.device, "not-judged")


def print_report(diagnosis: Diagnosis, console: Console, verbose: bool = False) -> None:
    """Print a table, the evidence that distinguishes variants, and the properties not exercised, at the terminal's
    width."""
    print_lines(_lines(diagnosis, width_of(console)), console)


def _lines(diagnosis: Diagnosis, width: int | None) -> Iterator[str]:
    build = f", {visible(diagnosis.build)}" if diagnosis.build else ""
    yield f"{visible(diagnosis.described)}{build}: {wording.headline(diagnosis)}"
    if diagnosis.agreement.groups:
        yield from wrap(f"arithmetic {wording.agreed_arithmetics(diagnosis)}", width or _WIDTH)
    yield wording.summary(diagnosis)
    yield ""
    yield table(_HEADS, map(_columns, diagnosis.operators), width)
    for diagnosed in diagnosis.operators:
        lines = list(_details(diagnosed))
        if lines:
            yield ""
            yield f"{visible(diagnosed.opcode)} {diagnosed.form}: {diagnosed.conclusion}"
            for line in lines:
                yield from _wrap_line(line, width)
    if diagnosis.untried:
        yield ""
        yield "not tried:"
        for line in _untested_sentences(diagnosis):
            yield from _wrap_line(line, width)


def _wrap_line(line: str, width: int | None) -> list[str]:
    return wrap(line, width or _WIDTH, initial_indent="  ", subsequent_indent="    ")


def _columns(d: OperatorDiagnosis) -> tuple[str, ...]:
    counts = str(d.probes), f"{d.elements:,}"
    return (
        visible(d.opcode),
        d.form,
        wording.candidate_text(d),
        _published_names(d),
        *counts,
        wording.notes(d),
    )


def _details(d: OperatorDiagnosis) -> Iterator[str]:
    told = [*wording.problems(d), *wording.evidence(d)]
    yield from told
    yield from wording.operator_names(d, told)
    yield from wording.silent(d)
    if d.untried:
        yield f"not tried: {'; '.join(_untested_sentences(d))}"


def values(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return the diagnosis as plain dicts and lists."""
    return {
        "litecheck_diagnosis": VERSION,
        **asdict(diagnosis),
        "operators": [_record(d) for d in diagnosis.operators],
        "exit_code": diagnosis.exit_code,
        "agreement": asdict(diagnosis.agreement),
    }


def _record(diagnosed: OperatorDiagnosis) -> dict[str, Any]:
    """Return the JSON of an operator with its ``conclusion`` and ``gathers``, the sentences of its patterns."""
    record = {**asdict(diagnosed), "conclusion": diagnosed.conclusion}
    if diagnosed.contrast is not None:
        record["contrast"]["gathers"] = list(map(gathering_sentence, diagnosed.contrast.patterns))
    return record

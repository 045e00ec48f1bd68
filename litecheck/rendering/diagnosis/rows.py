"""A diagnosis as result rows: one for each kind of operator that no way of computing explains."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.diagnose.result import Diagnosed, Diagnosis
from litecheck.rendering.rows import (
    JudgedCase,
    ResultRow,
    Results,
    RowPlace,
    RowRule,
    Subject,
    annotated,
    digest,
)
from litecheck.rendering.wording import hypotheses as wording
from litecheck.report import counted


def results(diagnosis: Diagnosis) -> Results:
    """The rows of one device."""
    d = diagnosis
    rows = {id(one): _row(d, one) for one in d.operators if one.conclusion in wording.UNEXPLAINED}
    verdict, found = wording.VERDICTS[d.exit_code], tuple(rows.values())
    facts = [("litecheck", d.version), ("verdict", verdict), ("device", d.described), ("started", d.started)]
    facts += [(label, text) for label, text in (("version", d.build), ("host", d.host)) if text]
    cases = tuple(_case(one, rows.get(id(one))) for one in d.operators)
    subject = Subject(d.described, d.device, tuple(facts), found, cases, tuple(_obstacles(d)))
    used = dict.fromkeys(row.id for row in found)
    return Results(
        "litecheck diagnose",
        d.version,
        d.exit_code,
        f"{verdict} on {d.device}: {wording.tally(d)}",
        (subject,),
        tuple(RowRule(_id(end), text, text) for end, text in wording.UNEXPLAINED.items() if _id(end) in used),
        tuple(annotated((*subject.obstacles, *found))),
        {"diagnosis": {"device": d.described, "verdict": verdict, "models": d.models}},
        tuple(ResultRow("diagnose/not-tried", "note", text, RowPlace(d.device)) for text in d.untried),
    )


def _id(conclusion: str) -> str:
    return f"diagnose/{conclusion.replace(' ', '-')}"


def _row(diagnosis: Diagnosis, d: Diagnosed) -> ResultRow:
    name = f"{d.opcode} {d.kind}"
    problems, other = tuple(wording.problems(d)), (*wording.evidence(d), *wording.silent(d))
    details = tuple((label, lines) for label, lines in (("wrong", problems), ("evidence", other)) if lines)
    identity = digest("\0".join((diagnosis.device, d.opcode, d.kind, d.conclusion)))
    return ResultRow(
        _id(d.conclusion),
        "violation",
        f"{d.conclusion} on {diagnosis.device}",
        RowPlace(diagnosis.device, name, ((d.opcode, d.opcode, "module"), (d.kind, d.kind, "function"))),
        d.conclusion,
        problems[0] if problems else "",
        details,
        title=f"{name}: {d.conclusion} on {diagnosis.device}",
        full=(*problems, *other),
        fails=True,
        fingerprint=identity,
        identity=identity,
    )


def _case(d: Diagnosed, row: ResultRow | None) -> JudgedCase:
    name = f"{d.opcode} {d.kind}"
    if row is not None:
        return JudgedCase(name, (row,))
    silent = "; ".join(wording.silent(d)) or "no probe was answered"
    aside = (f"computed by: {wording.computed_by(d)}", *wording.evidence(d)) if d.probes else ()
    return JudgedCase(name, gap="" if d.probes else f"{d.conclusion}: {silent}", aside=aside)


def _obstacles(d: Diagnosis) -> Iterator[ResultRow]:
    if d.exit_code == 2:
        why = f"{counted(len(d.operators), 'kind')} of operators tried, none answered"
        text, where = f"not judged on {d.device}: {why}", RowPlace(d.device, "device")
        identity = digest(f"{d.device}\0not-judged")
        yield ResultRow("diagnose/not-judged", "violation", text, where, title=text, identity=identity)

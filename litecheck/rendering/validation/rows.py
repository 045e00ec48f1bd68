"""Result rows of a validation: findings by severity, every operator as a case, and a brief summary."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby

from litecheck.files import from_here
from litecheck.finding import LEVELS, Finding
from litecheck.gate import Gate
from litecheck.rendering import rows as result
from litecheck.rendering.escape import NAME, PHRASE, escape_control, place, shorten, visible
from litecheck.rendering.operator_names import operator_name
from litecheck.rendering.validation.configuration import configuration_row, options_line, policy_values
from litecheck.rendering.validation.grouping import AlikeFindings, Block, blocks, sort_findings
from litecheck.rendering.validation.targets import places_of, target_facts
from litecheck.report import ModelReport, OperatorReport, Report
from litecheck.summary_text import STATUSES, Status, count_of

_HANDFUL = 5
_GAPS: tuple[Status, ...] = ("not covered", "structure checked only")
#: Subgraph and operator, and the tensor for findings without an operator.
_Key = tuple[int, int, "int | None"]


def results(report: Report) -> result.Results:
    """Return the rows of every model."""
    findings = sort_findings(f for model in report.models for f in model.findings)
    return result.Results(
        "litecheck",
        report.version,
        report.exit_code,
        report.summary,
        tuple(_subject(report, model) for model in report.models),
        (*_rules(findings), *_gate_rules(report)),
        tuple(_annotations(report)),
        {"models": [_summary(report, model) for model in report.models], **policy_values(report)},
        (*configuration_row(report), *_stale(report)),
        readable=not any(model.problems for model in report.models),
    )


def brief(report: Report) -> str:
    """Return ``model.tflite: violates: 2 violations, 10 notes``, a line for each model that does not conform, then the
    run.

    Return "" if every model conforms and every operator is covered, except under a selection or a configuration file: a
    verdict with changed settings is always reported.
    """
    judged = [(model, report.verdict(model)) for model in report.models]
    lines = [
        f"{m.name}: {report.headline(m)}: {report.explain(m)}"
        for m, verdict in judged
        if verdict != "conforms"
    ]
    if lines or any(model.coverage["not covered"] for model in report.models) or policy_values(report):
        lines += [*filter(None, [options_line(report)]), report.summary]
    return "".join(f"{visible(line)}\n" for line in lines)


def _subject(report: Report, model: ModelReport) -> result.Subject:
    gates = [(gate, _gate(model, gate)) for gate in report.gates(model)]
    rows = [row for _, case in gates for row in case.rows]
    placed: dict[_Key, list[result.ResultRow]] = defaultdict(list)
    names: dict[_Key, str] = {}
    for finding, identity in finding_identities(model):
        row = _row(report, model, finding, identity)
        rows.append(row)
        w = finding.where
        key = (w.subgraph, w.operator, w.tensor if w.operator < 0 else None)
        placed[key].append(row)
        names.setdefault(key, str(w))
    places = places_of(model)
    # Coverage has a case for each operator.
    cases = [case for gate, case in gates if gate.name != "coverage"]
    cases += [
        _operator(
            report, op, placed.pop((op.subgraph, op.index, None), []), places.get((op.subgraph, op.index), "")
        )
        for op in sorted(model.operators, key=lambda op: (op.subgraph, op.index))
    ]
    cases += [result.JudgedCase(names[key], tuple(others)) for key, others in placed.items()]
    inside = f"{model.member}: " if model.member else ""
    remarks = (
        result.ResultRow("remark", "note", inside + text, result.RowPlace(from_here(model.file)), title=text)
        for text in model.remarks
    )
    facts, obstacles = tuple(_facts(report, model)), tuple(_obstacles(report, model, inside))
    return result.Subject(model.name, model.name, facts, tuple(rows), tuple(cases), obstacles, tuple(remarks))


def finding_identities(model: ModelReport) -> Iterator[tuple[Finding, str]]:
    """Yield the findings in order, each with an identity that is unique over files.

    Fingerprints repeat in two members of a container, and if tensors share a name.
    """
    seen: Counter[str] = Counter()
    for finding in sort_findings(model.findings):
        seen[finding.fingerprint] += 1
        parts = (from_here(model.file), model.member, finding.fingerprint, str(seen[finding.fingerprint]))
        yield finding, result.digest(*parts)


def _row(report: Report, model: ModelReport, f: Finding, identity: str) -> result.ResultRow:
    told, waiver = place(f.where), f"{f.waiver.by}: {f.waiver.reason}" if f.waiver else ""
    see = f" Hint: {f.hint}." if f.hint else ""
    see += f" See {f.see}." if f.see else ""
    full = f"{f.level} {f.path}: {told}: {f.sentence}. Demanded by {f.demanded_by}.{see}"
    return result.ResultRow(
        f.path,
        f.level,
        f.sentence,
        result.RowPlace(from_here(model.file), told, tuple(_steps(model, f))),
        f.effect,
        title=f.title,
        full=(full + (f" [waived by {waiver}]" if waiver else ""),),
        fails=report.fails(f),
        waiver=waiver,
        fingerprint=f.fingerprint,
        identity=identity,
    )


def _steps(model: ModelReport, finding: Finding) -> Iterator[tuple[str, str, str]]:
    w = escape_control(finding.where)
    subgraph = w.subgraph_name or f"subgraph {w.subgraph}"
    inside = f"{visible(model.member)}/" if model.member else ""
    yield subgraph, inside + subgraph, "module"
    if w.operator < 0:
        yield w.name, f"tensor#{w.tensor}", "variable"
    else:
        yield w.name, f"{w.opcode}#{w.operator}", "function"
    if w.operand:
        position = f"[{w.position}]" if w.position is not None else ""
        yield w.tensor_name or "", f"{w.role or 'tensor'}{position}", "parameter"


def _gate(model: ModelReport, gate: Gate) -> result.JudgedCase:
    """Return a run's requirement on the whole model as a case, with a row if the model does not satisfy it."""
    if gate.kept:
        return result.JudgedCase(f"gate: {gate.name}", aside=(gate.found,))
    text, inside = str(gate), f"{model.member}: " if model.member else ""
    row = result.ResultRow(
        f"gate/{gate.name}",
        "violation",
        inside + text,
        result.RowPlace(from_here(model.file), "model"),
        title=text,
        full=(text,),
        fails=True,
        identity=result.digest(f"{_name(model)}/gate/{gate.name}"),
    )
    return result.JudgedCase(f"gate: {gate.name}", (row,))


def _operator(
    report: Report, op: OperatorReport, rows: list[result.ResultRow], place_of: str
) -> result.JudgedCase:
    name = f"{operator_name(op.subgraph, op.index, op.opcode)} '{op.name}'"
    aside = (place_of,) if place_of else ()
    if op.status not in _GAPS:
        return result.JudgedCase(name, tuple(rows), aside=aside)
    required = op.status if report.require_coverage else ""
    return result.JudgedCase(name, tuple(rows), f"{op.status}: {op.reason}", required, aside)


def _facts(report: Report, model: ModelReport) -> Iterator[tuple[str, str]]:
    yield from (("litecheck", report.version), ("verdict", report.verdict(model)))
    if model.selection:
        yield "selection", ", ".join(model.selection)
    if report.configuration:
        yield "configuration", options_line(report)
    yield from (("profiles", ", ".join(model.profiles)), ("size", str(model.size)))
    if model.runtimes:
        yield "runtimes", ", ".join(dict.fromkeys(model.runtimes.values()))
    yield from ((status, str(model.coverage[status])) for status in STATUSES)
    yield from target_facts(model)
    yield from ((effect, str(number)) for effect, number in model.effects.items())


def _obstacles(report: Report, model: ModelReport, inside: str) -> Iterator[result.ResultRow]:
    for number, p in enumerate(model.problems):
        place_of = p.path or (f"byte {p.offset}" if p.offset is not None else "file")
        where = result.RowPlace(from_here(model.file), place_of, offset=p.offset)
        identity, told = result.digest(f"{_name(model)}/{p.code}/{p.path}/{number}"), str(p)
        yield result.ResultRow(
            f"file/{p.code}", "violation", inside + told, where, title=told, identity=identity
        )
    if report.verdict(model) == "not checked" and not model.problems:
        why, where = report.explain(model), result.RowPlace(from_here(model.file), "model")
        text = f"{inside}not checked: {why}"
        yield result.not_judged("model", where, text, why, f"{_name(model)}/not-judged")


def _stale(report: Report) -> Iterator[result.ResultRow]:
    for number, entry in enumerate(report.stale):
        identity = result.digest(f"{entry.file}/{entry.fingerprint}/{number}")
        yield result.ResultRow(
            "baseline/stale", "note", str(entry), result.RowPlace(entry.file), identity=identity
        )


def _rules(findings: Iterable[Finding]) -> Iterator[result.RowRule]:
    """Yield a rule for each requirement, with the level of its most severe finding."""
    for _, of_path in groupby(sorted(findings, key=lambda f: f.path), lambda f: f.path):
        f = next(of_path)
        because = f", because {f.because}" if f.because else ""
        text = f"{f.demanded_by.profile} requires {f.required}{because}"
        facts = {"profile": f.demanded_by.profile, "demandedBy": str(f.demanded_by)}
        yield result.RowRule(f.path, f.title, text, f.level, f.see, facts)


def _gate_rules(report: Report) -> Iterator[result.RowRule]:
    """Yield a rule for each requirement of this run on whole models that a model violates."""
    missed = {gate.name: gate for model in report.models for gate in report.gates(model) if not gate.kept}
    for name, gate in sorted(missed.items()):
        yield result.RowRule(f"gate/{name}", f"gate: {name}", f"this run {gate.required}")


def _summary(report: Report, model: ModelReport) -> dict[str, object]:
    return {
        "name": visible(model.name),
        "verdict": report.verdict(model),
        **({"selection": model.selection} if model.selection else {}),
        "profiles": model.profiles,
        "coverage": model.coverage,
        "counts": model.counts,
        "effects": model.effects,
        "runtimes": dict(model.runtimes),
        **({"targets": dict(target_facts(model))} if model.targets else {}),
    }


def _annotations(report: Report) -> Iterator[result.Annotation]:
    """Yield unchecked models, failed gates, violated requirements by severity, placements and stale baseline entries.

    The options of a configuration file come first, because services show few notes.
    """
    for row in configuration_row(report):
        yield result.Annotation("note", row.where.file, "configuration file in use", (row.message,))
    for model in report.models:
        yield from _unchecked_annotation(report, model)
    for model in report.models:
        for gate in report.gates(model):
            if not gate.kept:
                yield result.Annotation(
                    "violation", from_here(model.file), f"gate: {gate.name}", (*_member(model), str(gate))
                )
    for level in reversed(LEVELS):
        for model in report.models:
            found = blocks(f for f in model.active if f.level == level)
            yield from (_annotation(model, block) for block in found)
    for model in report.models:
        for title, text in target_facts(model):
            yield result.Annotation("note", from_here(model.file), title, (*_member(model), text))
    for entry in report.stale:
        yield result.Annotation("note", entry.file, "stale baseline entry", (str(entry),))


def _unchecked_annotation(report: Report, model: ModelReport) -> Iterator[result.Annotation]:
    if report.verdict(model) != "not checked":
        return
    title = f"not checked: {report.explain(model)}"
    kinds = (*model.kinds("structure checked only"), *model.kinds("not covered"))
    why = list(map(str, model.problems)) or [f"{k.count} x {k.opcode}: {k.reason}" for k in kinds]
    yield result.Annotation(
        "violation", from_here(model.file), title, (*_member(model), *why[:_HANDFUL]) or (title,)
    )


def _annotation(model: ModelReport, block: Block) -> result.Annotation:
    lines = [*_member(model), *(line for case in block.cases[:_HANDFUL] for line in _case(case))]
    if len(block.cases) > _HANDFUL:
        lines.append(f"and {count_of(len(block.cases) - _HANDFUL, 'other case')}")
    lines += [f"because {block.because}"] if block.because else []
    lines.append(f"impact: {block.effect}")
    lines += [f"fix: {block.hint}"] if block.hint else []
    lines += [f"source: {block.see}"] if block.see else []
    lines.append(f"{block.path}, rule {block.demanded_by.profile}, {block.demanded_by}")
    return result.Annotation(block.level, from_here(model.file), block.title, tuple(lines))


def _case(case: AlikeFindings) -> Iterator[str]:
    places = list(dict.fromkeys(place(f.where, NAME) for f in case.findings))
    yield from places[:_HANDFUL]
    if len(places) > _HANDFUL:
        yield f"and {len(places) - _HANDFUL:,} more"
    yield f"found {shorten(case.found, PHRASE)}; required {shorten(case.required, PHRASE)}"


def _name(model: ModelReport) -> str:
    """Return the model's name for services."""
    return from_here(model.file) + (f"!{model.member}" if model.member else "")


def _member(model: ModelReport) -> tuple[str, ...]:
    return (f"in {model.member}",) if model.member else ()

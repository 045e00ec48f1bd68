"""Result rows of a trace, for code hosting services and CI servers."""

from __future__ import annotations

from litecheck.rendering import rows as result
from litecheck.rendering.tracing import wording
from litecheck.tracing.trace_result import Culprit, Trace


def results(trace: Trace) -> result.Results:
    """Return a row for each culprit, and one for each exceeded limit."""
    culprits = {(one.subgraph, one.operator, one.cause): (one, _row(trace, one)) for one in trace.culprits}
    limits = [_limit(trace, text) for text in trace.failures]
    rows = (*(row for _, row in culprits.values()), *limits)
    kept = {row.id: row for row in rows}
    rules = tuple(
        result.RowRule(row_id, _title(row_id), _meaning(row_id), kept[row_id].level) for row_id in kept
    )
    named = wording.culprit_places(trace)
    cases = [
        result.JudgedCase(
            f"{wording.where(one)} {one.name}",
            tuple(
                row
                for culprit, row in culprits.values()
                if culprit.subgraph == one.subgraph and one.operator in (culprit.operator, *culprit.others)
            ),
            aside=() if (one.subgraph, one.operator) in named else (f"SNR alone {one.alone_snr} dB",),
        )
        for one in trace.operators
    ]
    cases += [result.JudgedCase("limits", tuple(limits))] if limits else []
    facts = (("litecheck", trace.version), *wording.facts(trace))
    subject = result.Subject(trace.file, trace.file, facts, rows, tuple(cases))
    return result.Results(
        "litecheck trace", trace.version, trace.exit_code, wording.answer(trace), (subject,), rules,
        tuple(result.annotate_rows(rows)), {"trace": {"float": trace.reference, "samples": trace.samples}},
    )  # fmt: skip


def _row(trace: Trace, one: Culprit) -> result.ResultRow:
    words = wording.CAUSES[one.cause][0]
    message = f"{wording.where(one)} loses {one.avoidable_db:.3g} dB more than it must: {one.detail}"
    details = tuple((label, (text,)) for label, text in wording.culprit_lines(one, trace))
    place = result.RowPlace(
        trace.file, f"{wording.where(one)} '{one.name}'",
        ((f"subgraph {one.subgraph}", f"subgraph {one.subgraph}", "module"), (one.name, wording.where(one), "function")),
    )  # fmt: skip
    identity = result.digest(trace.file, str(one.subgraph), str(one.operator), one.cause)
    return result.ResultRow(
        f"trace/{one.cause}", "violation" if trace.fails(one) else "warning", message, place, words, one.detail, details,
        f"{wording.where(one)}: {words}", result.lines_of(details), fails=trace.fails(one),
        fingerprint=identity, identity=identity,
    )  # fmt: skip


def _limit(trace: Trace, text: str) -> result.ResultRow:
    identity = result.digest(trace.file, text)
    return result.ResultRow(
        "trace/limit", "violation", text, result.RowPlace(trace.file), "limit", text, (), text, (text,),
        fails=True, fingerprint=identity, identity=identity,
    )  # fmt: skip


def _title(row_id: str) -> str:
    cause = row_id.removeprefix("trace/")
    words: dict[str, str] = {name: title for name, (title, _) in wording.CAUSES.items()}
    return f"Avoidable loss: {words[cause]}" if cause in words else "Limit exceeded"


def _meaning(row_id: str) -> str:
    cause = row_id.removeprefix("trace/")
    texts: dict[str, str] = {name: text for name, (_, text) in wording.CAUSES.items()}
    return texts.get(cause, "The model exceeds --min-snr or --max-loss.")

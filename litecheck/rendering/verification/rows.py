"""Result rows of a verification: a row for each failing case, and all cases with their outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from litecheck.devices.outcome import Outcome
from litecheck.files import from_here
from litecheck.rendering import rows as result
from litecheck.rendering.escape import NAME, PHRASE, shorten, visible
from litecheck.rendering.wording import headlines
from litecheck.rendering.wording import outcomes as wording
from litecheck.summary_text import count_of
from litecheck.verification.result import Verdict, Verification

_HANDFUL = 5


def results(verification: Verification) -> result.Results:
    """Return the rows of a model on a device."""
    v = verification
    rows = {id(verdict): _row(v, verdict, *identity) for verdict, *identity in verdict_identities(v)}
    failing = {verdict.outcome for verdict in wording.failing(v)}
    name = f"{v.model} on {v.device}"
    cases = tuple(_case(verdict, rows.get(id(verdict))) for verdict in v.verdicts)
    subject = result.Subject(
        name, v.model, tuple(_facts(v)), tuple(rows.values()), cases, tuple(_obstacles(v))
    )
    return result.Results(
        "litecheck verify",
        v.version,
        v.exit_code,
        f"{headlines.conclusion(v)} on {v.device}: {headlines.tally(v)}",
        (subject,),
        tuple(
            result.RowRule(wording.rule(o), text, text) for o, text in wording.MEANING.items() if o in failing
        ),
        tuple(_annotations(v)),
        {"verification": _summary(v)},
        tuple(
            result.ResultRow(code, "note", text, result.RowPlace(from_here(v.model)))
            for code, text in _remarks(v)
        ),
    )


def verdict_identities(verification: Verification) -> Iterator[tuple[Verdict, str, str]]:
    """Yield the failing cases, each with a fingerprint and an identity that is unique over all devices.

    Both survive edits elsewhere in the model, because they contain names and no numbers.
    """
    seen: Counter[str] = Counter()
    for v in wording.failing(verification):
        fingerprint = result.digest(wording.rule(v.outcome), str(v.subgraph), *v.opcodes, v.name)
        seen[fingerprint] += 1
        parts = (from_here(verification.model), verification.device, fingerprint, str(seen[fingerprint]))
        yield v, fingerprint, result.digest(*parts)


def _row(verification: Verification, verdict: Verdict, fingerprint: str, identity: str) -> result.ResultRow:
    outcome, summary, details = (
        verdict.outcome.text,
        wording.summary(verdict),
        tuple(wording.details(verdict)),
    )
    return result.ResultRow(
        wording.rule(verdict.outcome),
        "violation",
        f"{outcome} on {verification.device}",
        result.RowPlace(from_here(verification.model), wording.title(verdict), tuple(_steps(verdict))),
        outcome,
        summary,
        details,
        title=f"{outcome}: {summary}",
        full=result.lines_of(details),
        fails=True,
        silent=verdict.outcome in wording.BROKEN,
        fingerprint=fingerprint,
        identity=identity,
    )


def _steps(verdict: Verdict) -> Iterator[tuple[str, str, str]]:
    """Yield the path of a case: subgraph, operators, and the worst tensor if a tensor differs."""
    inside = f"subgraph {verdict.subgraph}"
    ends = dict.fromkeys(map(str, (verdict.operators[0], verdict.operators[-1])))
    yield inside, inside, "module"
    yield verdict.name, f"{verdict.opcode}#{'-'.join(ends)}", "function"
    worst = verdict.worst
    if worst is not None and worst.mismatches:
        yield worst.name, f"tensor#{worst.tensor}", "variable"


def _case(verdict: Verdict, row: result.ResultRow | None) -> result.JudgedCase:
    name = wording.title(verdict)
    if row is not None:
        return result.JudgedCase(name, (row,))
    good = verdict.outcome.good
    gap = "" if good else f"{verdict.outcome.text}: {verdict.fault or wording.summary(verdict)}"
    return result.JudgedCase(name, reason=gap, aside=result.lines_of(wording.details(verdict)))


def _facts(v: Verification) -> Iterator[tuple[str, str]]:
    facts = {
        "litecheck": v.version,
        "verdict": v.verdict,
        "model": v.model,
        "sha256": v.sha256,
        "device": v.described,
        "arithmetics": ", ".join(v.arithmetics),
        "mode": v.mode,
        "inputs": v.inputs,
        "fits": ", ".join(v.fits),
        "started": v.started,
        "notes": "; ".join(v.notes),
    }
    yield from ((name, value) for name, value in facts.items() if value)
    yield from ((outcome.value, str(number)) for outcome, number in v.counts().items())


def _obstacles(v: Verification) -> Iterator[result.ResultRow]:
    if v.verdict == "not checked":
        file, tally = from_here(v.model), headlines.tally(v)
        text, where = f"not checked on {v.device}: {tally}", result.RowPlace(file, "model")
        yield result.not_judged("verify", where, text, tally, file, v.device, "not-judged")


def _remarks(v: Verification) -> Iterator[tuple[str, str]]:
    """Yield notes that are not results: unchecked cases, a published arithmetic that fits, and notes of the run."""
    for outcome, opcode, why, verdicts in wording.unjudged_groups(v):
        numbers = ", ".join(f"#{wording.numbers(verdict)}" for verdict in verdicts)
        yield wording.rule(outcome), f"{opcode} {numbers}: {outcome.text}: {why}"
    yield from (("verify/known-fault", told) for told in headlines.excused_cases(v))
    if fits := wording.fits(v):
        yield "verify/fits", fits
    yield from (("verify/note", note) for note in v.notes)


def _summary(v: Verification) -> dict[str, object]:
    return {
        "model": visible(v.model),
        "sha256": v.sha256,
        "device": visible(v.described),
        "arithmetics": list(map(visible, v.arithmetics)),
        "verdict": v.verdict,
        "counts": {outcome.value: n for outcome, n in v.counts().items()},
        "fits": list(map(visible, v.fits)),
    }


def _annotations(v: Verification) -> Iterator[result.Annotation]:
    """Yield an annotation for each outcome and kind of operator."""
    groups: dict[tuple[Outcome, str], list[Verdict]] = {}
    for verdict in wording.failing(v):
        groups.setdefault((verdict.outcome, visible(verdict.opcode)), []).append(verdict)
    for (outcome, opcode), verdicts in groups.items():
        extent = f" ({count_of(len(verdicts), 'case')})" if len(verdicts) > 1 else ""
        title = f"{outcome.text} on {v.device}: {opcode}{extent}"
        yield result.Annotation("violation", from_here(v.model), title, tuple(_annotation_lines(verdicts)))
    if v.verdict == "not checked":
        yield result.Annotation(
            "violation", from_here(v.model), f"not checked on {v.device}", (headlines.tally(v),)
        )
    for outcome, opcode, why, verdicts in wording.unjudged_groups(v):
        title = f"{outcome.text}: {opcode} ({count_of(len(verdicts), 'case')})"
        yield result.Annotation("note", from_here(v.model), title, (shorten(why, PHRASE),))
    if fits := wording.fits(v):
        yield result.Annotation("note", from_here(v.model), "another arithmetic fits", (fits,))


def _annotation_lines(verdicts: list[Verdict]) -> Iterator[str]:
    """Yield a single case in full; of several, a line each."""
    if len(verdicts) == 1:
        (verdict,) = verdicts
        yield wording.title(verdict, NAME)
        for label, lines in wording.details(verdict):
            yield from (f"{label}: {shorten(line, PHRASE)}" for line in lines)
        return
    yield from (
        f"{wording.title(v, NAME)}: {shorten(wording.summary(v), PHRASE)}" for v in verdicts[:_HANDFUL]
    )
    if len(verdicts) > _HANDFUL:
        yield f"and {count_of(len(verdicts) - _HANDFUL, 'other case')}"

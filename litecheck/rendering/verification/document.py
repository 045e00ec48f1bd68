"""Document of a verification: failures with explanations, then a table of all cases."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.rendering import document as layout
from litecheck.rendering.escape import NAME, PHRASE, shorten
from litecheck.rendering.verification.operator_table import operators
from litecheck.rendering.wording import headlines
from litecheck.rendering.wording import outcomes as wording
from litecheck.rendering.wording.operator_lines import operator_grid
from litecheck.rendering.wording.separations import separation_sentence
from litecheck.summary_text import count_of
from litecheck.verification.result import Step, Verdict, Verification

#: Largest number of failing cases: GitHub displays at most a megabyte of Markdown.
_MANY = 50
_ROWS = 1000


def document(verification: Verification) -> layout.Document:
    """Return the document: failing cases are open, tables are folded."""
    v = verification
    model, device = (layout.Code(shorten(name, 2 * NAME)) for name in (v.model, v.device))
    title: layout.Line = ("litecheck: ", model, " on ", device)
    parts = (
        _fits(v),
        _failing_parts(v),
        layout.section("In common", map(separation_sentence, v.across)),
        layout.section("Known faults of the runtime", headlines.excused_cases(v)),
        layout.section("Not checked", _unchecked_parts(v)),
        _untested_parts(v),
        _drift(v),
        _operators(v),
        _cases(v),
    )
    found = tuple(one for part in parts for one in part)
    return layout.Document(
        "verify",
        title,
        v.verdict,
        "; ".join(filter(None, (headlines.remark(v), headlines.tally(v)))),
        tuple(_facts(v)),
        found,
        v.version,
    )


def _facts(verification: Verification) -> Iterator[tuple[str, str]]:
    facts = (
        ("device", verification.described),
        ("arithmetic", headlines.fitting_arithmetics(verification)),
        ("mode", wording.mode(verification)),
        ("inputs", verification.inputs),
        *(("note", note) for note in verification.notes),
    )
    yield from ((label, shorten(text, PHRASE)) for label, text in facts if text)


def _fits(verification: Verification) -> Iterator[layout.Part]:
    """Yield the note on published arithmetics that fit, with their names as code."""
    told = wording.fits(verification, lambda name: f"\0{name}\0")
    if told:
        spans = (layout.Code(text) if n % 2 else text for n, text in enumerate(told.split("\0")))
        yield layout.Paragraph((layout.Bold("Note:"), " ", *spans, "."))


def _failing_parts(verification: Verification) -> Iterator[layout.Part]:
    failing = wording.failing(verification)
    for v in failing[:_MANY]:
        yield layout.case(wording.title(v, NAME), v.outcome.text, wording.details(v))
    if len(failing) > _MANY:
        yield layout.Paragraph((f"and {count_of(len(failing) - _MANY, 'other failing case')}",))


def _unchecked_parts(verification: Verification) -> Iterator[layout.Line]:
    for outcome, opcode, why, verdicts in wording.unjudged_groups(verification):
        yield f"{len(verdicts):,} × ", layout.Code(opcode), f", {outcome.text}: {shorten(why, PHRASE)}"


def _untested_parts(verification: Verification) -> Iterator[layout.Part]:
    kinds: list[layout.Line] = [
        (layout.Code(kind), f": {', '.join(parameters)}")
        for kind, parameters in wording.untried_properties(verification)
    ]
    if kinds:
        yield layout.Collapsible(
            "Not exercised",
            (": properties that no operator of the model has",),
            (layout.ItemList(tuple(kinds)),),
        )


def _drift(verification: Verification) -> Iterator[layout.Part]:
    if not verification.drift:
        return
    steps = wording.drifting(verification)
    told = ": the device on its own outputs, compared with the reference end to end"
    same = count_of(len(verification.drift) - len(steps), "tensor")
    heads = (">#", "operator", ">largest", ">rms", ">differ", "", "tensor")
    yield layout.Collapsible(
        "Drift", (f"{told}; {same} without difference",), (layout.TableGrid(heads, tuple(map(_step, steps))),)
    )


def _step(step: Step) -> tuple[layout.Line, ...]:
    return (
        (str(step.operator),),
        _name(step.opcode),
        (wording.amount(step.largest, step.unit),),
        (f"{step.rms:.3g}",),
        (f"{100 * step.share:.3g} %",),
        ("error enters" if step.entered else "",),
        _name(step.name),
    )


def _operators(verification: Verification) -> Iterator[layout.Part]:
    """Yield the table of operators, which the report of a suite also has."""
    lines = operators(verification)
    if lines:
        told = f": {count_of(len(lines), 'kind of operators', 'kinds of operators')}, by type and granularity of weights"
        yield layout.Collapsible("Operators", (told,), (operator_grid(lines, _ROWS),))


def _cases(verification: Verification) -> Iterator[layout.Part]:
    verdicts = verification.verdicts
    if not verdicts:
        return
    heads = (">#", "operator", "outcome", ">differ", ">largest", "arithmetic", "name")
    rows = tuple(_row(verification, v) for v in verdicts[:_ROWS])
    cut = f", of which {_ROWS:,} are shown" if len(verdicts) > _ROWS else ""
    yield layout.Collapsible(
        "Every case", (f": {count_of(len(verdicts), 'case')}{cut}",), (layout.TableGrid(heads, rows),)
    )


def _row(verification: Verification, v: Verdict) -> tuple[layout.Line, ...]:
    tried = f", {v.exhaustive}" if v.exhaustive else ""
    end = "fails" if verification.failing(v) else ("conforms" if v.outcome.good else "not checked")
    return (
        (wording.numbers(v),),
        _name(v.opcode),
        (layout.StatusIcon(end), f"{v.outcome.text}{tried}"),
        (wording.differing(v),),
        (wording.largest(v),),
        (headlines.fitting(verification, v),),
        _name(v.name),
    )


def _name(text: str) -> layout.Line:
    return (layout.Code(shorten(text)),)

"""A validation as a document: a table over the models, then the details of each."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.rendering.document import (
    Code,
    Document,
    Fold,
    Heading,
    ItemList,
    Line,
    LineBreak,
    Link,
    Paragraph,
    Part,
    Sign,
    Span,
    TableGrid,
    listed,
)
from litecheck.rendering.escape import NAME, PHRASE, place, shorten
from litecheck.rendering.validation.grouping import AlikeFindings, Block, blocks, waived
from litecheck.report import COUNTED, STATUSES, ModelReport, Report, Status, counted

_HANDFUL = 5
_DOZEN = 12
_REASONED: tuple[tuple[Status, str], ...] = (
    ("structure only", "Structure only"),
    ("not covered", "Not covered"),
)


def document(report: Report) -> Document:
    """Details are folded, those of failing models open."""
    parts: list[Part] = [_table(report), *(_model(report, model) for model in report.models)]
    if report.stale:
        stale: tuple[Line, ...] = tuple((str(entry),) for entry in report.stale)
        parts += [Heading(("Stale baseline entries",)), listed(stale, _DOZEN)]
    return Document("validate", ("litecheck",), "", report.summary, (), tuple(parts), report.version)


def _table(report: Report) -> TableGrid:
    rows: list[tuple[Line, ...]] = []
    for model in report.models:
        verdict = report.verdict(model)
        numbers = [*model.coverage.values(), *(model.counts[key] for key in COUNTED[:3])]
        name = Code(shorten(model.name, 2 * NAME))
        rows.append(((name,), (Sign(verdict), verdict), *((f"{n:,}",) for n in numbers)))
    heads = ("model", "verdict", *(f">{status}" for status in STATUSES))
    return TableGrid((*heads, *(f">{key}s" for key in COUNTED[:3])), tuple(rows))


def _model(report: Report, model: ModelReport) -> Fold:
    verdict = report.verdict(model)
    title = shorten(model.name, 2 * NAME)
    return Fold(
        title,
        (f": {verdict}, {report.explain(model)}",),
        tuple(_details(model)),
        verdict != "conforms",
    )


def _details(model: ModelReport) -> Iterator[Part]:
    judged = f", judged by {model.judges}" if model.profiles else ""
    yield Paragraph((f"{model.size_text}{judged}",))
    for texts in (tuple(map(str, model.problems)), model.remarks):
        if texts:
            yield listed(tuple((text,) for text in texts), _DOZEN)
    for block in blocks(model.active):
        yield from _block(block)
    for status, title in _REASONED:
        kinds: list[Line] = [
            (f"{k.count:,} × ", Code(k.opcode), f": {shorten(k.reason, PHRASE)}") for k in model.kinds(status)
        ]
        if kinds:
            yield from (Heading((title,), 2), listed(tuple(kinds), _DOZEN))
    groups: list[Line] = [
        (f"{n:,} × ", Code(path), f": by {w.by}: {w.reason}") for w, path, n in waived(model)
    ]
    if groups:
        yield from (Heading(("Waived",), 2), listed(tuple(groups), _DOZEN))


def _block(block: Block) -> Iterator[Part]:
    count = f" ({block.extent})" if block.extent else ""
    yield Heading((f"{block.level}: ", Code(block.path), count), 2)
    cases = list(map(_case, block.cases[:_HANDFUL]))
    if len(block.cases) > _HANDFUL:
        cases.append((f"and {counted(len(block.cases) - _HANDFUL, 'other case')}",))
    yield ItemList(tuple(cases))
    because = f"Because {block.because}. " if block.because else ""
    demand = f"{because}Effect: {block.effect}. Demanded by {block.demanded_by.profile} in "
    see: tuple[Span, ...] = (" See ", Link(block.see), ".") if block.see else ()
    yield Paragraph((demand, Code(str(block.demanded_by)), ".", *see))


def _case(case: AlikeFindings) -> Line:
    places = list(dict.fromkeys(place(f.where, NAME) for f in case.findings))
    told: list[Span] = []
    for where in places[:_HANDFUL]:
        told += [Code(where), LineBreak()]
    if len(places) > _HANDFUL:
        told += [f"and {len(places) - _HANDFUL:,} more", LineBreak()]
    found, required = shorten(case.found, PHRASE), shorten(case.required, PHRASE)
    return (*told, f"found {found}; required {required}")

"""Document of a validation: a table of the models, then the details of each model."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.rendering import document as layout
from litecheck.rendering.escape import NAME, PHRASE, place, shorten
from litecheck.rendering.validation.configuration import options_line
from litecheck.rendering.validation.grouping import AlikeFindings, Block, blocks, waived_counts
from litecheck.rendering.validation.headline import headline, size_and_profiles
from litecheck.rendering.validation.targets import target_lines
from litecheck.report import ModelReport, Report
from litecheck.summary_text import COUNTED, STATUSES, Status, count_of

_HANDFUL = 5
_DOZEN = 12
_REASONED: tuple[tuple[Status, str], ...] = (
    ("structure checked only", "Structure checked only"),
    ("not covered", "Not covered"),
)


def document(report: Report) -> layout.Document:
    """Return the document: details are folded, those of failing models open."""
    parts: list[layout.Part] = [_table(report), *(_model(report, model) for model in report.models)]
    parts += layout.section("Stale baseline entries", map(str, report.stale), _DOZEN)
    facts = (("configuration", options_line(report)),) if report.configuration else ()
    return layout.Document(
        "validate", ("litecheck",), "", report.summary, facts, tuple(parts), report.version
    )


def _table(report: Report) -> layout.TableGrid:
    rows: list[tuple[layout.Line, ...]] = []
    for model in report.models:
        verdict = report.verdict(model)
        numbers = [*model.coverage.values(), *(model.counts[key] for key in COUNTED[:3])]
        name = layout.Code(shorten(model.name, 2 * NAME))
        rows.append(
            ((name,), (layout.StatusIcon(verdict), report.headline(model)), *((f"{n:,}",) for n in numbers))
        )
    heads = ("model", "verdict", *(f">{status}" for status in STATUSES))
    return layout.TableGrid((*heads, *(f">{key}s" for key in COUNTED[:3])), tuple(rows))


def _model(report: Report, model: ModelReport) -> layout.Collapsible:
    verdict = report.verdict(model)
    title = shorten(model.name, 2 * NAME)
    return layout.Collapsible(
        title,
        (f": {headline(report, model)}; {report.explain(model)}",),
        tuple(_details(model)),
        verdict != "conforms",
    )


def _details(model: ModelReport) -> Iterator[layout.Part]:
    if described := size_and_profiles(model).removesuffix(": "):
        yield layout.Paragraph((described,))
    for line in target_lines(model):
        yield layout.Paragraph((line,))
    for texts in (tuple(map(str, model.problems)), model.remarks):
        if texts:
            yield layout.short_list(tuple((text,) for text in texts), _DOZEN)
    for block in blocks(model.active):
        yield from _block(block)
    for status, title in _REASONED:
        kinds = (
            (f"{k.count:,} × ", layout.Code(k.opcode), f": {shorten(k.reason, PHRASE)}")
            for k in model.kinds(status)
        )
        yield from layout.section(title, kinds, _DOZEN, 2)
    groups = (
        (f"{n:,} × ", layout.Code(path), f": by {w.by}: {w.reason}") for w, path, n in waived_counts(model)
    )
    yield from layout.section("Waived", groups, _DOZEN, 2)


def _block(block: Block) -> Iterator[layout.Part]:
    count = f" ({block.extent})" if block.extent else ""
    yield layout.Heading((f"{block.level}: ", layout.Code(block.path), count), 2)
    cases = list(map(_case, block.cases[:_HANDFUL]))
    if len(block.cases) > _HANDFUL:
        cases.append((f"and {count_of(len(block.cases) - _HANDFUL, 'other case')}",))
    yield layout.ItemList(tuple(cases))
    because = f"Measured: {block.measurement_text} " if block.measurement_text else ""
    because += f"Because {block.because}. " if block.because else ""
    fix = f"Fix: {block.hint}. " if block.hint else ""
    source: tuple[layout.Span, ...] = ("Source: ", layout.Link(block.see), ". ") if block.see else ()
    rule = (f"Rule: {block.demanded_by.profile}, ", layout.Code(str(block.demanded_by)), ".")
    yield layout.Paragraph((f"{because}Impact: {block.effect}. {fix}", *source, *rule))


def _case(case: AlikeFindings) -> layout.Line:
    places = list(dict.fromkeys(place(f.where, NAME) for f in case.findings))
    told: list[layout.Span] = []
    for where in places[:_HANDFUL]:
        told += [layout.Code(where), layout.LineBreak()]
    if len(places) > _HANDFUL:
        told += [f"and {len(places) - _HANDFUL:,} more", layout.LineBreak()]
    found, required = shorten(case.found, PHRASE), shorten(case.required, PHRASE)
    return (*told, f"found {found}; required {required}")

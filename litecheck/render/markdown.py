"""The report as a GitHub job summary: a table over the models, then the details of each."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from litecheck.render.escape import NAME, PHRASE, shorten, visible
from litecheck.render.escape import place as place_of
from litecheck.render.grouping import Block, Case, blocks, waived
from litecheck.report import COUNTED, STATUSES, ModelReport, Report, Status, counted

_HANDFUL = 5
_DOZEN = 12
_ICONS = {"conforms": "✅", "violates": "❌", "not judged": "⚠️"}


def render(report: Report) -> str:
    """GitHub-flavoured Markdown; details are folded, those of failing models open."""
    lines = ["## litecheck", "", plain(report.summary), "", *_table(report)]
    for model in report.models:
        lines += _model(report, model)
    if report.stale:
        lines += ["", "### Stale baseline entries", ""]
        lines += _items([plain(str(entry)) for entry in report.stale])
    return "\n".join([*lines, "", f"litecheck {plain(report.version)}"]) + "\n"


def plain(text: str) -> str:
    """Text that Markdown shows as it is: no markup, no HTML, no formula, no table border."""
    return re.sub(r"([\\`*_\[\]#|~<>&$])", r"\\\1", visible(text))


def code(text: str) -> str:
    """A code span around any text: its fence is longer than every run of backticks inside."""
    text = visible(text)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) or not text else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _table(report: Report) -> Iterator[str]:
    heads = [
        "model",
        "verdict",
        *STATUSES,
        *(f"{key}s" if key != "waived" else "waived" for key in COUNTED[:3]),
    ]
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * 2}{' ---: |' * (len(heads) - 2)}"
    for model in report.models:
        verdict = report.verdict(model)
        numbers = [f"{n:,}" for n in model.coverage.values()]
        numbers += [f"{model.counts[key]:,}" for key in COUNTED[:3]]
        name = code(shorten(model.name, 2 * NAME)).replace("|", "\\|")
        yield f"| {name} | {_ICONS[verdict]} {verdict} | {' | '.join(numbers)} |"


_REASONED: tuple[tuple[Status, str], ...] = (
    ("structure only", "Structure only"),
    ("not covered", "Not covered"),
)


def _model(report: Report, model: ModelReport) -> Iterator[str]:
    verdict = report.verdict(model)
    name = html.escape(shorten(model.name, 2 * NAME))
    opened = "" if verdict == "conforms" else " open"
    judged = f", judged by {model.judges}" if model.profiles else ""
    yield from ("", f"<details{opened}>")
    yield f"<summary><b>{name}</b>: {verdict}, {html.escape(report.explain(model))}</summary>"
    yield from ("", plain(f"{model.size_text}{judged}"))
    if model.problems:
        yield from ("", *_items([plain(str(problem)) for problem in model.problems]))
    if model.remarks:
        yield from ("", *_items([plain(remark) for remark in model.remarks]))
    for block in blocks(model.active):
        yield from ("", *_block(block))
    for status, title in _REASONED:
        kinds = [
            f"{k.count:,} × {code(k.opcode)}: {plain(shorten(k.reason, PHRASE))}" for k in model.kinds(status)
        ]
        if kinds:
            yield from ("", f"#### {title}", "", *_items(kinds))
    groups = waived(model)
    if groups:
        told = [f"{n:,} × {code(path)}: by {plain(f'{w.by}: {w.reason}')}" for w, path, n in groups]
        yield from ("", "#### Waived", "", *_items(told))
    yield from ("", "</details>")


def _block(block: Block) -> Iterator[str]:
    count = f" ({block.extent})" if block.extent else ""
    yield from (f"#### {block.level}: {code(block.path)}{count}", "")
    for case in block.cases[:_HANDFUL]:
        yield from _case(case)
    if len(block.cases) > _HANDFUL:
        yield f"- and {counted(len(block.cases) - _HANDFUL, 'other case')}"
    yield ""
    demand = f"Demanded by {plain(block.demanded_by.profile)} in {code(str(block.demanded_by))}."
    because = f"Because {plain(block.because)}. " if block.because else ""
    see = f" See {_link(block.see)}." if block.see else ""
    yield f"{because}Effect: {plain(block.effect)}. {demand}{see}"


def _link(see: str) -> str:
    return f"<{see}>" if re.fullmatch(r"https?://[!-;=?-~]+", see) else plain(see)


def _case(case: Case) -> Iterator[str]:
    places = list(dict.fromkeys(code(place_of(f.where, NAME)) for f in case.findings))
    shown = places[:_HANDFUL]
    if len(shown) < len(places):
        shown.append(f"and {len(places) - len(shown):,} more")
    found, required = plain(shorten(case.found, PHRASE)), plain(shorten(case.required, PHRASE))
    yield f"- {'<br>'.join(shown)}<br>found {found}; required {required}"


def _items(items: Sequence[str]) -> Iterator[str]:
    for item in items[:_DOZEN]:
        yield f"- {item}"
    if len(items) > _DOZEN:
        yield f"- and {len(items) - _DOZEN:,} more"

"""The report as GitHub workflow annotations, one per requirement and model: GitHub shows ten of a kind."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.render.escape import NAME, PHRASE, place, shorten, slashed, visible
from litecheck.render.grouping import Block, Case, blocks
from litecheck.report import LEVELS, ModelReport, Report, counted

_COMMANDS = {"violation": "error", "warning": "warning", "note": "notice"}
_HANDFUL = 5


def render(report: Report) -> str:
    """Annotations, the gravest first, then the summary as a plain line."""
    lines = [line for model in report.models for line in _unjudged(report, model)]
    for level in reversed(LEVELS):
        for model in report.models:
            found = (f for f in model.active if f.level == level)
            lines += [_block(model, block) for block in blocks(found)]
    lines += [command("notice", e.file, "stale baseline entry", visible(str(e))) for e in report.stale]
    return "\n".join([*lines, f"litecheck: {report.summary}"]) + "\n"


def _unjudged(report: Report, model: ModelReport) -> Iterator[str]:
    title = f"not judged: {report.explain(model)}"
    if model.problems:
        told = [visible(str(p)) for p in model.problems[:_HANDFUL]]
        yield command("error", model.file, title, "\n".join([*_member(model), *told]))
    elif report.verdict(model) == "not judged":
        kinds = (*model.kinds("structure only"), *model.kinds("not covered"))
        why = [f"{k.count} x {visible(k.opcode)}: {visible(k.reason)}" for k in kinds[:_HANDFUL]]
        yield command("error", model.file, title, "\n".join([*_member(model), *why]) or title)


def _block(model: ModelReport, block: Block) -> str:
    lines = [*_member(model), *(line for case in block.cases[:_HANDFUL] for line in _case(case))]
    if len(block.cases) > _HANDFUL:
        lines.append(f"and {counted(len(block.cases) - _HANDFUL, 'other case')}")
    if block.because:
        lines.append(f"because {visible(block.because)}")
    lines.append(f"effect: {block.effect}")
    if block.see:
        lines.append(f"see {visible(block.see)}")
    lines.append(visible(f"{block.path}, demanded by {block.demanded_by.profile} in {block.demanded_by}"))
    return command(_COMMANDS[block.level], model.file, block.title, "\n".join(lines))


def _case(case: Case) -> Iterator[str]:
    places = list(dict.fromkeys(place(f.where, NAME) for f in case.findings))
    yield from places[:_HANDFUL]
    if len(places) > _HANDFUL:
        yield f"and {len(places) - _HANDFUL:,} more"
    yield f"found {shorten(case.found, PHRASE)}; required {shorten(case.required, PHRASE)}"


def _member(model: ModelReport) -> list[str]:
    return [f"in {visible(model.member)}"] if model.member else []


def command(name: str, file: str, title: str, message: str) -> str:
    """One annotation of a file; ``message`` is escaped but for its line ends, which it may have."""
    properties = f"file={_property(visible(slashed(file)))},title={_property(visible(title))}"
    return f"::{name} {properties}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

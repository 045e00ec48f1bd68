"""What a device computes, for people at a terminal: a table, and what tells ways apart."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from litecheck.diagnose.result import Diagnosed, Diagnosis
from litecheck.rendering.columns import table
from litecheck.rendering.escape import visible
from litecheck.rendering.wording import hypotheses as wording

_HEADS = ("operator", "type", "computed by", "as in", ">probes", ">outputs", "")
#: Columns of prose where no terminal says how many it has.
_WIDTH = 100


def text(diagnosis: Diagnosis, width: int | None = None) -> str:
    """A table, what tells ways apart, and what was not tried; no line of prose wider than ``width``."""
    return "\n".join(_lines(diagnosis, width)) + "\n"


def _lines(diagnosis: Diagnosis, width: int | None) -> Iterator[str]:
    build = f", {visible(diagnosis.build)}" if diagnosis.build else ""
    yield f"{visible(diagnosis.described)}{build}: {wording.summary(diagnosis)}"
    yield ""
    yield table(_HEADS, map(_row, diagnosis.operators), width)
    for diagnosed in diagnosis.operators:
        lines = list(_details(diagnosed))
        if lines:
            yield ""
            yield f"{visible(diagnosed.opcode)} {diagnosed.kind}: {diagnosed.conclusion}"
            for line in lines:
                yield from _wrapped(line, width)
    if diagnosis.untried:
        yield ""
        yield "not tried:"
        for line in diagnosis.untried:
            yield from _wrapped(line, width)


def _wrapped(line: str, width: int | None) -> list[str]:
    return wrap(line, width or _WIDTH, initial_indent="  ", subsequent_indent="    ")


def _row(d: Diagnosed) -> tuple[str, ...]:
    published = ", ".join(d.fits[0].published) if d.fits else ""
    counts = str(d.probes), f"{d.elements:,}"
    return visible(d.opcode), d.kind, wording.computed_by(d), published, *counts, wording.notes(d)


def _details(d: Diagnosed) -> Iterator[str]:
    told = [*wording.problems(d), *wording.evidence(d)]
    yield from told
    yield from wording.named(d, told)
    yield from wording.silent(d)
    if d.untried:
        yield f"not tried: {'; '.join(d.untried)}"

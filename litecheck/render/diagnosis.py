"""What a device computes: for people, with the inputs that tell, and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from textwrap import wrap
from typing import Any

from litecheck.render.columns import table
from litecheck.render.escape import shorten, visible
from litecheck.report import counted
from litecheck.verify.diagnosis.result import Diagnosed, Diagnosis, Excluded

#: Raised when a key changes its meaning or goes away.
VERSION = 1
_HEADS = ("operator", "type", "computed by", "as in", ">probes", ">outputs", "")
#: Exclusions shown for each operator; the JSON document has all.
_SHOWN = 4
_MESSAGE = 160
#: Columns of prose where no terminal says how many it has.
_WIDTH = 100


def described(diagnosis: Diagnosis, form: str, width: int | None = None) -> str:
    """A table and what tells ways apart, or one JSON document."""
    return _json(diagnosis) if form == "json" else "\n".join(_text(diagnosis, width)) + "\n"


def _text(diagnosis: Diagnosis, width: int | None) -> Iterator[str]:
    elements = sum(d.elements for d in diagnosis.operators)
    probes = sum(d.probes for d in diagnosis.operators)
    model = f", with the operators of {visible(diagnosis.model)}" if diagnosis.model else ""
    yield f"{visible(diagnosis.described)}: {counted(elements, 'output')} of {counted(probes, 'probe')}{model}"
    yield ""
    yield table(_HEADS, map(_row, diagnosis.operators), width)
    for diagnosed in diagnosis.operators:
        lines = list(_details(diagnosed))
        if lines:
            yield ""
            yield f"{diagnosed.opcode} {diagnosed.kind}: {diagnosed.conclusion}"
            for line in lines:
                yield from wrap(line, width or _WIDTH, initial_indent="  ", subsequent_indent="    ")


def _row(d: Diagnosed) -> tuple[str, ...]:
    usual = d.fits[0] if d.fits else None
    way = str(usual) if usual else d.conclusion
    more = counted(len(d.fits) - 1, "other") + " not told apart" if len(d.fits) > 1 else ""
    missing = f"{len(d.unanswered)} not answered" if d.unanswered and d.probes else ""
    notes = ", ".join(filter(None, (more, missing)))
    published = ", ".join(usual.published) if usual else ""
    return d.opcode, d.kind, way, published, str(d.probes), f"{d.elements:,}", notes


def _details(d: Diagnosed) -> Iterator[str]:
    yield from (f"not told apart by any input tried: {way}" for way in d.fits[1:])
    if d.nearest:
        share = f"{d.nearest.differing:,} of {d.nearest.size:,} outputs differ"
        yield f"nearest is {d.nearest.example.way}: {share}"
        yield f"such as {d.nearest.example.sentence}"
    if d.fault:
        yield f"a known fault of this runtime: {visible(d.fault)}"
    known = sorted(d.excluded, key=_telling)
    yield from (f"not {excluded.way}: {excluded.sentence}" for excluded in known[:_SHOWN])
    rest = known[_SHOWN:]
    if rest:
        yield f"nor {counted(len(rest), 'other way')}"
    messages = (f"{u.outcome.value}: {shorten(u.fault or u.message, _MESSAGE)}" for u in d.unanswered)
    yield from dict.fromkeys(messages)


def _telling(excluded: Excluded) -> bool:
    """Published ways come first."""
    return not excluded.way.published


def _json(diagnosis: Diagnosis) -> str:
    document: dict[str, Any] = {
        "litecheck_diagnosis": VERSION,
        **asdict(diagnosis),
        "operators": [{**asdict(d), "conclusion": d.conclusion} for d in diagnosis.operators],
        "exit_code": diagnosis.exit_code,
    }
    return json.dumps(document, indent=2) + "\n"

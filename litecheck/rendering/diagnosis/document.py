"""A diagnosis as a document, the conformance page of a device: operator by type, parameters, arithmetic and evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from litecheck.diagnose.result import Diagnosed, Diagnosis, Owned
from litecheck.rendering.document import (
    Document,
    FactRows,
    Fold,
    Heading,
    ItemList,
    Line,
    Link,
    Paragraph,
    Part,
    Sign,
    TableGrid,
    broken,
)
from litecheck.rendering.escape import shorten
from litecheck.rendering.wording import hypotheses as wording
from litecheck.report import counted


def document(diagnosis: Diagnosis) -> Document:
    """``conforms`` means that every operator that answered is explained exactly."""
    d = diagnosis
    parts = (
        Heading(("Operators by type, arithmetic and evidence",)),
        _overview(d.operators),
        Heading(("What each was asked for",)),
        *(_operator(f"operator-{n}", one) for n, one in enumerate(d.operators)),
        *_models(d),
        Heading(("Not tried: of this nothing is known",)),
        ItemList(tuple((text,) for text in d.untried)) if d.untried else Paragraph(("Nothing.",)),
    )
    verdict = wording.VERDICTS[d.exit_code]
    return Document("diagnose", (d.device,), verdict, wording.summary(d), tuple(_facts(d)), parts, d.version)


def _facts(diagnosis: Diagnosis) -> Iterator[tuple[str, str]]:
    facts = (
        ("device", diagnosis.described),
        ("version", diagnosis.build),
        ("host", diagnosis.host),
        ("date", diagnosis.started),
        ("models", ", ".join(diagnosis.models)),
        ("probes", f"seed {diagnosis.seed}"),
    )
    yield from ((label, text) for label, text in facts if text)


def _overview(operators: Sequence[Diagnosed]) -> TableGrid:
    """A line each; what was asked of it stands where the line leads."""
    rows = [
        (
            (Sign(d.conclusion), Link(f"#operator-{n}", d.opcode)),
            (d.kind,),
            (", ".join(filter(None, (wording.computed_by(d), wording.notes(d)))),),
            (_published(d),),
            (f"{d.probes:,}",),
            (f"{d.elements:,}",),
        )
        for n, d in enumerate(operators)
    ]
    return TableGrid(("operator", "type", "computed by", "as in", ">probes", ">outputs"), tuple(rows))


def _published(d: Diagnosed) -> str:
    return ", ".join(d.fits[0].published) if d.fits else ""


def _operator(anchor: str, d: Diagnosed) -> Fold:
    """One kind of operator; open where it is not explained."""
    asked = f" in {counted(d.inferences, 'inference')}" if d.inferences else ""
    problems, evidence = tuple(wording.problems(d)), tuple(wording.evidence(d))
    rows: tuple[tuple[str, Line], ...] = (
        ("computed by", (wording.computed_by(d),)),
        ("as in", (_published(d),)),
        ("evidence", (f"{counted(d.elements, 'output')} of {counted(d.probes, 'probe')}{asked}",)),
        ("wrong", broken(problems)),
        ("no answer", broken(tuple(wording.silent(d)))),
        ("parameters", broken(tuple(f"{name}: {values}" for name, values in d.tried))),
        ("not tried", broken(d.untried)),
        ("other ways", broken(evidence)),
        ("names", broken(tuple(f"{o.called} is '{shorten(o.title)}'" for o in d.owned))),
    )
    shown = tuple((label, line) for label, line in rows if any(line))
    opened = d.conclusion in wording.UNEXPLAINED
    return Fold(d.opcode, (f" {d.kind}, {d.conclusion}",), (FactRows(shown),), opened, anchor)


def _models(diagnosis: Diagnosis) -> Iterator[Part]:
    """Each model with its operators by kind: how many were tried, and whether all they gave is explained."""
    rows = [
        _row(model, d, own)
        for model in diagnosis.models
        for d in diagnosis.operators
        if (own := [o for o in d.owned if o.model == model])
    ]
    if rows:
        heads = ("model", "operator", "type", ">tried", ">explained", "")
        yield from (Heading(("Models",)), TableGrid(heads, tuple(rows)))


def _row(model: str, d: Diagnosed, own: Sequence[Owned]) -> tuple[Line, ...]:
    good = sum(o.explained for o in own)
    sign = Sign("explained" if good == len(own) else "not explained")
    wrong = ", ".join(f"{o.called} '{shorten(o.title)}'" for o in own if not o.explained)
    return (shorten(model),), (d.opcode,), (d.kind,), (str(len(own)),), (str(good),), (sign, wrong)

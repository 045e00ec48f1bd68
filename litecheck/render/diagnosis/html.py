"""The conformance page of a device: operator by type, parameters, arithmetic and evidence, in one file without scripts."""

from __future__ import annotations

import html
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from string import Template

from litecheck.diagnose.result import Diagnosed, Diagnosis, Owned
from litecheck.render.diagnosis import wording
from litecheck.render.escape import shorten, visible
from litecheck.report import counted

_OWN = Path(__file__).parent / "page"
#: The page of a verification, whose colours and letters this one has.
_SHARED = Path(__file__).parent.parent / "verification" / "page"
#: What stands for a conclusion beside its colour.
SIGNS = {
    "named": "=",
    "not told apart": "≈",
    "none fits": "≠",
    "not repeatable": "F",
    "not answered": "–",
    "explained": "=",
    "not explained": "≠",
}
_VERDICTS = {0: "conforms", 1: "fails", 2: "not judged"}


def render(diagnosis: Diagnosis) -> str:
    """The page. ``conforms`` means that every operator that answered is explained exactly."""
    style = "\n".join(
        path.read_text(encoding="utf-8") for path in (_SHARED / "page.css", _OWN / "device.css")
    )
    verdict = _VERDICTS[diagnosis.exit_code]
    parts = {
        "policy": _policy(style),
        "title": _text(f"{shorten(diagnosis.device)}: {verdict}"),
        "style": style,
        "device": _text(diagnosis.device),
        "verdict": verdict,
        "summary": _text(wording.summary(diagnosis)),
        "facts": "\n".join(_facts(diagnosis)),
        "overview": _overview(diagnosis.operators),
        "operators": "\n".join(_operator(f"operator-{n}", d) for n, d in enumerate(diagnosis.operators)),
        "models": _models(diagnosis),
        "untried": _list(diagnosis.untried) or "<p>Nothing.</p>",
    }
    return Template((_OWN / "device.html").read_text(encoding="utf-8")).substitute(parts)


def _policy(style: str) -> str:
    """Nothing may be loaded, and nothing applies but the page's own style."""
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _text(text: str) -> str:
    """Any text as what a page may show: no markup, nothing invisible."""
    return html.escape(visible(text))


def _list(items: Iterable[str], style: str = "") -> str:
    shown = "".join(f"<li>{_text(item)}</li>" for item in items)
    attribute = f' class="{style}"' if style else ""
    return f"<ul{attribute}>{shown}</ul>" if shown else ""


def _facts(diagnosis: Diagnosis) -> Iterator[str]:
    facts = (
        ("device", diagnosis.described),
        ("version", diagnosis.build),
        ("host", diagnosis.host),
        ("date", diagnosis.started),
        ("models", ", ".join(diagnosis.models)),
        ("probes", f"seed {diagnosis.seed}"),
        ("litecheck", diagnosis.version),
    )
    for label, text in facts:
        if text:
            yield f"<div><dt>{label}</dt><dd>{_text(text)}</dd></div>"


def _sign(conclusion: str) -> str:
    return (
        f'<span class="sign" data-conclusion="{conclusion}" title="{conclusion}">{SIGNS[conclusion]}</span>'
    )


def _overview(operators: Sequence[Diagnosed]) -> str:
    """Operator, type, arithmetic and evidence, a line each; what was asked of it stands where the line leads."""
    heads = "".join(
        f"<th>{h}</th>" for h in ("operator", "type", "computed by", "as in", "probes", "outputs")
    )
    rows = "".join(_line(f"#operator-{n}", d) for n, d in enumerate(operators))
    return f'<div class="scroll"><table class="rows"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'


def _line(link: str, d: Diagnosed) -> str:
    published = ", ".join(d.fits[0].published) if d.fits else ""
    cells = (d.kind, ", ".join(filter(None, (wording.computed_by(d), wording.notes(d)))), published)
    shown = "".join(f"<td>{_text(cell)}</td>" for cell in cells)
    counts = f'<td class="number">{d.probes:,}</td><td class="number">{d.elements:,}</td>'
    return f'<tr><td>{_sign(d.conclusion)}<a href="{link}">{_text(d.opcode)}</a></td>{shown}{counts}</tr>'


def _operator(anchor: str, d: Diagnosed) -> str:
    published = ", ".join(d.fits[0].published) if d.fits else ""
    problems, evidence = list(wording.problems(d)), list(wording.evidence(d))
    asked = f" in {counted(d.inferences, 'inference')}" if d.inferences else ""
    names = [f"{o.called} is '{shorten(o.title)}'" for o in d.owned]
    rows = (
        ("computed by", _text(wording.computed_by(d))),
        ("as in", _text(published)),
        ("evidence", _text(f"{counted(d.elements, 'output')} of {counted(d.probes, 'probe')}{asked}")),
        ("wrong", _list(problems, "wrong")),
        ("no answer", _list(wording.silent(d))),
        ("parameters", _parameters(d.tried)),
        ("not tried", _list(d.untried)),
        ("other ways", _folded(counted(len(d.excluded), "way") + " excluded", evidence) if evidence else ""),
        ("names", _folded(f"{counted(len(names), 'operator')} of models", names) if names else ""),
    )
    cells = "".join(f"<dt>{label}</dt><dd>{content}</dd>" for label, content in rows if content)
    title = f"{_sign(d.conclusion)}{_text(d.opcode)} <span>{_text(d.kind)}, {d.conclusion}</span>"
    return f'<article class="operator" id="{anchor}"><h3>{title}</h3><dl>{cells}</dl></article>'


def _parameters(tried: Sequence[tuple[str, str]]) -> str:
    cells = "".join(f"<dt>{_text(name)}</dt><dd>{_text(values)}</dd>" for name, values in tried)
    return f"<details><summary>what probes had</summary><dl>{cells}</dl></details>" if cells else ""


def _folded(summary: str, items: Sequence[str]) -> str:
    return f"<details><summary>{_text(summary)}</summary>{_list(items)}</details>"


def _models(diagnosis: Diagnosis) -> str:
    """Each model with its operators by kind: how many were tried, and whether all they gave is explained."""
    rows = "".join(_model(model, diagnosis.operators) for model in diagnosis.models)
    if not rows:
        return ""
    heads = "".join(f"<th>{head}</th>" for head in ("model", "operator", "type", "tried", "explained", ""))
    table = f'<table class="rows"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
    table = f'<div class="scroll">{table}</div>'
    return f'<section aria-labelledby="models-title"><h2 id="models-title">Models</h2>{table}</section>'


def _model(model: str, operators: Sequence[Diagnosed]) -> str:
    return "".join(
        _row(model, d, own) for d in operators if (own := [o for o in d.owned if o.model == model])
    )


def _row(model: str, d: Diagnosed, own: Sequence[Owned]) -> str:
    good = [o for o in own if o.explained]
    conclusion = "explained" if len(good) == len(own) else "not explained"
    wrong = ", ".join(f"{o.called} '{shorten(o.title)}'" for o in own if not o.explained)
    cells = (shorten(model), d.opcode, d.kind)
    shown = "".join(f"<td>{_text(cell)}</td>" for cell in cells)
    counts = f'<td class="number">{len(own)}</td><td class="number">{len(good)}</td>'
    return f"<tr>{shown}{counts}<td>{_sign(conclusion)}{_text(wrong)}</td></tr>"

"""What ``--quiet`` says: a line for each model or case that fails, nothing where all is well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from litecheck.rendering.escape import NAME, PHRASE, shorten, visible

if TYPE_CHECKING:
    from litecheck.report import Report
    from litecheck.verify.outcome import Verification


def models(report: Report) -> str:
    """``model.tflite: violates: 2 violations, 10 notes``, a line each, then the run in one line.

    Empty where every model conforms and no operator is left without a judgement.
    """
    lines = []
    for model in report.models:
        verdict = report.verdict(model)
        if verdict != "conforms":
            lines.append(f"{model.name}: {verdict}: {report.explain(model)}")
    if lines or any(model.lacking for model in report.models):
        lines.append(report.summary)
    return "".join(f"{visible(line)}\n" for line in lines)


def cases(verification: Verification) -> str:
    """``model.tflite: mismatch: CONV_2D #12 'conv': 3 of 64 elements ...``, a line each."""
    from litecheck.rendering.wording import outcomes as wording

    model = visible(verification.model)
    lines = [
        f"{model}: {v.outcome.value}: {wording.title(v, NAME)}: {shorten(wording.gist(v), PHRASE)}"
        for v in wording.failing(verification)
    ]
    if verification.verdict == "not judged":
        lines.append(f"{model}: not judged: {wording.tally(verification)}")
    return "".join(f"{line}\n" for line in lines)

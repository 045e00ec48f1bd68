"""The report for ``--quiet``: one line a model that does not conform, and the total where anything is open."""

from __future__ import annotations

from litecheck.render.escape import visible
from litecheck.report import Report


def render(report: Report) -> str:
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

"""The report as a GitLab Code Quality artifact."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from litecheck.render.escape import place, slashed, visible
from litecheck.render.grouping import digest, identified
from litecheck.report import ModelReport, Report

_SEVERITIES = {"violation": "major", "warning": "minor", "note": "info"}


def render(report: Report) -> str:
    """A JSON list of issues; what is waived is left out, what cannot be judged is a blocker."""
    issues = [issue for model in report.models for issue in _issues(report, model)]
    for number, entry in enumerate(report.stale):
        identity = digest(f"{entry.file}/{entry.fingerprint}/{number}")
        issues.append(issue(str(entry), "baseline/stale", identity, "info", entry.file))
    return json.dumps(issues, indent=2) + "\n"


def _issues(report: Report, model: ModelReport) -> Iterator[dict[str, Any]]:
    for number, problem in enumerate(model.problems):
        identity = f"{model.name}/{problem.code}/{problem.path}/{number}"
        yield issue(str(problem), f"file/{problem.code}", digest(identity), "blocker", model.file)
    if report.verdict(model) == "not judged" and not model.problems:
        text = f"not judged: {report.explain(model)}"
        yield issue(text, "model/not-judged", digest(f"{model.name}/not-judged"), "blocker", model.file)
    for finding, identity in identified(model):
        if finding.waiver is None:
            text = f"{place(finding.where)}: {finding.sentence}"
            yield issue(text, finding.path, identity, _SEVERITIES[finding.level], model.file)


def issue(text: str, check: str, fingerprint: str, severity: str, file: str) -> dict[str, Any]:
    """One entry, at line 1 of the file."""
    return {
        "description": visible(text),
        "check_name": visible(check),
        "fingerprint": fingerprint,
        "severity": severity,
        "location": {"path": visible(slashed(file)), "lines": {"begin": 1}},
    }

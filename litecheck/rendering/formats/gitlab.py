"""GitLab Code Quality: a JSON list of issues."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from litecheck.rendering.escape import json_document, use_forward_slashes, visible
from litecheck.rendering.report_view import JUDGEMENTS, Format, ReportView

if TYPE_CHECKING:
    from litecheck.rendering.rows import ResultRow, Results

_SEVERITIES = {"violation": "major", "warning": "minor", "note": "info"}


def render(sheet: ReportView) -> str:
    """Return the issues: waived rows are omitted, unchecked subjects are blockers, missing answers are critical."""
    return json_document(list(_issues(sheet.results())))


def _issues(results: Results) -> Iterator[dict[str, Any]]:
    for subject in results.subjects:
        yield from (_issue(row, row.message, "blocker") for row in subject.obstacles)
        for row in subject.rows:
            if not row.waiver:
                text = f"{row.where.text}: {row.message}" + (f": {row.summary}" if row.summary else "")
                yield _issue(row, text, "critical" if row.silent else _SEVERITIES[row.level])
    yield from (_issue(row, row.message, _SEVERITIES[row.level]) for row in results.remarks if row.identity)


def _issue(row: ResultRow, text: str, severity: str) -> dict[str, Any]:
    """Return an issue, at line 1 of the file."""
    return {
        "description": visible(text),
        "check_name": visible(row.id),
        "fingerprint": row.identity,
        "severity": severity,
        "location": {"path": visible(use_forward_slashes(row.where.file)), "lines": {"begin": 1}},
    }


FORMAT = Format("gitlab", "GitLab Code Quality", JUDGEMENTS, render)

"""Plain values of a suite's report, as schemas/suite-report.schema.json describes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, get_origin, get_type_hints

from litecheck.comparison.admitted_arithmetics import PublishedAgreement
from litecheck.comparison.wording import gathering_sentence
from litecheck.suite.verdict import CaseVerdict, OperatorRow, SuiteReport
from litecheck.typed_json import encode

#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 1


def values(report: SuiteReport) -> dict[str, Any]:
    """Return the report with derived values: verdict, exit code and counts."""
    derived = {
        "litecheck_suite_report": VERSION,
        "verdict": report.verdict,
        "exit_code": report.exit_code,
        "counts": dict(report.counts()),
        "agreement": encode(report.agreement, PublishedAgreement),
        "required": report.required,
        "missing": report.missing,
    }
    hints = get_type_hints(SuiteReport)
    record = {
        field.name: encode(getattr(report, field.name), hints[field.name])
        for field in fields(SuiteReport)
        if field.name not in ("rows", "cases")
    }
    cases = list(map(_case, report.cases))
    return {**derived, **record, "rows": list(map(_row, report.rows)), "cases": cases}


def _case(case: CaseVerdict) -> dict[str, Any]:
    """Return a case's JSON with ``gathers``, the sentences of its patterns."""
    return {**encode(case, CaseVerdict), "gathers": list(map(gathering_sentence, case.patterns))}


def _row(row: OperatorRow) -> dict[str, Any]:
    hints = get_type_hints(OperatorRow)

    def value(name: str) -> Any:
        plain = get_origin(hints[name]) is Mapping
        return dict(getattr(row, name)) if plain else encode(getattr(row, name), hints[name])

    return {**{field.name: value(field.name) for field in fields(OperatorRow)}, "verdict": row.verdict}

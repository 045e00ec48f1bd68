"""SARIF 2.1.0, in the subset that GitHub code scanning reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from litecheck.finding import LEVELS, Level
from litecheck.rendering.escape import json_document, uri, visible
from litecheck.rendering.report_view import JUDGEMENTS, Format, ReportView
from litecheck.summary_text import count_of

if TYPE_CHECKING:
    from litecheck.rendering.rows import ResultRow, Results, RowPlace, RowRule

#: GitHub rejects a run with more results.
MOST_RESULTS = 25_000
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: dict[Level, str] = {"violation": "error", "warning": "warning", "note": "note"}
_PROBLEM_SEVERITIES: dict[Level, str] = {"violation": "error", "warning": "warning", "note": "recommendation"}


def render(sheet: ReportView) -> str:
    """Return a SARIF run over all subjects. Binary files have no lines: results are at line 1 and name the operator."""
    results = sheet.results()
    every = tuple(results.rows)
    rows = _most_severe(every)
    used = {row.id for row in rows}
    rules = [rule for rule in results.rules if rule.id in used]
    index = {rule.id: number for number, rule in enumerate(rules)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {"name": "litecheck", "version": results.version, "rules": list(map(_rule, rules))}
        },
        "invocations": [_invocation(results, len(every) - len(rows))],
        "results": [_result(row, index[row.id]) for row in rows],
        "columnKind": "unicodeCodePoints",
        "properties": results.properties,
    }
    if any(row.waiver for row in rows):
        # The standard wants suppressions on every result of a run or on none.
        for result in run["results"]:
            result.setdefault("suppressions", [])
    return json_document({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _most_severe(rows: Sequence[ResultRow]) -> list[ResultRow]:
    """Return as many rows as GitHub accepts, without the least severe, in order."""

    def mildness(number: int) -> tuple[bool, int]:
        return bool(rows[number].waiver), -LEVELS.index(rows[number].level)

    return [rows[number] for number in sorted(sorted(range(len(rows)), key=mildness)[:MOST_RESULTS])]


def _rule(rule: RowRule) -> dict[str, Any]:
    text = visible(rule.text)
    told: dict[str, Any] = {
        "id": visible(rule.id),
        "shortDescription": {"text": visible(rule.title)},
        "fullDescription": {"text": text},
        "help": {"text": f"{text}. See {visible(rule.see)}" if rule.see else text},
        "defaultConfiguration": {"level": _LEVELS[rule.level]},
        "properties": {
            "precision": "very-high",
            "problem.severity": _PROBLEM_SEVERITIES[rule.level],
            "tags": ["quantization"],
            **rule.properties,
        },
    }
    if rule.see.startswith(("https://", "http://")) and rule.see.isprintable() and " " not in rule.see:
        told["helpUri"] = rule.see
    return told


def _result(row: ResultRow, index: int) -> dict[str, Any]:
    details = (f" | {label}: {'; '.join(lines)}" for label, lines in row.details)
    result: dict[str, Any] = {
        "ruleId": visible(row.id),
        "ruleIndex": index,
        "level": _LEVELS[row.level],
        "message": _message(f"{row.where.text}: {row.message}.{''.join(details)}"),
        "locations": [_location(row.where)],
        "properties": {"effect": row.effect},
        # GitHub distinguishes results of the same line by primaryLocationLineHash alone.
        "partialFingerprints": {"litecheck/v1": row.fingerprint, "primaryLocationLineHash": row.identity},
    }
    if row.waiver:
        result["suppressions"] = [{"kind": "external", "justification": visible(row.waiver)}]
    return result


def _message(text: str) -> dict[str, str]:
    """Return a plain text message; a space separates brackets from parentheses, which SARIF would read as a link."""
    return {"text": visible(text).replace("](", "] (")}


def _location(where: RowPlace) -> dict[str, Any]:
    logical, path = [], []
    for name, step, kind in where.steps:
        path.append(visible(step))
        logical.append({"name": visible(name), "fullyQualifiedName": "/".join(path), "kind": kind})
    physical = {"artifactLocation": {"uri": uri(where.file)}, "region": {"startLine": 1}}
    return {"physicalLocation": physical, "logicalLocations": logical}


def _invocation(results: Results, cut: int) -> dict[str, Any]:
    remarks = [row for s in results.subjects for row in (*s.obstacles, *s.remarks)]
    notifications = [_notification(row) for row in (*remarks, *results.remarks)]
    if cut:
        told = f"{count_of(cut, 'result')} left out: the mildest"
        notifications.append(_notify("warning", "results-cut", told))
    invocation = {"executionSuccessful": results.readable, "exitCode": results.exit_code}
    return invocation | ({"toolExecutionNotifications": notifications} if notifications else {})


def _notification(row: ResultRow) -> dict[str, Any]:
    """Return a notification for a remark: about the whole run, or about a file if the row names a file."""
    told = _notify(_LEVELS[row.level], row.id, row.message)
    if row.where.file:
        physical: dict[str, Any] = {"artifactLocation": {"uri": uri(row.where.file)}}
        if row.where.offset is not None:
            physical["region"] = {"byteOffset": row.where.offset}
        told["locations"] = [{"physicalLocation": physical}]
    return told


def _notify(level: str, code: str, text: str) -> dict[str, Any]:
    return {"level": level, "descriptor": {"id": visible(code)}, "message": _message(text)}


FORMAT = Format("sarif", "SARIF 2.1.0, for GitHub code scanning and editors", JUDGEMENTS, render)

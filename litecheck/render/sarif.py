"""The report as SARIF 2.1.0, in the subset that GitHub code scanning reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from litecheck.render.escape import place, tame, uri, visible
from litecheck.render.grouping import identified, ordered
from litecheck.report import LEVELS, Finding, Level, ModelReport, Report, counted

#: GitHub refuses a run with more results.
MOST_RESULTS = 25_000
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: dict[Level, str] = {"violation": "error", "warning": "warning", "note": "note"}
_PROBLEM_SEVERITIES: dict[Level, str] = {"violation": "error", "warning": "warning", "note": "recommendation"}
_Located = tuple[ModelReport, Finding, str]


def render(report: Report) -> str:
    """One run over every model. A binary file has no lines: results stand at line 1 and name the operator."""
    every = [(model, f, identity) for model in report.models for f, identity in identified(model)]
    located = _gravest(every)
    rules = _rules([f for _, f, _ in located])
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    notifications = [n for model in report.models for n in _notifications(report, model)]
    notifications += [notification("note", "stale-baseline", str(e), e.file) for e in report.stale]
    if len(every) > len(located):
        cut = counted(len(every) - len(located), "result")
        notifications.append(notification("warning", "results-cut", f"{cut} left out: the mildest"))
    run: dict[str, Any] = {
        "tool": {"driver": {"name": "litecheck", "version": report.version, "rules": rules}},
        "invocations": [_invocation(report, notifications)],
        "results": [_result(*item, index) for item in located],
        "columnKind": "unicodeCodePoints",
        "properties": {"models": [_summary(report, model) for model in report.models]},
    }
    if any(f.waiver for _, f, _ in located):
        # The standard wants suppressions on every result of a run or on none.
        for result in run["results"]:
            result.setdefault("suppressions", [])
    return document(run)


def document(run: dict[str, Any]) -> str:
    """One run as a SARIF log."""
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _gravest(located: list[_Located]) -> list[_Located]:
    def mildness(number: int) -> tuple[bool, int]:
        finding = located[number][1]
        return finding.waiver is not None, -LEVELS.index(finding.level)

    kept = sorted(range(len(located)), key=mildness)[:MOST_RESULTS]
    return [located[number] for number in sorted(kept)]


def _rules(findings: list[Finding]) -> list[dict[str, Any]]:
    by_path = sorted(ordered(findings), key=lambda f: f.path)
    return [_rule(next(fs)) for _, fs in groupby(by_path, lambda f: f.path)]


def _rule(gravest: Finding) -> dict[str, Any]:
    f = gravest
    because = f", because {f.because}" if f.because else ""
    full = visible(f"{f.demanded_by.profile} requires {f.required}{because}")
    rule: dict[str, Any] = {
        "id": visible(f.path),
        "shortDescription": {"text": visible(f.title)},
        "fullDescription": {"text": full},
        "help": {"text": f"{full}. See {visible(f.see)}" if f.see else full},
        "defaultConfiguration": {"level": _LEVELS[f.level]},
        "properties": {
            "precision": "very-high",
            "problem.severity": _PROBLEM_SEVERITIES[f.level],
            "tags": ["quantization"],
            "profile": f.demanded_by.profile,
            "demandedBy": str(f.demanded_by),
        },
    }
    if f.see.startswith(("https://", "http://")) and f.see.isprintable() and " " not in f.see:
        rule["helpUri"] = f.see
    return rule


def _result(model: ModelReport, finding: Finding, identity: str, index: dict[str, int]) -> dict[str, Any]:
    path = visible(finding.path)
    result: dict[str, Any] = {
        "ruleId": path,
        "ruleIndex": index[path],
        "level": _LEVELS[finding.level],
        "message": message(f"{place(finding.where)}: {finding.sentence}."),
        "locations": [_location(model, finding)],
        "properties": {"effect": finding.effect},
        # GitHub tells results of one line apart by primaryLocationLineHash alone.
        "partialFingerprints": {"litecheck/v1": finding.fingerprint, "primaryLocationLineHash": identity},
    }
    if finding.waiver is not None:
        why = visible(f"{finding.waiver.by}: {finding.waiver.reason}")
        result["suppressions"] = [{"kind": "external", "justification": why}]
    return result


def message(text: str) -> dict[str, str]:
    """Plain text: SARIF would make a link of brackets followed by parentheses."""
    return {"text": visible(text).replace("](", "] (")}


def _location(model: ModelReport, finding: Finding) -> dict[str, Any]:
    w = tame(finding.where)
    subgraph = w.subgraph_name or f"subgraph {w.subgraph}"
    parts = [(subgraph, subgraph, "module")]
    if w.operator < 0:
        parts.append((w.name, f"tensor#{w.tensor}", "variable"))
    else:
        parts.append((w.name, f"{w.opcode}#{w.operator}", "function"))
    if w.operand:
        position = f"[{w.position}]" if w.position is not None else ""
        parts.append((w.tensor_name or "", f"{w.role or 'tensor'}{position}", "parameter"))
    qualified = [visible(model.member)] if model.member else []
    logical = []
    for name, step, kind in parts:
        qualified.append(step)
        logical.append({"name": name, "fullyQualifiedName": "/".join(qualified), "kind": kind})
    physical = {"artifactLocation": {"uri": uri(model.file)}, "region": {"startLine": 1}}
    return {"physicalLocation": physical, "logicalLocations": logical}


def _invocation(report: Report, notifications: list[dict[str, Any]]) -> dict[str, Any]:
    invocation: dict[str, Any] = {
        "executionSuccessful": not any(model.problems for model in report.models),
        "exitCode": report.exit_code,
    }
    if notifications:
        invocation["toolExecutionNotifications"] = notifications
    return invocation


def _notifications(report: Report, model: ModelReport) -> Iterator[dict[str, Any]]:
    inside = f"{model.member}: " if model.member else ""
    for problem in model.problems:
        yield notification("error", problem.code, f"{inside}{problem}", model.file, problem.offset)
    if report.verdict(model) == "not judged" and not model.problems:
        text = f"{inside}not judged: {report.explain(model)}"
        yield notification("warning", "not-judged", text, model.file)
    for remark in model.remarks:
        yield notification("note", "remark", f"{inside}{remark}", model.file)


def notification(
    level: str, code: str, text: str, file: str = "", offset: int | None = None
) -> dict[str, Any]:
    """What is no result: of the whole run, or of a file where one is named."""
    told: dict[str, Any] = {
        "level": level,
        "descriptor": {"id": visible(code)},
        "message": message(text),
    }
    if file:
        physical: dict[str, Any] = {"artifactLocation": {"uri": uri(file)}}
        if offset is not None:
            physical["region"] = {"byteOffset": offset}
        told["locations"] = [{"physicalLocation": physical}]
    return told


def _summary(report: Report, model: ModelReport) -> dict[str, Any]:
    return {
        "name": visible(model.name),
        "verdict": report.verdict(model),
        "profiles": model.profiles,
        "coverage": model.coverage,
        "counts": model.counts,
        "effects": model.effects,
        "runtimes": dict(model.runtimes),
    }

"""JSON of a validation: everything, in a stable order; schemas/report.schema.json describes it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from litecheck.finding import Finding
from litecheck.placement import TargetReport
from litecheck.rendering.validation.configuration import policy_values
from litecheck.rendering.validation.grouping import sort_findings
from litecheck.report import ModelReport, Report

#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 1


def values(report: Report) -> dict[str, Any]:
    """Return the report as plain dicts and lists."""
    return {
        "litecheck_report": VERSION,
        "version": report.version,
        "fail_on": report.fail_on,
        "require_coverage": report.require_coverage,
        "require_integer_io": report.require_integer_io,
        "allow_float": report.allow_float,
        "fail_on_fallback": report.fail_on_fallback,
        "max_partitions": report.max_partitions,
        **policy_values(report),
        "exit_code": report.exit_code,
        "summary": report.summary,
        "verdicts": report.verdicts,
        "coverage": report.coverage,
        "counts": report.counts,
        "effects": report.effects,
        "models": [_model(report, model) for model in report.models],
        "stale": [asdict(entry) for entry in report.stale],
    }


def _model(report: Report, model: ModelReport) -> dict[str, Any]:
    operators = [asdict(op) for op in sorted(model.operators, key=lambda op: (op.subgraph, op.index))]
    for operator in operators:
        del operator["at_best"]
    return {
        "file": model.file,
        "member": model.member,
        "size": model.size,
        "verdict": report.verdict(model),
        **({"selection": model.selection} if model.selection else {}),
        "explanation": report.explain(model),
        "gates": [asdict(gate) for gate in report.gates(model)],
        "profiles": model.profiles,
        "runtimes": dict(model.runtimes),
        "coverage": model.coverage,
        "counts": model.counts,
        "effects": model.effects,
        "operators": operators,
        "findings": [_finding(finding) for finding in sort_findings(model.findings)],
        "problems": [asdict(problem) for problem in model.problems],
        "remarks": model.remarks,
        "float_parts": {
            "inputs": model.float_parts.inputs,
            "outputs": model.float_parts.outputs,
            "islands": model.float_parts.islands,
        },
        **({"targets": [_target(target) for target in model.targets]} if model.targets else {}),
    }


def _target(target: TargetReport) -> dict[str, Any]:
    told = asdict(target)
    operators, live, compiler = (told.pop(key) for key in ("operators", "live", "compiler"))
    told |= {
        "compiles": target.compiles,
        "places": target.places,
        "folded": target.optimized_out,
        "unverified": len(target.unverified),
        "macs_share": target.share,
        "largest_live_set": live,
        "operators": operators,
    }
    return {**told, **({"compiler": compiler} if compiler else {})}


def _finding(finding: Finding) -> dict[str, Any]:
    named = {"path": finding.path, "level": finding.level, "fingerprint": finding.fingerprint}
    return {**named, **asdict(finding)}

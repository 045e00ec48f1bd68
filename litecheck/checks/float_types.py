"""One finding for an operator that computes in floating point, in place of a finding for each of its tensors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import replace

from litecheck.checks.coverage import FLOATS
from litecheck.finding import Finding


def merge_float_types(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings with those of the float tensors of an operator merged into the first, which names the roles.

    For example, ``CONV_2D/input/dtype``, ``CONV_2D/bias/dtype`` and ``CONV_2D/output/dtype``, each with "it is float32",
    give ``CONV_2D/input/dtype`` with "it is float32, and so are bias and output". Impacts that differ stay apart.
    """
    merged: list[Finding] = []
    groups: dict[Hashable, list[Finding]] = defaultdict(list)
    for finding in findings:
        if not _is_about_float(finding):
            merged.append(finding)
            continue
        where = finding.where
        group = groups[
            where.subgraph, where.operator, finding.found, finding.level, finding.effect, finding.waiver
        ]
        if not group:
            merged.append(finding)
        group.append(finding)
    others = {id(first): _text(first, rest) for first, *rest in groups.values() if rest}
    return [replace(f, found=others[id(f)]) if id(f) in others else f for f in merged]


def _is_about_float(finding: Finding) -> bool:
    return finding.path.endswith("/dtype") and finding.found.removeprefix("it is ") in FLOATS


def _text(first: Finding, rest: Iterable[Finding]) -> str:
    *roles, last = dict.fromkeys(finding.path.split("/")[1] for finding in rest)
    verb = "so are " + ", ".join(roles) + " and" if roles else "so is"
    return f"{first.found}, and {verb} {last}"

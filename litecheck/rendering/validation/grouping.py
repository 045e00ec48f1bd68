"""Order of findings, the most severe first, and their groups in reports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from litecheck.finding import LEVELS, Demand, Effect, Finding, Level, Waiver
from litecheck.profile.measurements.registry import measurement_description
from litecheck.report import ModelReport
from litecheck.summary_text import count_of


@dataclass(frozen=True, slots=True)
class AlikeFindings:
    """Findings of a requirement with equal content, and their locations."""

    found: str
    required: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A violated requirement with all its cases."""

    level: Level
    path: str
    title: str
    because: str
    see: str
    demanded_by: Demand
    effect: Effect
    hint: str
    cases: tuple[AlikeFindings, ...]

    @property
    def measurement_text(self) -> str:
        """Description of a limit's measurement; ``""`` for a requirement that is not a limit."""
        return measurement_description(self.path)

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Facts of the requirement, each with its label; empty facts are omitted."""
        facts = (
            ("measured", self.measurement_text),
            ("because", self.because),
            ("impact", self.effect),
            ("fix", self.hint),
            ("source", self.see),
            ("rule", f"{self.demanded_by.profile}, {self.demanded_by}"),
        )
        return tuple((label, text) for label, text in facts if text)

    @property
    def extent(self) -> str:
        """Number of operators that violate the requirement, or of tensors without an operator; ``""`` for one."""
        wheres = [f.where for case in self.cases for f in case.findings]
        places = {(w.subgraph, w.operator, w.tensor if w.operator < 0 else None) for w in wheres}
        noun = "tensor" if wheres[0].operator < 0 else "operator"
        return count_of(len(places), noun) if len(places) > 1 else ""


def _gravity(finding: Finding) -> tuple[object, ...]:
    w, demand = finding.where, finding.demanded_by
    return (
        -LEVELS.index(finding.level),
        finding.path,
        (w.subgraph, w.operator, w.role or "", -1 if w.position is None else w.position),
        (-1 if w.tensor is None else w.tensor, w.name, w.tensor_name or ""),
        (demand.profile, demand.file, demand.line),
        (finding.found, finding.required, finding.because, finding.see),
    )


def sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings by severity, then by requirement, then in execution order."""
    return tuple(sorted(findings, key=_gravity))


def blocks(findings: Iterable[Finding]) -> tuple[Block, ...]:
    """Group findings by requirement, and within a requirement by content."""
    groups: dict[tuple[Level, str, str, str, Demand, Effect, str], dict[tuple[str, str], list[Finding]]] = {}
    for f in sort_findings(findings):
        key = (f.level, f.path, f.because, f.see, f.demanded_by, f.effect, f.hint)
        cases = groups.setdefault(key, {})
        cases.setdefault((f.found, f.required), []).append(f)
    result = []
    for (level, path, because, see, demand, effect, hint), cases in groups.items():
        title = next(iter(cases.values()))[0].title
        told = tuple(AlikeFindings(found, required, tuple(fs)) for (found, required), fs in cases.items())
        result.append(Block(level, path, title, because, see, demand, effect, hint, told))
    return tuple(result)


def waived_counts(model: ModelReport) -> tuple[tuple[Waiver, str, int], ...]:
    """Return (waiver, requirement, count) of waived findings."""

    def key(f: Finding) -> tuple[str, str, str]:
        return (f.waiver.by, f.waiver.reason, f.path) if f.waiver else ("", "", f.path)

    findings = sorted((f for f in model.findings if f.waiver), key=key)
    return tuple((Waiver(by, why), path, len(list(fs))) for (by, why, path), fs in groupby(findings, key))

"""New findings of a mutant, compared with the unchanged model: the only module that knows the rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from litecheck import validate_file
from litecheck.checks.validate import load_profile
from litecheck.finding import Effect
from litecheck.model.types import Model
from litecheck.report import ModelReport, Report
from tests.differential.structure.edit import file_of

Said = Literal["violation", "warned", "not checked", "silent"]
SAID: tuple[Said, ...] = ("violation", "warned", "not checked", "silent")


@dataclass(frozen=True)
class Verdict:
    """Verdict. ``not checked``: no operator of the model is covered (exit code 2). ``silent``: exit code 0 without a
    finding.
    """

    said: Said
    violations: tuple[str, ...] = ()
    noted: tuple[str, ...] = ()
    page: tuple[str, ...] = ()
    """Violations of the specification page's profile."""
    uncovered: tuple[str, ...] = ()
    """Operators that were covered before the change."""
    effects: tuple[Effect, ...] = ()
    """Impacts of the new violations."""


Validate = Callable[[Path], ModelReport]


def by_default(path: Path) -> ModelReport:
    """Return the report of the default profiles."""
    return validate_file(path)[0]


class Judge:
    """litecheck on a file; ``validate`` may be replaced, as a control that a silent validator is noticed."""

    def __init__(self, folder: Path, validate: Validate = by_default) -> None:
        self.file, self.validate = folder / "mutant.tflite", validate
        self.page = load_profile("litert-int8")

    def report(self, model: Model) -> ModelReport:
        self.file.write_bytes(file_of(model))
        return self.validate(self.file)

    def verdict(self, usual: ModelReport, model: Model) -> Verdict:
        """Return the new findings of the changed model."""
        report = self.report(model)
        known = {
            (f.path, f.where.subgraph, f.where.operator, f.level) for f in usual.findings if not f.waiver
        }
        new = [
            f for f in report.findings
            if not f.waiver and (f.path, f.where.subgraph, f.where.operator, f.level) not in known
        ]  # fmt: skip
        violations = tuple(p.code for p in report.problems)
        violations += tuple(sorted({f.path for f in new if f.level == "violation"}))
        noted = tuple(sorted({f.path for f in new if f.level != "violation"}))
        before = {(o.subgraph, o.index) for o in usual.operators if o.status != "not covered"}
        lost = [o for o in report.operators if o.status == "not covered" and (o.subgraph, o.index) in before]
        uncovered = tuple(f"{o.opcode}: {o.reason}" for o in lost)
        effects = tuple(sorted({f.effect for f in new if f.level == "violation"}))
        said = self._said(report, violations, noted)
        return Verdict(said, violations, noted, self._by_page(violations), uncovered, effects)

    def _said(self, report: ModelReport, violations: tuple[str, ...], noted: tuple[str, ...]) -> Said:
        if violations:
            return "violation"
        if noted:
            return "warned"
        return "not checked" if Report("", (report,)).verdict(report) == "not checked" else "silent"

    def _by_page(self, violations: tuple[str, ...]) -> tuple[str, ...]:
        """Return the violations of the page's profile, for the file that was written last; empty without a violation."""
        if not violations:
            return ()
        found = validate_file(self.file, (self.page,))[0]
        return tuple(sorted({f.path for f in found.findings if f.level == "violation" and not f.waiver}))

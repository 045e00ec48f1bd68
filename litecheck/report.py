"""Reports of a validation as plain data: operators, models, coverage, verdicts. Renderers only format them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from litecheck.configuration import Configuration
from litecheck.errors import Problem
from litecheck.files import bytes_text
from litecheck.finding import CPU, EFFECTS, Effect, Finding, Level, StaleEntry, at_least
from litecheck.float_parts import FloatParts
from litecheck.gate import Gate
from litecheck.placement import TargetReport
from litecheck.summary_text import (
    COUNTED,
    STATUSES,
    VERDICTS,
    Counted,
    Status,
    Verdict,
    checked_text,
    combined_exit_code,
    count_of,
    counts_text,
    headlines_text,
    selection_text,
)

if TYPE_CHECKING:  # the import would load numpy
    from litecheck.quantization import TensorSurvey


@dataclass(frozen=True, slots=True)
class OperatorReport:
    """Status of one operator. ``reason`` is the reason for an operator that is not covered, or the source of its
    waiver.

    ``quantized`` is True if a rule checked its quantization. ``at_best`` is its status without findings.
    """

    subgraph: int
    index: int
    opcode: str
    name: str
    status: Status
    profiles: tuple[str, ...] = ()
    reason: str = ""
    quantized: bool = True
    at_best: Status = "conforms"


@dataclass(frozen=True, slots=True)
class OperatorKind:
    """Operators of one type that share a status and its reason."""

    opcode: str
    reason: str
    operators: tuple[OperatorReport, ...]

    @property
    def count(self) -> int:
        """Number of operators."""
        return len(self.operators)

    @property
    def places(self) -> tuple[str, ...]:
        """Locations of the operators. Examples: ``#3``, or ``1/#3`` in subgraph 1."""
        return tuple(f"{op.subgraph}/#{op.index}" if op.subgraph else f"#{op.index}" for op in self.operators)


def _customs(operators: Iterable[OperatorReport]) -> str:
    """Return one text for the reasons of custom operators. Example: ``custom operators 'NMS' (12), 'Crop' (2)``."""
    counts = Counter(op.reason for op in operators)
    if len(counts) == 1:
        return next(iter(counts))
    names = (f"{reason.removeprefix('custom operator ')} ({n:,})" for reason, n in counts.most_common())
    return f"custom operators {', '.join(names)}"


@dataclass(frozen=True, slots=True)
class ModelReport:
    """The report of one model. ``member`` is the name of the model inside a container, else ``""``."""

    file: str
    member: str
    size: int
    profiles: tuple[str, ...] = ()
    operators: tuple[OperatorReport, ...] = ()
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    remarks: tuple[str, ...] = ()
    runtimes: Mapping[str, str] = field(default_factory=dict)
    """The program, with its version, whose demands a profile states, by the profile's name."""
    targets: tuple[TargetReport, ...] = ()
    """Where its operators run, by each target asked for."""
    survey: tuple[TensorSurvey, ...] = field(default=(), repr=False)
    """The tensors of operators, where somebody wants to look at them."""
    float_parts: FloatParts = field(default_factory=FloatParts)
    """Its float inputs, outputs and operators."""
    selection: tuple[str, ...] = ()
    """Patterns of the only requirements whose findings are here; empty for all."""

    @property
    def judges(self) -> str:
        """Profiles and runtimes that checked the model: ``litert-int8 (ai-edge-litert 2.3.0)``, or ``""``."""
        programs = ", ".join(dict.fromkeys(self.runtimes.values()))
        return ", ".join(self.profiles) + (f" ({programs})" if programs else "")

    @property
    def name(self) -> str:
        """File name, with the member of a container. Example: ``a.task!detector.tflite``."""
        return f"{self.file}!{self.member}" if self.member else self.file

    @property
    def size_text(self) -> str:
        """File size in words. Example: ``54.3 kB``."""
        return bytes_text(self.size)

    @property
    def coverage(self) -> dict[Status, int]:
        """Number of operators by status. Every status is a key."""
        counts = Counter(op.status for op in self.operators)
        return {status: counts[status] for status in STATUSES}

    @property
    def covered(self) -> int:
        """Number of operators whose quantization was checked."""
        return sum(op.quantized and op.status != "not covered" for op in self.operators)

    @property
    def is_float(self) -> bool:
        """True if the model computes in float and nothing in it is quantized."""
        return bool(self.float_parts.islands) and not self.float_parts.mixed

    @property
    def lacking(self) -> int:
        """Number of operators that are not covered or whose structure alone was checked."""
        return self.coverage["not covered"] + self.coverage["structure checked only"]

    def kinds(self, status: Status) -> tuple[OperatorKind, ...]:
        """Return the operators with a status by type and reason, most frequent first. CUSTOM is one type for all reasons."""
        groups: dict[tuple[str, str], list[OperatorReport]] = {}
        for op in self.operators:
            if op.status == status:
                reason = "" if op.opcode == "CUSTOM" else op.reason
                groups.setdefault((op.opcode, reason), []).append(op)
        kinds = (
            OperatorKind(opcode, reason or _customs(ops), tuple(ops))
            for (opcode, reason), ops in groups.items()
        )
        return tuple(sorted(kinds, key=lambda kind: -kind.count))

    @property
    def active(self) -> tuple[Finding, ...]:
        """Findings that are not waived."""
        return tuple(f for f in self.findings if f.waiver is None)

    @property
    def counts(self) -> dict[Counted, int]:
        """Number of findings by level, and number of waived findings."""
        counts: Counter[str] = Counter(f.level if f.waiver is None else "waived" for f in self.findings)
        return {key: counts[key] for key in COUNTED}

    @property
    def effects(self) -> dict[Effect, int]:
        """Number of violations that are not waived, by impact, most severe first."""
        counts = Counter(f.effect for f in self.active if f.level == "violation")
        return {effect: counts[effect] for effect in EFFECTS if counts[effect]}


@dataclass(frozen=True, slots=True)
class Report:
    """The report of one run: every model, under one policy."""

    version: str
    models: tuple[ModelReport, ...]
    fail_on: Level = "violation"
    require_coverage: bool = False
    stale: tuple[StaleEntry, ...] = ()
    fail_on_fallback: bool = False
    max_partitions: int | None = None
    configuration: Configuration | None = None
    require_integer_io: bool = False
    allow_float: bool = False

    def verdict(self, model: ModelReport) -> Verdict:
        """Return the verdict: ``not checked`` if unreadable, or without covered quantization, NPU operators and findings
        that fail the model or would fail it without their waiver. A float model conforms with ``allow_float``."""
        if model.problems:
            return "not checked"
        failures = [finding for finding in model.findings if self._would_fail(finding)]
        if not all(finding.waiver for finding in failures):
            return "violates"
        checked = self.allow_float if model.is_float else model.covered
        if not (failures or checked or any(t.places["npu"] for t in model.targets)):
            return "not checked"
        return "conforms" if all(gate.kept for gate in self.gates(model)) else "violates"

    def headline(self, model: ModelReport) -> str:
        """Return the verdict with its scope: ``conforms for SOFTMAX`` if the findings were selected."""
        verdict = self.verdict(model)
        return verdict + ("" if verdict == "not checked" else selection_text(model.selection))

    @property
    def selection(self) -> tuple[str, ...]:
        """Patterns that selected findings of any model, without duplicates."""
        return tuple(dict.fromkeys(pattern for m in self.models for pattern in m.selection))

    def fails(self, finding: Finding) -> bool:
        """Return True if the finding alone fails its model under this run's policy."""
        return finding.waiver is None and self._would_fail(finding)

    def _would_fail(self, finding: Finding) -> bool:
        return (self.fail_on_fallback and finding.effect == CPU) or at_least(finding.level, self.fail_on)

    def gates(self, model: ModelReport) -> tuple[Gate, ...]:
        """Return the gates of this run for a model; none for an unreadable model."""
        return () if model.problems else tuple(self._gates(model))

    def _gates(self, model: ModelReport) -> Iterator[Gate]:
        if self.require_coverage:
            found = checked_text(model.coverage)
            yield Gate("coverage", not model.lacking, found, "requires that all are covered")
        if self.fail_on_fallback:
            left = {(f.where.subgraph, f.where.operator) for f in model.active if f.effect == CPU}
            found = f"{count_of(len(left), 'operator')} {'stays' if len(left) == 1 else 'stay'} on the CPU"
            unverified = sum(len(t.unverified) for t in model.targets)
            found += f", {count_of(unverified, 'operator')} on the NPU unverified" if unverified else ""
            yield Gate("fallback", not (left or unverified), found, "allows none")
        if self.require_integer_io:
            found = model.float_parts.ends or "no float input or output"
            yield Gate("integer io", not model.float_parts.ends, found, "allows none")
        if self.max_partitions is not None:
            most = max((target.partitions for target in model.targets), default=0)
            allowed = f"allows {self.max_partitions}"
            yield Gate("partitions", most <= self.max_partitions, count_of(most, "NPU partition"), allowed)

    def explain(self, model: ModelReport) -> str:
        """Return the reason for the verdict of a model in a few words."""
        if model.problems:
            return f"unreadable, {count_of(len(model.problems), 'problem')}"
        if not model.operators:
            return "it has no operators"
        asked = ", which this run requires" if self.require_coverage and model.lacking else ""
        covered = f"{checked_text(model.coverage)}{asked}"
        if self.verdict(model) == "not checked":
            why = (
                "float model: nothing is quantized"
                if model.is_float
                else "nothing quantized in it is covered"
            )
            return f"{why}; {covered}"
        missed = (str(gate) for gate in self.gates(model) if not gate.kept and gate.name != "coverage")
        parts = model.float_parts
        if self.allow_float and model.is_float:
            floats: tuple[str, ...] = ("float model: nothing is quantized",)
        else:
            floats = (f"not fully integer: {parts}",) if parts.mixed and str(parts) else ()
        return "; ".join((*missed, counts_text(model.counts, model.effects), covered, *floats))

    @property
    def verdicts(self) -> dict[Verdict, int]:
        """Number of models by verdict. Every verdict is a key."""
        counts = Counter(self.verdict(m) for m in self.models)
        return {verdict: counts[verdict] for verdict in VERDICTS}

    @property
    def coverage(self) -> dict[Status, int]:
        """Number of operators of all models by status."""
        return {s: sum(m.coverage[s] for m in self.models) for s in STATUSES}

    @property
    def counts(self) -> dict[Counted, int]:
        """Number of findings of all models by level, and number of waived findings."""
        return {key: sum(m.counts[key] for m in self.models) for key in COUNTED}

    @property
    def summary(self) -> str:
        """Summary of the run in one line.

        ``3 models: 2 conform, 1 violates; 1 violation (1 crashes), 10 notes; 2 of 15 operators not covered``.
        """
        judged = headlines_text((self.verdict(m), self.headline(m)) for m in self.models)
        counts = f"{counts_text(self.counts, self.effects)}; {checked_text(self.coverage)}"
        return f"{count_of(len(self.models), 'model')}: {judged or 'none checked'}; {counts}"

    @property
    def effects(self) -> dict[Effect, int]:
        """Number of violations of all models that are not waived, by impact, most severe first."""
        counts = Counter(f.effect for m in self.models for f in m.active if f.level == "violation")
        return {effect: counts[effect] for effect in EFFECTS if counts[effect]}

    @property
    def exit_code(self) -> int:
        """1 if a model violates, else 2 if a model is not checked or there is none, else 0."""
        codes = {"conforms": 0, "violates": 1, "not checked": 2}
        return combined_exit_code(codes[self.verdict(m)] for m in self.models)

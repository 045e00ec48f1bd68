"""Verification of a model on a device, case by case: plan, run, compare and store."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from litecheck.cases import parts
from litecheck.cases.kind import activation_type, weight_granularity
from litecheck.cases.variable_state import StateSupport
from litecheck.comparison.missing_kernels import missing_kernel
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Device, Failure, memory_of
from litecheck.files import check_folder, file_digest
from litecheck.model.graph import name_of
from litecheck.model.save import model_bytes
from litecheck.model.types import Model, Subgraph
from litecheck.profile.load import load_profile
from litecheck.reference.compute_limits import NO_MEMORY
from litecheck.reference.engine.arithmetic import arithmetic_names, load_arithmetic
from litecheck.verification.case_verdict import Judge, Judged, tolerances
from litecheck.verification.cost_estimate import budgeted
from litecheck.verification.coverage_gaps import coverage_gaps
from litecheck.verification.explanation import Explaining, Explanation, verdict
from litecheck.verification.failure_correlation import correlate_failures
from litecheck.verification.jobs import CaseJob
from litecheck.verification.journal import Journal
from litecheck.verification.reproducers.reproduce import Reproducer
from litecheck.verification.result import Operation, Verdict, Verification
from litecheck.verification.schedule import Schedule, check_claims, check_selection, plan
from litecheck.verification.serialize import noted
from litecheck.verification.settings import Settings
from litecheck.verification.submission import Bisection, Submission, submit
from litecheck.version import __version__

#: Function that is called with a case's name after its verdict.
Progress = Callable[[str], None]
#: Journal of verdicts, each with the published arithmetics that it fits.
VerdictJournal = Journal[tuple[Verdict, frozenset[str]]]


def verify(
    model: Model,
    device: Device,
    settings: Settings | None = None,
    *,
    journal: VerdictJournal | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Run every case of a model on a device and compare its outputs. The device stays open.

    Raise ConfigError for settings that do not fit the model and for folders that cannot be written, ProfileError for
    unreadable arithmetics or profiles, RunError for inputs that do not fit. Failures of the device become verdicts.
    """
    asked = (settings or Settings()).on(device.name)
    check_selection(model, asked)
    check_claims(model, asked)
    for folder in filter(None, (asked.reproduce, asked.record)):
        check_folder(folder)
    judging = Judging(device, asked)
    kept = ResumedVerdicts(judging.viable, journal, progress)
    spending, _ = budgeted(model, device, asked)
    memory = memory_of(device)
    put = partial(
        submit, device=device, jobs=asked.jobs, spending=spending, known=kept.known, recording=asked.record
    )
    for course in plan(model, asked, judging.judge.admissible[0], memory):
        with closing(put(course.questions())) as answers:
            for answer in answers:
                kept.keep(*judging(answer, kept))
        if course.whole is None:
            continue
        if why := _whole_run_obstacle(course, kept.verdicts, memory, asked):
            note = f"state that operators share was not tested: {why}"
            kept.pass_over(course.whole.name, note)
        else:
            for answer in put([course.whole_question(course.whole)]):
                kept.keep(*judging(answer, kept))
    return _verification(model, device, asked, judging.judge, kept)


class Judging:
    """Conversion of answers to verdicts: compare and explain, and reduce failures if the settings ask for reproducers."""

    def __init__(self, device: Device, settings: Settings) -> None:
        admissible = tuple(map(load_arithmetic, settings.arithmetics))
        published = tuple(map(load_arithmetic, arithmetic_names()))
        profile = load_profile(settings.profile) if settings.profile else None
        self.judge = Judge(admissible, published, tolerances(profile))
        self.viable = frozenset(a.name for a in published) - {a.name for a in admissible}
        self.explain = Explaining(self.judge, device.name, settings.element)
        self.reproduce = None
        if settings.reproduce:
            folder = Path(settings.reproduce)
            self.reproduce = Reproducer(folder, device, self.judge, settings.seconds, settings.scrub)

    def __call__(self, asked: Submission, kept: ResumedVerdicts) -> tuple[Verdict, frozenset[str]]:
        """Return the verdict, and the published arithmetics that compute the same outputs."""
        try:
            return self._make_verdict(asked, kept)
        except MemoryError:
            judged = self.judge(asked.question, Failure(Outcome.NO_REFERENCE, NO_MEMORY), kept.viable)
            return verdict(asked.question, judged, Explanation(), ""), judged.still_possible

    def _make_verdict(self, asked: Submission, kept: ResumedVerdicts) -> tuple[Verdict, frozenset[str]]:
        question = asked.question
        if asked.known:
            return kept.known[question.case.name]
        if asked.parts is not None:
            question, judged, explanation = self._judge_parts(asked, asked.parts, kept.viable)
        else:
            judged = self.judge(question, asked.answer, kept.viable)
            explanation = self.explain(question, judged) if asked.tried else Explanation()
        if reason := missing_kernel(self.explain.device, question.case.cut.model, judged.outcome):
            judged = replace(judged, outcome=Outcome.NOT_SUPPORTED, message=f"{reason}\n{judged.message}")
        small = ""
        if self.reproduce is not None and judged.outcome.judged and not judged.outcome.good:
            small = self.reproduce(asked.question, judged.outcome)
        return verdict(question, judged, explanation, small), judged.still_possible

    def _judge_parts(
        self, asked: Submission, tried: Bisection, viable: frozenset[str]
    ) -> tuple[CaseJob, Judged, Explanation]:
        """Judge a failed case that was run series by series.

        A known fault of the runtime is noted as ``fault`` if the passing series conform; the verdict is then that of
        the passing series. Otherwise the outcome is the failure.
        """
        judged = self.judge(tried.question, tried.answer, viable)
        explanation = self.explain(tried.question, judged)
        failed = tried.failure.outcome
        fault = self.explain.fault(asked.question.case, failed)
        kinds = ", ".join(sorted(set(tried.failing)))
        noun = "inputs" if tried.count == len(asked.question.stimuli) else "series of inferences"
        said = f"{failed.value} on {len(tried.failing)} of {tried.count} {noun} ({kinds})"
        if fault and judged.outcome.good:
            judged = replace(judged, message=f"{said}, which are left out")
        else:
            said = f"{said}; the others: {judged.outcome.value}\n{tried.failure.message}"
            fault = fault and self.explain.fault(asked.question.case, judged.outcome)
            judged = replace(judged, outcome=failed, message=said)
        return tried.question, judged, replace(explanation, fault=fault)


def _whole_run_obstacle(
    course: Schedule, verdicts: list[Verdict], memory: StateSupport, settings: Settings
) -> str:
    """Return the reason against running the whole subgraph, or an empty string.

    An operator that differs in isolation makes the whole subgraph differ as well.
    """
    own = [v for v in verdicts if v.subgraph == course.subgraph.index]
    own = [v for v in own if v.outcome not in (Outcome.NO_REFERENCE, Outcome.NOT_RECORDED)]
    if memory is StateSupport.NONE:
        return "the device keeps no state"
    if settings.budget is not None:
        return "the budget is for operators by themselves"
    own = [v for v in own if v.outcome is not Outcome.SATURATED]
    if any(v.outcome is not Outcome.EXACT for v in own) or (
        own and not set.intersection(*(set(v.fits) for v in own))
    ):
        return "by themselves they are not all exact under one arithmetic"
    return ""


def _verification(
    model: Model, device: Device, settings: Settings, judge: Judge, kept: ResumedVerdicts
) -> Verification:
    verdicts = tuple(kept.verdicts)
    missed = any(v.also or v.outcome is Outcome.MISMATCH for v in verdicts)
    return Verification(
        version=__version__,
        model=model.file,
        sha256=digest_of(model),
        device=device.name,
        described=device.described,
        arithmetics=tuple(a.name for a in judge.admissible),
        mode=settings.mode,
        inputs=settings.inputs,
        verdicts=verdicts,
        operations=tuple(operations(model, parts.entries(model, settings.signature))),
        fits=tuple(sorted(kept.viable)) if missed else (),
        fail_on_fallback=settings.fail_on_fallback,
        require_coverage=settings.require_coverage,
        claims=settings.claims,
        notes=tuple(kept.notes),
        untried=coverage_gaps(model, verdicts),
        across=correlate_failures(model, verdicts),
    )


def operations(model: Model, subgraphs: tuple[Subgraph, ...]) -> Iterator[Operation]:
    """Yield the operators of some subgraphs, for the display of the graph."""
    for subgraph in subgraphs:
        keys = (s.key for s in model.signatures if s.subgraph == subgraph.index)
        graph = subgraph.name or next(keys, "")
        for op in subgraph.operators:
            inputs, outputs = (tuple(i for i in ends if i >= 0) for ends in (op.inputs, op.outputs))
            names = tuple(subgraph.tensors[i].name for i in outputs)
            kind, called = op.custom_code or op.opcode, name_of(subgraph, op)
            form = (activation_type(subgraph, op), weight_granularity(subgraph, op))
            yield Operation(subgraph.index, op.index, kind, called, inputs, outputs, names, graph, *form)


def digest_of(model: Model) -> str:
    """Return the SHA-256 of the model's file, or of the serialized model if it has no file of its own."""
    if not model.file or model.member or not os.path.isfile(model.file):
        return hashlib.sha256(model_bytes(model, drop_unknown=True)).hexdigest()
    return file_digest(model.file)


class ResumedVerdicts:
    """Verdicts and notes of a verification; ``viable`` are the published arithmetics that fit every case so far."""

    def __init__(
        self, viable: frozenset[str], journal: VerdictJournal | None, progress: Progress | None
    ) -> None:
        self.viable, self.journal = viable, journal
        self.progress: Progress = progress or (lambda name: None)
        self.verdicts: list[Verdict] = []
        self.notes: list[str] = []

    @property
    def known(self) -> dict[str, tuple[Verdict, frozenset[str]]]:
        """Verdicts of an earlier run, by case, with the arithmetics that fit."""
        return self.journal.known if self.journal else {}

    def keep(self, verdict: Verdict, fits: frozenset[str]) -> None:
        """Add a verdict, with the published arithmetics that fit."""
        self.viable &= fits
        journaled = verdict.outcome is Outcome.NOT_TRIED or verdict.case in self.known
        if self.journal is not None and not journaled:
            self.journal.note(noted(verdict, fits))
        self.verdicts.append(verdict)
        self.progress(verdict.case)

    def pass_over(self, case: str, note: str) -> None:
        """Skip a case and note the reason."""
        self.notes.append(note)
        self.progress(case)

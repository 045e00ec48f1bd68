"""Verification of a model on a device, case by case: plan, run, compare and store."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from litecheck.cases import model_parts
from litecheck.cases.operator_keys import activation_type, weight_granularity
from litecheck.cases.variable_state import StateSupport
from litecheck.comparison.missing_kernels import missing_kernel
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Device, Failure, memory_of
from litecheck.files import check_folder, file_digest
from litecheck.input_shapes import shape_words
from litecheck.model.graph import name_of
from litecheck.model.save import model_bytes
from litecheck.model.types import Model, Subgraph
from litecheck.profile.load import load_profile
from litecheck.reference.compute_limits import NO_MEMORY
from litecheck.reference.engine.arithmetic import arithmetic_names, load_arithmetic
from litecheck.verification.case_verdict import Judge, JudgedAnswer, tolerances
from litecheck.verification.cost_estimate import divide_budget
from litecheck.verification.coverage_gaps import coverage_gaps
from litecheck.verification.explanation import AnswerExplainer, Explanation, verdict
from litecheck.verification.failure_correlation import correlate_failures
from litecheck.verification.jobs import CaseJob
from litecheck.verification.journal import Journal
from litecheck.verification.reproducers.reproduce import Reproducer
from litecheck.verification.result import Operation, Verdict, Verification
from litecheck.verification.schedule import Schedule, check_claims, check_selection, plan
from litecheck.verification.serialize import journal_entry
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
    resolved = (settings or Settings()).on(device.name)
    check_selection(model, resolved)
    check_claims(model, resolved)
    for folder in filter(None, (resolved.reproduce, resolved.record)):
        check_folder(folder)
    judging = AnswerJudge(device, resolved)
    kept = ResumedVerdicts(judging.viable, journal, progress)
    spending, _ = divide_budget(model, device, resolved)
    memory = memory_of(device)
    submit_jobs = partial(
        submit,
        device=device,
        jobs=resolved.jobs,
        spending=spending,
        known=kept.verdicts_by_case,
        recording=resolved.record,
    )
    for course in plan(model, resolved, judging.judge.admissible[0], memory):
        with closing(submit_jobs(course.case_jobs())) as answers:
            for answer in answers:
                kept.keep(*judging(answer, kept))
        if course.model_case is None:
            continue
        if why := _whole_run_obstacle(course, kept.verdicts, memory, resolved):
            note = f"state that operators share was not tested: {why}"
            kept.pass_over(course.model_case.name, note)
        else:
            for answer in submit_jobs([course.whole_case_job(course.model_case)]):
                kept.keep(*judging(answer, kept))
    return _verification(model, device, resolved, judging.judge, kept)


#: Message of a case with wrong outputs that are right in a process of its own.
NOT_REPEATED = (
    "the outputs are right in a process that runs no other case: they depend on earlier cases, "
    "or change from run to run"
)


class AnswerJudge:
    """Conversion of answers to verdicts: compare and explain, and reduce failures if the settings ask for reproducers."""

    def __init__(self, device: Device, settings: Settings) -> None:
        admissible = tuple(map(load_arithmetic, settings.arithmetics))
        published = tuple(map(load_arithmetic, arithmetic_names()))
        profile = load_profile(settings.profile) if settings.profile else None
        self.device = device
        self.judge = Judge(admissible, published, tolerances(profile))
        self.viable = frozenset(a.name for a in published) - {a.name for a in admissible}
        self.explain = AnswerExplainer(self.judge, device.name, settings.element)
        self.reproduce = None
        if settings.reproduce:
            folder = Path(settings.reproduce)
            self.reproduce = Reproducer(folder, device, self.judge, settings.seconds, settings.scrub)

    def __call__(self, submission: Submission, kept: ResumedVerdicts) -> tuple[Verdict, frozenset[str]]:
        """Return the verdict, and the published arithmetics that compute the same outputs."""
        try:
            return self._make_verdict(submission, kept)
        except MemoryError:
            judged = self.judge(submission.case_job, Failure(Outcome.NO_REFERENCE, NO_MEMORY), kept.viable)
            return verdict(submission.case_job, judged, Explanation(), ""), judged.still_possible

    def _make_verdict(self, submission: Submission, kept: ResumedVerdicts) -> tuple[Verdict, frozenset[str]]:
        case_job = submission.case_job
        if submission.known:
            return kept.verdicts_by_case[case_job.case.name]
        if submission.parts is not None:
            case_job, judged, explanation = self._judge_parts(submission, submission.parts, kept.viable)
        else:
            judged = self.judge(case_job, submission.answer, kept.viable)
            if isinstance(submission.answer, Answer) and submission.answer.shared and not judged.outcome.good:
                (alone,) = submit([case_job], self.device, 1, shares=False)
                again, possible = self._make_verdict(alone, kept)
                if not again.outcome.good:
                    return again, possible
                judged = replace(judged, message=NOT_REPEATED)
            explanation = self.explain(case_job, judged) if submission.tried else Explanation()
        if reason := missing_kernel(self.explain.device, case_job.case.submodel.model, judged.outcome):
            judged = replace(judged, outcome=Outcome.NOT_SUPPORTED, message=f"{reason}\n{judged.message}")
        small = ""
        if self.reproduce is not None and judged.outcome.judged and not judged.outcome.good:
            small = self.reproduce(submission.case_job, judged.outcome)
        return verdict(case_job, judged, explanation, small), judged.still_possible

    def _judge_parts(
        self, submission: Submission, tried: Bisection, viable: frozenset[str]
    ) -> tuple[CaseJob, JudgedAnswer, Explanation]:
        """Judge a failed case that was run series by series.

        A known fault of the runtime is noted as ``fault`` if the passing series conform; the verdict is then that of
        the passing series. Otherwise the outcome is the failure.
        """
        judged = self.judge(tried.case_job, tried.answer, viable)
        explanation = self.explain(tried.case_job, judged)
        failed = tried.failure.outcome
        fault = self.explain.fault(submission.case_job.case, failed)
        kinds = ", ".join(sorted(set(tried.failing)))
        noun = "inputs" if tried.count == len(submission.case_job.stimuli) else "series of inferences"
        said = f"{failed.value} on {len(tried.failing)} of {tried.count} {noun} ({kinds})"
        if fault and judged.outcome.good:
            judged = replace(judged, message=f"{said}, which are left out")
        else:
            said = f"{said}; the others: {judged.outcome.value}\n{tried.failure.message}"
            fault = fault and self.explain.fault(submission.case_job.case, judged.outcome)
            judged = replace(judged, outcome=failed, message=said)
        return tried.case_job, judged, replace(explanation, fault=fault)


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
        operations=tuple(operations(model, model_parts.entries(model, settings.signature))),
        fits=tuple(sorted(kept.viable)) if missed else (),
        fail_on_fallback=settings.fail_on_fallback,
        require_coverage=settings.require_coverage,
        claims=settings.claims,
        notes=(*kept.notes, *_dynamic_inputs(model, settings)),
        untried=coverage_gaps(model, verdicts),
        across=correlate_failures(model, verdicts),
    )


def _dynamic_inputs(model: Model, settings: Settings) -> Iterator[str]:
    """Yield a note on each input with a dynamic dimension beyond the batch that was tested with the size in the file."""
    for subgraph in () if settings.samples else model_parts.entries(model, settings.signature):
        for tensor in (subgraph.tensors[index] for index in subgraph.inputs):
            signature = tensor.shape_signature or ()
            if -1 in signature[1:]:
                stated, tested = shape_words(signature), shape_words(tensor.shape)
                yield f"input '{tensor.name}' has the shape {stated} and was tested as {tested}; use --data for others"


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
    def verdicts_by_case(self) -> dict[str, tuple[Verdict, frozenset[str]]]:
        """Verdicts of an earlier run, by case, with the arithmetics that fit."""
        return self.journal.known if self.journal else {}

    def keep(self, verdict: Verdict, fits: frozenset[str]) -> None:
        """Add a verdict, with the published arithmetics that fit."""
        self.viable &= fits
        journaled = verdict.outcome is Outcome.NOT_TRIED or verdict.case in self.verdicts_by_case
        if self.journal is not None and not journaled:
            self.journal.note(journal_entry(verdict, fits))
        self.verdicts.append(verdict)
        self.progress(verdict.case)

    def pass_over(self, case: str, note: str) -> None:
        """Skip a case and note the reason."""
        self.notes.append(note)
        self.progress(case)

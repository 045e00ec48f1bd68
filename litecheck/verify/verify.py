"""A model on a device, case by case: fed, run, judged, explained, noted down."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from litecheck.cases import parts
from litecheck.cases.expectation import Expectation
from litecheck.cases.inputs import PROPAGATED, RANDOM, series
from litecheck.cases.model_inputs import in_a_row, sample_inputs
from litecheck.cases.parts import Case
from litecheck.cases.sequences import habit, remembers
from litecheck.cases.tape import Tape, chained
from litecheck.devices.port import Answer, Device, Failure, Job, Memory, memory_of
from litecheck.devices.program import fingerprint
from litecheck.devices.replay import record
from litecheck.files import check_folder
from litecheck.model.graph import name_of
from litecheck.model.save import model_bytes
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.profile.load import load_profile
from litecheck.reference.engine.arithmetic import Arithmetic, arithmetic_names, load_arithmetic
from litecheck.verify.across import across
from litecheck.verify.budget import Budget
from litecheck.verify.explained import Telling
from litecheck.verify.forecast import Forecast, Planned, Sampled, sampled
from litecheck.verify.journal import Journal
from litecheck.verify.judge import Judge, Question
from litecheck.verify.outcome import RETRIED, Operation, Outcome, Verdict, Verification
from litecheck.verify.questions import Asking
from litecheck.verify.ranking import rank
from litecheck.verify.reproducers.reproduce import Reproducer
from litecheck.verify.selection import check_claims, check_selection, in_model, planned, selected
from litecheck.verify.settings import Settings
from litecheck.verify.spending import Spending
from litecheck.verify.tolerances import tolerances
from litecheck.verify.untried import untried
from litecheck.version import __version__

#: Called with a case's name once it is judged.
Progress = Callable[[str], None]


def verify(
    model: Model,
    device: Device,
    settings: Settings | None = None,
    *,
    journal: Journal | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Run every case of a model on a device and judge it. The device stays open.

    Raises ConfigError for settings that do not fit the model and for folders that cannot be written, ProfileError for
    arithmetics or profiles that cannot be read, RunError for inputs that do not fit. What the device does never raises.
    """
    asked = settings or Settings()
    check_selection(model, asked)
    check_claims(model, asked)
    for folder in filter(None, (asked.reproduce, asked.record)):
        check_folder(folder)
    return _Run(model, device, asked, journal, progress or (lambda name: None)).verification()


def forecast(model: Model, device: Device, settings: Settings) -> Forecast:
    """What a verification will cost: as :func:`verify`, but the device makes three invocations at most, to see how long
    they take."""
    check_selection(model, settings)
    return _Run(model, device, settings, None, lambda name: None).forecast()


def about(model: Model, device: Device, settings: Settings) -> dict[str, object]:
    """What tells one verification from another, as JSON."""
    stages = [
        sorted((op, sorted(how.items())) for op, how in load_arithmetic(a).stages.items())
        for a in settings.arithmetics
    ]
    return {
        "litecheck": __version__,
        "model": _digest(model),
        "device": device.name,
        "described": device.described,
        "program": fingerprint(device.name),
        "stages": hashlib.sha256(repr(stages).encode()).hexdigest(),
        **settings.about(),
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Pending:
    """A case on its way: its question, and where a device is needed, the job and the answer when it comes."""

    question: Question
    job: Job | None = None
    answer: Future[Answer | Failure] | None = None
    verdict: Verdict | None = None


class _Run:
    def __init__(
        self, model: Model, device: Device, settings: Settings, journal: Journal | None, progress: Progress
    ) -> None:
        self.model, self.device, self.settings = model, device, settings
        self.journal, self.progress = journal, progress
        admissible = tuple(map(load_arithmetic, settings.arithmetics))
        published = tuple(map(load_arithmetic, arithmetic_names()))
        profile = load_profile(settings.profile) if settings.profile else None
        self.judge = Judge(admissible, published, tolerances(profile))
        self.viable = frozenset(a.name for a in published) - {a.name for a in admissible}
        self.asking = Asking(settings, admissible[0], memory_of(device))
        self.remembers = remembers(model)
        self.notes: list[str] = []
        self.verdicts: list[Verdict] = []
        self.telling = Telling(self.judge, device, settings.element)
        self.subgraphs = parts.entries(model, settings.signature)
        self.spending: Spending | None = None
        self.sampled: Sampled | None = None
        self.reproducer = None
        if settings.reproduce:
            folder = Path(settings.reproduce)
            self.reproducer = Reproducer(folder, device, self.judge, settings.seconds, settings.scrub)

    @property
    def arithmetic(self) -> Arithmetic:
        """The first admissible one: what is handed on from operator to operator."""
        return self.judge.admissible[0]

    def verification(self) -> Verification:
        """All cases, in order; some are on the device while others are prepared and judged."""
        settings = self.settings
        if settings.budget is not None:
            self.spending = self._budgeted(settings.budget)
        pool = ThreadPoolExecutor(settings.jobs)
        try:
            waiting: deque[_Pending] = deque()
            for subgraph in self.subgraphs:
                tapes = self._tapes(subgraph)
                for question in self._questions(subgraph, *tapes):
                    waiting.append(self._submitted(question, pool))
                    while len(waiting) > 2 * settings.jobs:
                        self._finish(waiting.popleft())
                if whole := in_model(self.model, subgraph, settings):
                    while waiting:
                        self._finish(waiting.popleft())
                    self._in_model(whole, *tapes, pool)
            while waiting:
                self._finish(waiting.popleft())
        finally:
            # After an interrupt nobody waits for what the device may still be doing.
            pool.shutdown(wait=False, cancel_futures=True)
        missed = any(v.also or v.outcome is Outcome.MISMATCH for v in self.verdicts)
        return Verification(
            version=__version__,
            model=self.model.file,
            sha256=_digest(self.model),
            device=self.device.name,
            described=self.device.described,
            arithmetics=tuple(a.name for a in self.judge.admissible),
            mode=settings.mode,
            inputs=settings.inputs,
            verdicts=tuple(self.verdicts),
            operations=tuple(_operations(self.model, self.subgraphs)),
            fits=tuple(sorted(self.viable)) if missed else (),
            fail_on_fallback=settings.fail_on_fallback,
            require_coverage=settings.require_coverage,
            claims=settings.claims,
            notes=tuple(self.notes),
            untried=untried(self.model, self.verdicts),
            across=across(self.model, self.verdicts),
        )

    def forecast(self) -> Forecast:
        """What the verification will cost."""
        settings, cases = self.settings, []
        if settings.budget is not None:
            self.spending = self._budgeted(settings.budget)
        for question in self._every(whole=settings.budget is None):
            self.sampled = self.sampled or sampled(self.device, question)
            asked = self.spending.limited(question) if self.spending else question
            count = len(asked.order)
            case = asked.case
            cases.append(Planned(case.name, case.opcodes, case.called, len(asked.feeds), count))
        further = sum(len(s.operators) for s in self.subgraphs[:1]) if settings.drift else 0
        described = self.device.described
        return Forecast(self.model.file, described, tuple(cases), further, settings.spent, self.sampled)

    def _budgeted(self, budget: Budget) -> Spending:
        """The budget divided, after a look at what every case could be fed."""
        rankings = []
        for question in self._every():
            rankings.append(rank(question, self.arithmetic))
            if budget.seconds:
                self.sampled = self.sampled or sampled(self.device, question)
        reserved = len(rankings) if self.settings.drift else 0
        pace = self.sampled.seconds + self.sampled.start if self.sampled else 0.0
        return Spending(budget, rankings, self.settings.repeat, reserved, pace)

    def _every(self, whole: bool = False) -> Iterator[Question]:
        """The questions about all cases; with ``whole`` also those about what operators keep for each other."""
        for subgraph in self.subgraphs:
            tapes = self._tapes(subgraph)
            yield from self._questions(subgraph, *tapes)
            if whole and self.asking.memory is not Memory.NONE:
                case = in_model(self.model, subgraph, self.settings)
                yield from [self._whole(case, *tapes)] if case else []

    def _tapes(self, subgraph: Subgraph) -> tuple[list[Tape], list[Tape]]:
        """Every sample by itself; and where the model remembers and the device can, samples in a row."""
        samples = sample_inputs(self.model, subgraph, self.settings.drawing)
        tapes = [Tape(self.model, subgraph, inputs, self.arithmetic) for inputs in samples]
        if not self.remembers or self.asking.memory is Memory.NONE:
            return tapes, []
        several = in_a_row(self.model, subgraph, self.settings.drawing, samples)
        chain = chained(self.model, subgraph, several, self.arithmetic)
        for tape in (*tapes, *chain):
            tape.kept = frozenset(subgraph.inputs)
        return tapes, chain

    def _questions(self, subgraph: Subgraph, tapes: list[Tape], chain: list[Tape]) -> Iterator[Question]:
        """Every case of a subgraph that is selected, fed; the reference goes on with its own tensors."""
        every = [*tapes, *chain]
        for case in planned(self.model, subgraph, self.settings):
            if self.settings.between:
                _step(every, parts.leading(case))
            if selected(case, self.settings):
                yield self._question(case, tapes, chain)
            else:
                _step(every, case.operators)
            for tape in every:
                tape.forget(case.operators)

    def _in_model(self, case: Case, tapes: list[Tape], chain: list[Tape], pool: ThreadPoolExecutor) -> None:
        """The whole subgraph over samples in a row. It can only be judged where its operators are what they should be:
        what one of them gives otherwise, the whole does as well."""
        own = [v for v in self.verdicts if v.subgraph == case.subgraph.index]
        own = [v for v in own if v.outcome is not Outcome.NO_REFERENCE]
        why = ""
        if self.asking.memory is Memory.NONE:
            why = "the device hands no state on"
        elif self.spending is not None:
            why = "the budget is for operators by themselves"
        elif any(v.outcome is not Outcome.EXACT for v in own) or len({v.arithmetic for v in own}) > 1:
            why = "by themselves they are not all exact under one arithmetic"
        if why:
            self.notes.append(f"what operators keep for each other was not tried: {why}")
            self.progress(case.name)
        else:
            self._finish(self._submitted(self._whole(case, tapes, chain), pool))

    def _whole(self, case: Case, tapes: list[Tape], chain: list[Tape]) -> Question:
        kinds = [kind for kind in self.settings.kinds if kind != RANDOM]
        return self.asking.question(case, tapes, chain, kinds)

    def _question(self, case: Case, tapes: list[Tape], chain: list[Tape]) -> Question:
        """What the case is fed, and what is expected; the tapes learn what the reference makes of it."""
        question = self.asking.question(case, tapes, chain)
        expected = question.expected(self.arithmetic)
        kinds = [feed.kind for feed in question.feeds[: len(tapes)]]
        if expected is None or self.remembers or kinds != [PROPAGATED] * len(tapes):
            _step((*tapes, *chain), case.operators)
        else:
            for tape, outputs in zip(tapes, expected, strict=False):
                tape.note(dict(zip(case.cut.outputs, outputs, strict=True)))
        return question

    def _submitted(self, question: Question, pool: ThreadPoolExecutor) -> _Pending:
        case = question.case
        if self.journal is not None and case.name in self.journal.known:
            verdict, fits = self.journal.known[case.name]
            self.viable &= fits
            return _Pending(question, verdict=verdict)
        if self.spending is not None:
            question = self.spending.limited(question)
        if not question.feeds:
            return _Pending(question)
        job = question.job
        if self.spending is not None:
            return _Pending(question, job, pool.submit(self.spending.asked, self.device, job))
        return _Pending(question, job, pool.submit(self.device.run, job))

    def _finish(self, pending: _Pending) -> None:
        verdict = pending.verdict
        if verdict is None:
            verdict, fits = self._judged(pending)
            if self.reproducer is not None and verdict.outcome.judged and not verdict.outcome.good:
                verdict = replace(verdict, reproducer=self.reproducer(pending.question, verdict))
            self.viable &= fits
            if self.journal is not None and verdict.outcome is not Outcome.NOT_TRIED:
                self.journal.note(verdict, fits)
        self.verdicts.append(verdict)
        self.progress(verdict.case)

    def _judged(self, pending: _Pending) -> tuple[Verdict, frozenset[str]]:
        question = pending.question
        if pending.answer is None or pending.job is None:
            judged = self.judge(question, Failure(question.lacks, question.note), self.viable)
            return judged.verdict, judged.fits
        answer = pending.answer.result()
        if self.settings.record:
            record(self.settings.record, pending.job, answer)
        retried = isinstance(answer, Failure) and answer.outcome in RETRIED and len(question.feeds) > 1
        if isinstance(answer, Failure) and retried and self.spending is None:
            return self._apart(question, answer)
        judged = self.judge(question, answer, self.viable)
        if question.memory and judged.actual and judged.verdict.outcome is Outcome.MISMATCH:
            words = habit(question.case, question.feeds, judged.actual, judged.nearest or self.arithmetic)
            message = "\n".join(filter(None, (words, judged.verdict.message)))
            judged = replace(judged, verdict=replace(judged.verdict, message=message))
        return self.telling(question, judged), judged.fits

    def _apart(self, question: Question, failure: Failure) -> tuple[Verdict, frozenset[str]]:
        """A case the device failed, feed by feed: which of them it fails, and what it makes of the others.

        What a runtime is known to fail is noted as its fault; the verdict is then that of the others.
        """
        parts = series(question.feeds)
        singles = (self._asked_alone(question, *part) for part in parts)
        first = next(singles)
        if isinstance(first[1], Failure):
            judged = self.judge(question, failure, self.viable)
            return replace(
                judged.verdict, fault=self.telling.fault(question.case, failure.outcome)
            ), judged.fits
        tried = [first, *singles]
        good = [n for n, (_, answer) in enumerate(tried) if not isinstance(answer, Failure)]
        left = [n for n in range(len(tried)) if n not in good]
        kept, answer = self._asked_alone(question, *(number for n in good for number in parts[n]))
        judged = self.judge(kept, answer, self.viable)
        verdict, fault = self.telling(kept, judged), self.telling.fault(question.case, failure.outcome)
        kinds = sorted({question.feeds[parts[n][0]].kind for n in left})
        noun = "inputs" if len(parts) == len(question.feeds) else "series of inferences"
        said = f"{failure.outcome.value} on {len(left)} of {len(tried)} {noun} ({', '.join(kinds)})"
        if fault and verdict.outcome.good:
            return replace(verdict, message=f"{said}, which are left out", fault=fault), judged.fits
        said = f"{said}; the others: {verdict.outcome.value}\n{failure.message}"
        return replace(verdict, outcome=failure.outcome, message=said, fault=fault), judged.fits

    def _asked_alone(self, question: Question, *numbers: int) -> tuple[Question, Answer | Failure]:
        """Some feeds of a case, run again."""
        case = question.case
        feeds_kept = tuple(question.feeds[n] for n in numbers)
        expectation = Expectation(case, feeds_kept)
        part = replace(question, feeds=feeds_kept, expected=expectation)
        return part, self.device.run(part.job)


def _step(tapes: Iterable[Tape], operators: Iterable[Operator]) -> None:
    """Compute operators that no case is fed by, for those that come behind them."""
    for tape in tapes:
        for operator in operators:
            tape.step(operator)


def _operations(model: Model, subgraphs: tuple[Subgraph, ...]) -> Iterator[Operation]:
    for subgraph in subgraphs:
        keys = (s.key for s in model.signatures if s.subgraph == subgraph.index)
        graph = subgraph.name or next(keys, "")
        for op in subgraph.operators:
            inputs, outputs = (tuple(i for i in ends if i >= 0) for ends in (op.inputs, op.outputs))
            names = tuple(subgraph.tensors[i].name for i in outputs)
            kind, called = op.custom_code or op.opcode, name_of(subgraph, op)
            yield Operation(subgraph.index, op.index, kind, called, inputs, outputs, names, graph)


def _digest(model: Model) -> str:
    """The file's SHA-256, or that of the model written out where it came from no file of its own."""
    if not model.file or model.member or not Path(model.file).is_file():
        return hashlib.sha256(model_bytes(model, drop_unknown=True)).hexdigest()
    digest = hashlib.sha256()
    with open(model.file, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()

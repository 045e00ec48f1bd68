"""One case judged: what the device gave against what admissible arithmetics give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.cases.inputs import Feed, exhaustive, series
from litecheck.cases.parts import Case
from litecheck.cases.requantized import stored
from litecheck.compare.difference import difference
from litecheck.compare.hints import hint
from litecheck.compare.stale import Sequel
from litecheck.devices.jobs import job_of
from litecheck.devices.port import Answer, Arrays, Failure, Job
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.report import counted
from litecheck.verify.outcome import Difference, Outcome, Verdict
from litecheck.verify.tolerances import Tolerances

#: The outputs an arithmetic gives for every feed, or None where it has no kernel.
Expected = Callable[[Arithmetic], "Sequence[Arrays] | None"]


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A case with what it is fed, how often, and a way to learn what an arithmetic expects.

    ``again`` are the feeds by number that are run once more, where not all of them are ``repeat`` times. ``lacks`` is how
    a case without feeds ends, ``note`` says why. ``memory`` says how its memory was tried, where it has one; ``untried``
    that it was not.
    """

    case: Case
    feeds: tuple[Feed, ...]
    repeat: int
    expected: Expected
    note: str = ""
    again: tuple[int, ...] | None = None
    lacks: Outcome = Outcome.NO_REFERENCE
    memory: str = ""
    untried: bool = False

    @property
    def series(self) -> tuple[range, ...]:
        """The feeds by number in series, as the device gets them: all, then again from the last series to the first, so
        that leftovers show."""
        once = series(self.feeds)
        if self.again is not None:
            return (*once, *(range(n, n + 1) for n in self.again))
        return tuple(part for n in range(self.repeat) for part in (once[::-1] if n % 2 else once))

    @property
    def order(self) -> tuple[int, ...]:
        """The feeds by number as the device gets them."""
        return tuple(number for part in self.series for number in part)

    @property
    def job(self) -> Job:
        """What the device is given."""
        runs = tuple(self.feeds[number].arrays for number in self.order)
        starts = {n: start for n, part in enumerate(self.series) if (start := self.feeds[part[0]].start)}
        if not starts and not any(feed.follows for feed in self.feeds):
            return job_of(self.case, runs)
        return job_of(self.case, runs, tuple(map(len, self.series)), starts)


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A verdict, the published arithmetics that the outputs fit, and the outputs for each feed, as compared.

    ``nearest`` is the admissible arithmetic that fits, or from which they differ least.
    """

    verdict: Verdict
    fits: frozenset[str]
    actual: tuple[Arrays, ...] = ()
    nearest: Arithmetic | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """What verdicts are given by: admissible arithmetics, published ones to look at beside them, tolerances."""

    admissible: tuple[Arithmetic, ...]
    published: tuple[Arithmetic, ...]
    tolerances: Tolerances

    def __call__(self, question: Question, answer: Answer | Failure, viable: frozenset[str]) -> Judged:
        """The verdict. ``viable`` names the published arithmetics whose fit is still of interest."""
        blank = _blank(question)
        if isinstance(answer, Failure):
            return Judged(replace(blank, outcome=answer.outcome, message=answer.message), viable)
        blank = replace(blank, message=answer.message or blank.message)
        if answer.delegated is not None and not all(answer.delegated):
            return Judged(_fallback(blank, answer.delegated), viable)
        known = (question.expected(a) for a in self.admissible)
        expected = next((outputs for outputs in known if outputs is not None), None)
        if expected is None:
            return Judged(blank, viable)
        actual = _arranged(question, answer, expected)
        if isinstance(actual, str):
            return Judged(replace(blank, outcome=Outcome.WRONG_SHAPE, message=actual), frozenset())
        judged = self._compared(question, blank, actual[: len(question.feeds)], viable)
        verdict = self._sequel(question, judged, actual)
        if question.untried and verdict.outcome.good:
            verdict = replace(verdict, outcome=Outcome.INITIAL_ONLY)
        if answer.ended:
            told = f"{answer.ended} after it had answered; its answer: {verdict.outcome.value}"
            verdict = replace(verdict, outcome=Outcome.CRASHED, message=f"{told}. {answer.message}".strip())
        return replace(judged, verdict=verdict)

    def _sequel(self, question: Question, judged: Judged, actual: tuple[Arrays, ...]) -> Verdict:
        """The verdict with what only shows from one inference to the next: other answers, and those left over."""
        verdict = judged.verdict
        expected = question.expected(judged.nearest) if judged.nearest else None
        if expected is None:
            return verdict
        kinds = [feed.kind for feed in question.feeds]
        sequel = Sequel(question.order, kinds, expected, actual)
        restless = sequel.flaky()
        if not restless and verdict.outcome is not Outcome.MISMATCH:
            return verdict
        told = "\n".join(filter(None, (restless, sequel.left_over(), verdict.message)))
        return replace(verdict, outcome=Outcome.FLAKY if restless else verdict.outcome, message=told)

    def _compared(
        self, question: Question, blank: Verdict, actual: tuple[Arrays, ...], viable: frozenset[str]
    ) -> Judged:
        tried = [(a, self._differences(question, actual, a)) for a in self.admissible]
        known = [(a, found) for a, found in tried if found is not None]
        arithmetic, found = next(
            (pair for pair in known if not any(d.mismatches for d in pair[1])),
            next((pair for pair in known if not any(d.beyond for d in pair[1])), None),
        ) or min(known, key=lambda pair: _distance(pair[1]))
        outcome = _outcome(found)
        verdict = replace(
            blank,
            outcome=outcome,
            differences=found,
            elements=sum(d.size for d in found),
            arithmetic=arithmetic.name if outcome.good else "",
            nearest="" if outcome.good or len(self.admissible) == 1 else arithmetic.name,
        )
        asked = viable if _fits(found) else frozenset(a.name for a in self.published)
        fits = {a.name for a in self.published if a.name in asked and self._fitting(question, actual, a)}
        if not _fits(found):
            verdict = replace(verdict, also=tuple(sorted(fits - {a.name for a in self.admissible})))
        return Judged(verdict, frozenset(fits & viable), actual, arithmetic)

    def _fitting(self, question: Question, actual: tuple[Arrays, ...], arithmetic: Arithmetic) -> bool:
        expected = question.expected(arithmetic)
        if expected is None:
            return False
        if all(
            np.array_equal(e, a)
            for pair in zip(expected, actual, strict=True)
            for e, a in zip(*pair, strict=True)
        ):
            return True
        if all(a.dtype.kind != "f" for run in actual for a in run):
            return False
        return _fits(self._differences(question, actual, arithmetic) or ())

    def _differences(
        self, question: Question, actual: tuple[Arrays, ...], arithmetic: Arithmetic
    ) -> tuple[Difference, ...] | None:
        expected = question.expected(arithmetic)
        if expected is None:
            return None
        case, found = question.case, []
        kinds = [feed.kind for feed in question.feeds]
        for at, index in enumerate(case.cut.outputs):
            tensor = case.subgraph.tensors[index]
            tolerance = max(self.tolerances.of(op.opcode, tensor.dtype)[0] for op in case.operators)
            pair = [run[at] for run in expected], [run[at] for run in actual]
            found.append(difference(tensor, *pair, tolerance, kinds))
        return tuple(found)


def _fits(found: tuple[Difference, ...]) -> bool:
    """Whether integers are equal, and reals as near as sums in another order are."""
    return not any(d.mismatches if d.unit == "LSB" else d.beyond for d in found)


def _distance(found: tuple[Difference, ...]) -> tuple[int, int]:
    """How far outputs are from an arithmetic's: elements beyond the tolerance, then elements that differ at all."""
    return sum(d.beyond for d in found), sum(d.mismatches for d in found)


def _outcome(found: tuple[Difference, ...]) -> Outcome:
    if any(d.beyond for d in found):
        return Outcome.MISMATCH
    return Outcome.WITHIN if any(d.mismatches for d in found) else Outcome.EXACT


def _blank(question: Question) -> Verdict:
    case = question.case
    return Verdict(
        case=case.name,
        subgraph=case.subgraph.index,
        operators=tuple(op.index for op in case.operators),
        opcodes=case.opcodes,
        name=case.called,
        outcome=Outcome.NO_REFERENCE,
        runs=tuple(feed.kind for feed in question.feeds),
        exhaustive=exhaustive(case, question.feeds),
        message=question.note,
        memory=question.memory,
    )


def _fallback(blank: Verdict, delegated: Sequence[bool]) -> Verdict:
    left = delegated.count(False)
    what = "the device did not take it" if left == len(delegated) else f"{left} of its outputs were left"
    said = f"{what}: the runtime computed it. {blank.message}".strip()
    return replace(blank, outcome=Outcome.NOT_DELEGATED, message=said)


def _arranged(question: Question, answer: Answer, expected: Sequence[Arrays]) -> tuple[Arrays, ...] | str:
    """The answer with real values quantized where integers are wanted; or in words what does not fit."""
    case = question.case
    tensors = [case.subgraph.tensors[i] for i in case.cut.outputs]
    if len(answer.runs) != len(question.order):
        return f"{len(answer.runs)} answers to {counted(len(question.order), 'inference')}"
    arranged = []
    for number, run in zip(question.order, answer.runs, strict=True):
        if len(run) != len(tensors):
            return f"{counted(len(run), 'output')}, the model has {len(tensors)}"
        arrays = tuple(stored(t, a) for t, a in zip(tensors, run, strict=True))
        for tensor, array, like in zip(tensors, arrays, expected[number], strict=True):
            if array.dtype != like.dtype or array.shape != like.shape:
                given, wanted = _told(array), _told(like)
                return f"'{tensor.name}' is {given}, it should be {wanted}{hint(tensor, array, like)}"
        arranged.append(arrays)
    return tuple(arranged)


def _told(array: NDArray[Any]) -> str:
    return f"{array.dtype} of shape {list(array.shape)}"

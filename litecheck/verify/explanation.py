"""What explains a case beside its outcome: an element followed, causes, and what the runtime is known to do wrong."""

from __future__ import annotations

from dataclasses import dataclass

from litecheck.cases.expectation import exposed
from litecheck.cases.inputs import Feed
from litecheck.cases.parts import Case
from litecheck.cases.sweeps import exhaustive
from litecheck.compare.causes import causes
from litecheck.compare.errata import known_fault
from litecheck.compare.explain import explain_outputs
from litecheck.compare.types import Cause, Difference, Spot
from litecheck.devices.outcome import RETRIED, Outcome
from litecheck.verify.judge import Judge, Judged
from litecheck.verify.outcome import Verdict
from litecheck.verify.questions import Question


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """The differences with an element of each explained, ways of computing that explain them all, and the runtime's known
    fault that they may come from."""

    differences: tuple[Difference, ...] = ()
    causes: tuple[Cause, ...] = ()
    fault: str = ""


class Explaining:
    """Explains what a device gave, case by case; what explained one operator is tried first on others of its kind.

    ``element`` is the index of an element to explain instead of the worst one.
    """

    def __init__(self, judge: Judge, device: str, element: tuple[int, ...] | None) -> None:
        self.judge, self.device, self.element = judge, device, element
        self.likely: dict[tuple[str, ...], set[tuple[str, ...]]] = {}

    def __call__(self, question: Question, judged: Judged) -> Explanation:
        """The worst element followed, or the one asked for, the causes, and the runtime's known fault."""
        case = question.case
        if judged.outcome in RETRIED:
            return Explanation(judged.differences, (), self.fault(case, judged.outcome))
        arithmetic, kinds = judged.nearest or self.judge.admissible[0], [feed.kind for feed in question.feeds]
        shown, fed = case, [feed.arrays for feed in question.feeds]
        if judged.mismatches or self.element is not None:
            shown, fed = exposed(case, question.feeds, arithmetic)
        spots = None
        if self.element is not None:
            spots = [self._spot(question, judged, at) for at in range(len(judged.differences))]
        others = self.judge.published
        told = explain_outputs(shown, fed, judged.differences, arithmetic, others, kinds, spots)
        # Where another published arithmetic fits, that explains it.
        fault = "" if judged.also or judged.outcome.good else self.fault(case, judged.outcome)
        why: tuple[Cause, ...] = ()
        if judged.outcome is Outcome.MISMATCH and not judged.also:
            likely = self.likely.setdefault(case.opcodes, set())
            each = tuple(Feed(feed.kind, arrays) for feed, arrays in zip(question.feeds, fed, strict=True))
            why = causes(shown, each, judged.actual, arithmetic, others, frozenset(likely))
            likely.update(c.names for c in why if not c.left)
        return Explanation(told, why, fault)

    def _spot(self, question: Question, judged: Judged, at: int) -> Spot | None:
        """The element asked for of one output, in the run in which it is furthest off; None where there is none."""
        index = self.element or ()
        expected = question.expected(judged.nearest or self.judge.admissible[0])
        spots = [
            Spot(run, index, e[at][index].item(), a[at][index].item())
            for run, (e, a) in enumerate(zip(expected or (), judged.actual, strict=False))
            if len(index) == e[at].ndim and all(0 <= i < n for i, n in zip(index, e[at].shape, strict=True))
        ]
        return max(spots, key=lambda s: abs(s.actual - s.expected), default=None)

    def fault(self, case: Case, outcome: Outcome) -> str:
        """What the runtime behind the device is known to do wrong with these operators, or nothing."""
        tensors = case.subgraph.tensors
        dtypes = {tensors[i].dtype for op in case.operators for i in (*op.inputs, *op.outputs) if i >= 0}
        faults = (known_fault(self.device, op.kind, dtypes, outcome) for op in case.operators)
        return next(filter(None, faults), "")


def verdict(question: Question, judged: Judged, explanation: Explanation, reproducer: str = "") -> Verdict:
    """All that is known of a case in the end."""
    case = question.case
    return Verdict(
        case=case.name,
        subgraph=case.subgraph.index,
        operators=tuple(op.index for op in case.operators),
        opcodes=case.opcodes,
        name=case.called,
        outcome=judged.outcome,
        elements=sum(d.size for d in judged.differences),
        runs=tuple(feed.kind for feed in question.feeds),
        arithmetic=judged.arithmetic,
        also=judged.also,
        differences=explanation.differences,
        message=judged.message,
        fault=explanation.fault,
        exhaustive=exhaustive(case, question.feeds),
        reproducer=reproducer,
        memory=question.memory,
        nearest=judged.against,
        causes=explanation.causes,
    )

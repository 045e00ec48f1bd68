"""What is told of a case beside its verdict: differences explained, causes, and what the runtime is known to do wrong."""

from __future__ import annotations

from dataclasses import replace

from litecheck.cases.expectation import exposed
from litecheck.cases.inputs import Feed
from litecheck.cases.parts import Case
from litecheck.compare.causes import causes
from litecheck.compare.errata import known_fault
from litecheck.compare.explain import explain_outputs
from litecheck.devices.port import Device
from litecheck.verify.judge import Judge, Judged, Question
from litecheck.verify.outcome import RETRIED, Cause, Outcome, Spot, Verdict


class Telling:
    """Explains what a device gave, case by case; what explained one operator is tried first on others of its kind.

    ``element`` is the index of an element to explain instead of the worst one.
    """

    def __init__(self, judge: Judge, device: Device, element: tuple[int, ...] | None) -> None:
        self.judge, self.device, self.element = judge, device.name, element
        self.likely: dict[str, set[tuple[str, ...]]] = {}

    def __call__(self, question: Question, judged: Judged) -> Verdict:
        """The verdict with an element explained, the worst or the one asked for, and the runtime's known faults."""
        verdict, case = judged.verdict, question.case
        if verdict.outcome in RETRIED:
            return replace(verdict, fault=self.fault(case, verdict.outcome))
        arithmetic, kinds = judged.nearest or self.judge.admissible[0], [feed.kind for feed in question.feeds]
        shown, fed = case, [feed.arrays for feed in question.feeds]
        if verdict.mismatches or self.element is not None:
            shown, fed = exposed(case, question.feeds, arithmetic)
        spots = None
        if self.element is not None:
            spots = [self._spot(question, judged, at) for at in range(len(verdict.differences))]
        others = self.judge.published
        told = explain_outputs(shown, fed, verdict.differences, arithmetic, others, kinds, spots)
        # Where another published arithmetic fits, that explains it.
        fault = "" if verdict.also or verdict.outcome.good else self.fault(case, verdict.outcome)
        why: tuple[Cause, ...] = ()
        if verdict.outcome is Outcome.MISMATCH and not verdict.also:
            known = frozenset(self.likely.get(verdict.opcode, ()))
            each = tuple(Feed(feed.kind, arrays) for feed, arrays in zip(question.feeds, fed, strict=True))
            why = causes(shown, each, judged.actual, arithmetic, others, known)
            self.likely.setdefault(verdict.opcode, set()).update(c.names for c in why if not c.left)
        return replace(verdict, differences=told, fault=fault, causes=why)

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

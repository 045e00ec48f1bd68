"""Explanation of a verdict: an element traced through the computation, causes, and known faults of the runtime."""

from __future__ import annotations

from dataclasses import dataclass

from litecheck.cases.expectation import with_all_outputs
from litecheck.cases.model_parts import Case
from litecheck.cases.stimulus import Stimuli
from litecheck.cases.sweeps import exhaustive
from litecheck.comparison.cause_search import find_causes
from litecheck.comparison.element_explanation import explain_outputs
from litecheck.comparison.errata import known_fault
from litecheck.comparison.types import Cause, Difference, MismatchExample
from litecheck.devices.outcome import RETRIED, Outcome
from litecheck.verification.case_verdict import Judge, JudgedAnswer
from litecheck.verification.jobs import CaseJob
from litecheck.verification.result import Verdict


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """The explanation of a case: differences with an explained element each, causes that explain all differences, and
    a known fault of the runtime as a possible origin."""

    differences: tuple[Difference, ...] = ()
    causes: tuple[Cause, ...] = ()
    fault: str = ""


class AnswerExplainer:
    """Explanation of answers, case by case. Causes found for one operator are tried first on operators of the same
    kind.

    ``element`` is the index of an element to explain instead of the worst element.
    """

    def __init__(self, judge: Judge, device: str, element: tuple[int, ...] | None) -> None:
        self.judge, self.device, self.element = judge, device, element
        self.likely: dict[tuple[str, ...], set[tuple[str, ...]]] = {}

    def __call__(self, case_job: CaseJob, judged: JudgedAnswer) -> Explanation:
        """Return the explained worst element (or the requested element), the causes, and the runtime's known fault."""
        case = case_job.case
        if judged.outcome in RETRIED:
            return Explanation(judged.differences, (), self.fault(case, judged.outcome))
        arithmetic, kinds = judged.nearest or self.judge.admissible[0], case_job.stimuli.kinds
        shown, fed = case, case_job.stimuli.runs
        if judged.mismatches or self.element is not None:
            shown, fed = with_all_outputs(case, case_job.stimuli, arithmetic)
        spots = None
        if self.element is not None:
            spots = [self._spot(case_job, judged, at) for at in range(len(judged.differences))]
        others = self.judge.published
        told = explain_outputs(shown, fed, judged.differences, arithmetic, others, kinds, spots)
        # A published arithmetic that fits is already the explanation.
        fault = "" if judged.also or judged.outcome.good else self.fault(case, judged.outcome)
        why: tuple[Cause, ...] = ()
        if judged.outcome is Outcome.MISMATCH and not judged.also:
            likely = self.likely.setdefault(case.opcodes, set())
            why = find_causes(
                shown, Stimuli(kinds, fed), judged.actual, arithmetic, others, frozenset(likely)
            )
            likely.update(c.names for c in why if not c.left)
        return Explanation(told, why, fault)

    def _spot(self, case_job: CaseJob, judged: JudgedAnswer, at: int) -> MismatchExample | None:
        """Return the requested element, in the run with its largest difference; None if the output has no such
        element."""
        index = self.element or ()
        expected = case_job.expected(judged.nearest or self.judge.admissible[0])
        spots = [
            MismatchExample(run, index, e[at][index].item(), a[at][index].item())
            for run, (e, a) in enumerate(zip(expected or (), judged.actual, strict=False))
            if len(index) == e[at].ndim and all(0 <= i < n for i, n in zip(index, e[at].shape, strict=True))
        ]
        return max(spots, key=lambda s: abs(s.actual - s.expected), default=None)

    def fault(self, case: Case, outcome: Outcome) -> str:
        """Return the known fault of the device's runtime with these operators, or an empty string."""
        return known_fault(self.device, case.submodel.model, outcome)


def verdict(
    case_job: CaseJob, judged: JudgedAnswer, explanation: Explanation, reproducer: str = ""
) -> Verdict:
    """Return the complete verdict of a case."""
    case = case_job.case
    return Verdict(
        case=case.name,
        subgraph=case.subgraph.index,
        operators=tuple(op.index for op in case.operators),
        opcodes=case.opcodes,
        name=case.display_name,
        outcome=judged.outcome,
        elements=sum(d.size for d in judged.differences),
        runs=case_job.stimuli.kinds,
        arithmetic=judged.arithmetic,
        also=judged.also,
        differences=explanation.differences,
        message=judged.message,
        fault=explanation.fault,
        exhaustive=exhaustive(case, case_job.stimuli),
        reproducer=reproducer,
        memory=case_job.memory,
        nearest=judged.against,
        causes=explanation.causes,
        fits=judged.exact_under,
    )

"""Verdicts on results: for each operator the claimed arithmetic that fits best, and the ending of each case under it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.cases.inputs import requantized
from litecheck.comparison.admitted_arithmetics import admitted
from litecheck.comparison.difference import difference
from litecheck.comparison.errata import known_fault
from litecheck.comparison.types import Difference
from litecheck.dates import today
from litecheck.devices.outcome import Outcome
from litecheck.model.load import model_from
from litecheck.model.types import Tensor
from litecheck.profile.load import load_profile, profile_names
from litecheck.profile.operators import traits_of
from litecheck.profile.types import Profile
from litecheck.public_call import shows_call
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.suite.budget import mutation_coverage
from litecheck.suite.case_outcome import ENDINGS, ExecutedCase, broken_ending, delegated, placement, tested
from litecheck.suite.claim_evaluation import ClaimEvaluation
from litecheck.suite.claims import Claims
from litecheck.suite.expected_outputs import ExpectedOutputs, named_arithmetic
from litecheck.suite.failure_traits import failure_traits
from litecheck.suite.manifest import CaseEntry, Suite, by_operator
from litecheck.suite.mutant_causes import explaining
from litecheck.suite.part import restricted
from litecheck.suite.results import ANSWERED, SuiteResults
from litecheck.suite.untried import geometry_gaps
from litecheck.suite.verdict import CaseOutcome, CaseVerdict, OperatorRow, SuiteReport
from litecheck.suite.waivers import CaseWaiver
from litecheck.verification.case_verdict import Tolerances
from litecheck.version import __version__


@shows_call("litecheck.judge_suite(suite, litecheck.read_results('results', suite))")
def judge(
    suite: Suite,
    results: SuiteResults,
    arithmetics: Sequence[str] = (),
    *,
    claims: Claims | None = None,
    waivers: Sequence[CaseWaiver] = (),
    date: str = "",
    partial: bool = False,
) -> SuiteReport:
    """Return the report on a device's results.

    ``arithmetics`` are those that the device claims (default: those of the suite that are admitted for the device).
    ``claims`` adds claims by operator. ``waivers`` extends the waivers of the claims; ``date`` (``2027-03-31``,
    default: today) decides if waivers hold. Missing results fail unless ``partial``. Raises ConfigError for an
    arithmetic without answers in the suite, and for changed files.
    """
    whole, suite = suite, restricted(suite, results)
    claimed = tuple(arithmetics) or admitted(results.facts.device, suite.manifest.arithmetics)
    claimed = tuple(own := dict(named_arithmetic(name, suite.manifest.arithmetics) for name in claimed))
    excused = (*(claims.waivers if claims else ()), *waivers)
    known = {name: arithmetic for name, arithmetic in own.items() if arithmetic is not None}
    standing = ClaimEvaluation(suite, claims, excused, date or today(), known)
    judging = _tribunal(suite, results, claimed, standing)
    rows, verdicts = [], []
    for group in by_operator(suite.manifest.cases).values():
        for several in _by_granularity(group):
            row, cases = judging.row(several)
            rows.append(row)
            verdicts += cases
    return SuiteReport(
        version=__version__,
        profile=suite.manifest.profile,
        level=suite.manifest.level,
        seed=suite.manifest.seed,
        suite=suite.sha256,
        rules=suite.manifest.rules,
        results=results.sha256,
        device=results.facts.device,
        described=results.facts.described,
        program=results.facts.program,
        arithmetics=standing.every_arithmetic(claimed),
        rows=tuple(rows),
        cases=tuple(verdicts),
        uncovered=suite.manifest.uncovered,
        notes=standing.notes(),
        date=standing.date,
        claims=claims.record if claims else None,
        shortfalls=standing.shortfalls(results.facts.program),
        waivers=tuple(standing.records(verdicts)),
        partial=partial,
        inferences=_inferences(whole, results),
        coverage=_coverage(whole, results),
        untried=tuple(geometry_gaps(suite.manifest.cases, _answered(results))),
    )


def _answered(results: SuiteResults) -> frozenset[str]:
    return frozenset(name for name, result in results.cases.items() if result.outcome == ANSWERED)


def _inferences(suite: Suite, results: SuiteResults) -> tuple[int, int]:
    """Return (inferences with a result, inferences of the whole suite), of the required cases with a result."""
    ran = [(case, results.cases[case.name]) for case in suite.manifest.cases if case.name in results.cases]
    valid = [(len(result.runs) or case.runs, case.runs) for case, result in ran if not case.broken]
    return sum(made for made, _ in valid), sum(every for _, every in valid)


def _coverage(suite: Suite, results: SuiteResults) -> tuple[int, int]:
    return mutation_coverage(suite.manifest.cases, {name: one.runs for name, one in results.cases.items()})


def _tribunal(
    suite: Suite, results: SuiteResults, claimed: tuple[str, ...], standing: ClaimEvaluation
) -> _Tribunal:
    name = suite.manifest.profile
    known = standing.claims.profiles if standing.claims else {}
    profile = known[name] if name in known else _profile(name)
    answers = ExpectedOutputs(suite, standing.own())
    return _Tribunal(suite, results, claimed, standing.tolerances(profile), standing, answers)


def _profile(name: str) -> Profile | None:
    """Return the suite's profile, whose tolerances apply; None for a vendor's profile, whose tolerances the suite
    states."""
    return load_profile(name) if name in profile_names() else None


def _outputs_of(content: bytes, name: str) -> tuple[Tensor, ...]:
    main = model_from(content, name).subgraphs[0]
    return tuple(main.tensors[i] for i in main.outputs)


def _by_granularity(several: list[CaseEntry]) -> Iterator[list[CaseEntry]]:
    """Yield cases by weight granularity; invalid models without granularity join the first."""
    first = next((case.granularity for case in several if not case.broken), "")
    named = [case.granularity or (first if case.broken else "") for case in several]
    for granularity in dict.fromkeys(named):
        yield [case for case, name in zip(several, named, strict=True) if name == granularity]


@dataclass(frozen=True, slots=True, eq=False)
class _Tribunal:
    suite: Suite
    results: SuiteResults
    claimed: tuple[str, ...]
    tolerances: Tolerances
    standing: ClaimEvaluation
    answers: ExpectedOutputs

    def row(self, several: Sequence[CaseEntry]) -> tuple[OperatorRow, list[CaseVerdict]]:
        """Return the row and verdicts of an operator, under the claimed arithmetic that fits most cases."""
        claimed = self.standing.arithmetics(several[0].opcode, self.claimed)
        compared = [self._compared(case, claimed) for case in several]
        fitting = Counter(name for one in compared if one.comparable for name in one.fits)
        # In a tie, max returns the first named arithmetic.
        arithmetic = max(claimed, key=lambda name: fitting[name])
        judged = [one for one in compared if one.comparable]
        plain = tested(compared, [self._verdict(one, arithmetic) for one in compared])
        verdicts = [self.standing.of_case(one.case, v) for one, v in zip(compared, plain, strict=True)]
        counts = Counter(verdict.ending for verdict in verdicts)
        worst = max(verdicts, key=lambda v: abs(v.worst), default=None)
        failing = counts[CaseOutcome.FAILED] > 0
        first = several[0]
        row = OperatorRow(
            first.opcode,
            first.kind,
            first.granularity,
            {ending.value: counts[ending] for ending in CaseOutcome if counts[ending]},
            arithmetic,
            fits=tuple(n for n in self._names(claimed) if judged and fitting[n] == len(judged)),
            mistakes=self._explained(judged, arithmetic) if failing else (),
            tolerance=max((v.tolerance for v in verdicts), default=0.0),
            worst=abs(worst.worst) if worst else 0.0,
            unit=worst.unit if worst else "LSB",
            case=worst.name if worst and worst.worst else "",
            placement=placement(compared),
            because=self.tolerances.of(first.opcode, first.kind)[1],
            apart=failure_traits(self.suite, several, verdicts),
        )
        return self.standing.of_row(row, verdicts), verdicts

    def _names(self, claimed: Sequence[str]) -> tuple[str, ...]:
        """Return the compared arithmetics: those of the suite, and further claimed arithmetics."""
        return tuple(dict.fromkeys((*self.suite.manifest.arithmetics, *claimed)))

    def _explained(self, judged: Sequence[ExecutedCase], arithmetic: str) -> tuple[str, ...]:
        """Return the mutants that give exactly the device's outputs for all cases of an operator."""
        base = self.answers.own.get(arithmetic) or load_arithmetic(arithmetic, quoting=False)
        return explaining(self.suite, [(one.case, one.outputs) for one in judged], base)

    def _compared(self, case: CaseEntry, claimed: Sequence[str]) -> ExecutedCase:
        result = self.results.cases.get(case.name)
        if result is None or result.outcome != ANSWERED or case.broken:
            return ExecutedCase(case, result)
        tensors = cache(partial(_outputs_of, self.suite.model(case), case.model))
        outputs = self.results.outputs(result)
        wanted = case.answers[0].outputs
        if len(outputs) != len(wanted):
            return ExecutedCase(case, result, wrong=f"{len(outputs)} outputs, the model has {len(wanted)}")
        if any(a.dtype.kind == "f" != np.dtype(e.dtype).kind for a, e in zip(outputs, wanted, strict=True)):
            outputs = tuple(map(requantized, tensors(), outputs))
        for number, (entry, given) in enumerate(zip(wanted, outputs, strict=True)):
            if given.shape != entry.shape or given.dtype.name != entry.dtype:
                told = f"output {number} is {given.dtype} of shape {list(given.shape[1:])}"
                told += f", it should be {entry.dtype} of shape {list(entry.shape[1:])}"
                return ExecutedCase(case, result, tensors, outputs, wrong=told)
        one = ExecutedCase(case, result, tensors, outputs)
        every = self.answers.every(case, claimed)
        fits = [name for names, expected in every if self._same(one, expected) for name in names]
        return ExecutedCase(case, result, tensors, outputs, tuple(fits))

    def _same(self, one: ExecutedCase, expected: Sequence[NDArray[Any]]) -> bool:
        """Return True if integers are equal and floats are within the tolerance (sums in another order)."""
        pairs = zip(expected, one.outputs, strict=True)
        if all(e.tobytes() == a.tobytes() for e, a in pairs):
            return True
        if all(e.dtype.kind != "f" for e in expected):
            return False
        return not any(
            d.mismatches if d.unit == "LSB" else d.beyond for d in self._differences(one, expected)
        )

    def _differences(self, one: ExecutedCase, expected: Sequence[NDArray[Any]]) -> list[Difference]:
        return [
            difference(tensor, list(e), list(a), self.tolerances.of(one.case.opcode, tensor.dtype)[0])
            for tensor, e, a in zip(one.tensors(), expected, one.outputs, strict=True)
        ]

    def _verdict(self, one: ExecutedCase, arithmetic: str) -> CaseVerdict:
        case, result = one.case, one.result
        head = (case.name, case.opcode, case.kind, case.granularity, case.title)
        if result is None:
            absent = CaseOutcome.NOT_TESTED if case.broken else CaseOutcome.MISSING
            return CaseVerdict(*head, absent, broken=case.broken, effect=case.effect)
        tail: dict[str, Any] = {
            "seconds": result.seconds, "delegated": delegated(result), "broken": case.broken, "effect": case.effect,
        }  # fmt: skip
        if case.broken:
            return CaseVerdict(*head, broken_ending(case, result), message=result.message, **tail)
        if result.outcome != ANSWERED or one.wrong:
            ending = ENDINGS[result.outcome] if result.outcome != ANSWERED else CaseOutcome.FAILED
            outcome = Outcome(result.outcome) if result.outcome != ANSWERED else Outcome.WRONG_SHAPE
            fault = self._fault(case, outcome)
            return CaseVerdict(*head, ending, message=one.wrong or result.message, fault=fault, **tail)
        if result.delegated is not None and not all(result.delegated):
            return CaseVerdict(*head, CaseOutcome.NOT_DELEGATED, message=result.message, **tail)
        name, expected = self.answers.under(case, arithmetic)
        differences = [] if arithmetic in one.fits else self._differences(one, expected)
        worst = max(differences, key=lambda d: (d.beyond, abs(d.largest)), default=None)
        ending = CaseOutcome.PASSED
        if worst is not None and any(d.mismatches for d in differences):
            beyond = any(d.beyond for d in differences)
            ending = CaseOutcome.FAILED if beyond else CaseOutcome.TOLERATED
        spot = None if worst is None else worst.worst
        return CaseVerdict(
            *head,
            ending,
            elements=sum(int(array.size) for array in expected),
            mismatches=sum(d.mismatches for d in differences),
            arithmetic=name,
            fits=one.fits,
            tolerance=max(self.tolerances.of(case.opcode, e.dtype)[0] for e in case.answers[0].outputs),
            unit=worst.unit if worst else "LSB",
            worst=float(worst.largest) if worst else 0.0,
            at=spot,
            operands=self._operands(case, spot.run, spot.index) if spot else (),
            message=result.message,
            fault=self._fault(case, Outcome.MISMATCH) if ending is CaseOutcome.FAILED else "",
            **tail,
        )

    def _fault(self, case: CaseEntry, outcome: Outcome) -> str:
        """Return the known fault of the device's runtime for this case."""
        return known_fault(self.results.facts.device, model_from(self.suite.model(case), case.model), outcome)

    def _operands(self, case: CaseEntry, run: int, index: tuple[int, ...]) -> tuple[float, ...]:
        """Return the inputs of an element, for elementwise operators."""
        if not traits_of(case.opcode).elementwise:
            return ()
        stacks = [self.suite.stack(entry)[run] for entry in case.inputs]
        shape = case.answers[0].outputs[0].shape[1:]
        try:
            return tuple(float(np.broadcast_to(stack, shape)[index]) for stack in stacks)
        except (ValueError, IndexError):
            return ()

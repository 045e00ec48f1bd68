"""Verdicts on results: for each operator the claimed arithmetic that fits best, and the ending of each case under it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from litecheck.comparison.admitted_arithmetics import admitted_arithmetics
from litecheck.dates import today
from litecheck.profile.load import load_profile, profile_names
from litecheck.profile.types import Profile
from litecheck.public_call import shows_call
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.suite.budget import mutation_coverage
from litecheck.suite.case_comparison import CaseComparison
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.claim_evaluation import ClaimEvaluation
from litecheck.suite.claims import Claims
from litecheck.suite.executed_case import ExecutedCase, judge_operator, placement
from litecheck.suite.expected_outputs import ExpectedOutputs, named_arithmetic
from litecheck.suite.failure_traits import failure_traits
from litecheck.suite.geometry_gaps import geometry_gaps
from litecheck.suite.manifest import CaseEntry, Suite, by_operator
from litecheck.suite.mutant_causes import explaining
from litecheck.suite.partial_suite import restrict_suite
from litecheck.suite.results import SuiteResults
from litecheck.suite.verdict import CaseVerdict, OperatorRow, SuiteReport
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
    default: today) decides if waivers hold. Missing results fail unless ``partial``. Raise ConfigError for an
    arithmetic without answers in the suite, and for changed files.
    """
    whole, suite = suite, restrict_suite(suite, results)
    claimed = tuple(arithmetics) or admitted_arithmetics(results.facts.device, suite.manifest.arithmetics)
    claimed = tuple(own := dict(named_arithmetic(name, suite.manifest.arithmetics) for name in claimed))
    excused = (*(claims.waivers if claims else ()), *waivers)
    known = {name: arithmetic for name, arithmetic in own.items() if arithmetic is not None}
    standing = ClaimEvaluation(suite, claims, excused, date or today(), known)
    judging = _make_evaluation(suite, results, claimed, standing)
    rows, verdicts = [], []
    for group in by_operator(suite.manifest.cases).values():
        for several in _group_by_granularity(group):
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
        untried=tuple(geometry_gaps(suite.manifest.cases, _answered_names(results))),
    )


def _answered_names(results: SuiteResults) -> frozenset[str]:
    return frozenset(name for name, result in results.cases.items() if result.answered)


def _inferences(suite: Suite, results: SuiteResults) -> tuple[int, int]:
    """Return (inferences with a result, inferences of the whole suite), of the required cases with a result."""
    ran = [(case, results.cases[case.name]) for case in suite.manifest.cases if case.name in results.cases]
    valid = [(len(result.runs) or case.runs, case.runs) for case, result in ran if not case.broken]
    return sum(made for made, _ in valid), sum(every for _, every in valid)


def _coverage(suite: Suite, results: SuiteResults) -> tuple[int, int]:
    return mutation_coverage(suite.manifest.cases, {name: one.runs for name, one in results.cases.items()})


def _make_evaluation(
    suite: Suite, results: SuiteResults, claimed: tuple[str, ...], standing: ClaimEvaluation
) -> _Evaluation:
    name = suite.manifest.profile
    known = standing.claims.profiles if standing.claims else {}
    profile = known[name] if name in known else _profile(name)
    answers, tolerances = ExpectedOutputs(suite, standing.own_arithmetics()), standing.tolerances(profile)
    comparison = CaseComparison(suite, results, tolerances, answers)
    return _Evaluation(suite, claimed, tolerances, standing, answers, comparison)


def _profile(name: str) -> Profile | None:
    """Return the suite's profile, whose tolerances apply; None for a vendor's profile, whose tolerances the suite
    states."""
    return load_profile(name) if name in profile_names() else None


def _group_by_granularity(several: list[CaseEntry]) -> Iterator[list[CaseEntry]]:
    """Yield cases by weight granularity; invalid models without granularity join the first."""
    first = next((case.granularity for case in several if not case.broken), "")
    named = [case.granularity or (first if case.broken else "") for case in several]
    for granularity in dict.fromkeys(named):
        yield [case for case, name in zip(several, named, strict=True) if name == granularity]


@dataclass(frozen=True, slots=True, eq=False)
class _Evaluation:
    suite: Suite
    claimed: tuple[str, ...]
    tolerances: Tolerances
    standing: ClaimEvaluation
    answers: ExpectedOutputs
    comparison: CaseComparison

    def row(self, several: Sequence[CaseEntry]) -> tuple[OperatorRow, list[CaseVerdict]]:
        """Return the row and verdicts of an operator, under the claimed arithmetic that fits most cases."""
        claimed = self.standing.arithmetics(several[0].opcode, self.claimed)
        compared = [self.comparison.compare_case(case, claimed) for case in several]
        fitting = Counter(name for one in compared if one.comparable for name in one.fits)
        # In a tie, max returns the first named arithmetic.
        arithmetic = max(claimed, key=lambda name: fitting[name])
        judged = [one for one in compared if one.comparable]
        plain = judge_operator(compared, [self.comparison.verdict(one, arithmetic) for one in compared])
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
            mistakes=self._explaining_mutants(judged, arithmetic) if failing else (),
            tolerance=max((v.tolerance for v in verdicts), default=0.0),
            worst=abs(worst.worst) if worst else 0.0,
            unit=worst.unit if worst else "LSB",
            case=worst.name if worst and worst.worst else "",
            placement=placement(compared),
            because=self.tolerances.of(first.opcode, first.kind)[1],
            apart=failure_traits(self.suite, several, verdicts),
            tail=self.comparison.tail(compared, verdicts) if failing else None,
        )
        return self.standing.of_row(row, verdicts), verdicts

    def _names(self, claimed: Sequence[str]) -> tuple[str, ...]:
        """Return the compared arithmetics: those of the suite, and further claimed arithmetics."""
        return tuple(dict.fromkeys((*self.suite.manifest.arithmetics, *claimed)))

    def _explaining_mutants(self, judged: Sequence[ExecutedCase], arithmetic: str) -> tuple[str, ...]:
        """Return the mutants that give exactly the device's outputs for all cases of an operator."""
        base = self.answers.own.get(arithmetic) or load_arithmetic(arithmetic, quoting=False)
        return explaining(self.suite, [(one.case, one.outputs) for one in judged], base)

"""Table of a verification's cases by operator, type and weight granularity, as in a suite's report."""

from __future__ import annotations

from collections import Counter

from litecheck.comparison.admitted_arithmetics import agreement
from litecheck.devices.outcome import Outcome
from litecheck.rendering.wording.agreements import not_distinguished
from litecheck.rendering.wording.operator_lines import OperatorLine
from litecheck.verification.result import Verdict, Verification

_Numbered = list[tuple[int, Verdict]]


def operators(verification: Verification) -> tuple[OperatorLine, ...]:
    """Return a line for each kind of operator, in order of first occurrence; segments are named by their operators."""
    known = {(o.subgraph, o.index): o for o in verification.operations}
    groups: dict[tuple[str, str, str], _Numbered] = {}
    for position, verdict in enumerate(verification.verdicts):
        form = known.get((verdict.subgraph, verdict.operators[0]))
        kind = form.kind if form else ""
        granularity = form.granularity if form and len(verdict.operators) == 1 else ""
        groups.setdefault((verdict.opcode, kind, granularity), []).append((position, verdict))
    return tuple(_line(verification, key, numbered) for key, numbered in groups.items())


def _line(verification: Verification, key: tuple[str, str, str], numbered: _Numbered) -> OperatorLine:
    verdicts = [verdict for _, verdict in numbered]
    ends = Counter(verdict.outcome for verdict in verdicts)
    differences = [d for verdict in verdicts for d in verdict.differences]
    worst = max(differences, key=lambda d: abs(d.largest) if d.mismatches else 0.0, default=None)
    return OperatorLine(
        verification.device,
        *key,
        verdict=_verdict(verification, verdicts),
        ends={outcome: ends[outcome] for outcome in Outcome},
        tolerance=max((d.tolerance for d in differences), default=0.0),
        worst=abs(worst.largest) if worst and worst.mismatches else 0.0,
        unit=worst.unit if worst else "LSB",
        arithmetic=_arithmetic(verification, verdicts),
        placement=_placement(ends),
        positions=tuple(position for position, _ in numbered),
    )


def _verdict(verification: Verification, verdicts: list[Verdict]) -> str:
    if any(map(verification.failing, verdicts)):
        return "fails"
    if any(verdict.outcome.good for verdict in verdicts):
        return "conforms"
    lacking = all(verdict.outcome is Outcome.NOT_SUPPORTED for verdict in verdicts)
    return "not supported" if lacking else "not checked"


def _arithmetic(verification: Verification, verdicts: list[Verdict]) -> str:
    """Return the admissible arithmetics that fit; else published ones that fit; else a cause of all differences."""
    compared = [verdict for verdict in verdicts if verdict.outcome is Outcome.MISMATCH or verdict.arithmetic]
    missed = [verdict for verdict in compared if not verdict.arithmetic]
    if not missed:
        exact = ((v.opcode, v.fits or (v.arithmetic,)) for v in compared)
        found = agreement(exact, verification.arithmetics).groups
        return "; ".join(not_distinguished(group.arithmetics) for group in found)
    others = set.intersection(*({*v.also, *filter(None, [v.arithmetic])} for v in compared))
    if others:
        return f"fits {', '.join(sorted(others))}"
    causes = [{" and ".join(c.names) for c in verdict.causes if not c.left} for verdict in missed]
    shared = sorted(set.intersection(*causes))
    return f"explained by {' or '.join(shared)}" if shared else "none known"


def _placement(ends: Counter[Outcome]) -> str:
    """Return "" if the runtime delegated all operators, else ``partly`` or ``not delegated``."""
    left = ends[Outcome.NOT_DELEGATED]
    return "" if not left else "not delegated" if left == ends.total() else "partly"

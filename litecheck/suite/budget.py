"""Division of a budget of inferences: first the input of every case that detects most mutants, then the second, ..."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise

from litecheck.suite.manifest import CaseEntry, by_operator

#: Numbers of a case's runs, in ascending order; empty for all runs.
Runs = tuple[int, ...]


def rank_runs(case: CaseEntry) -> tuple[Runs, ...]:
    """Return the runs of a case, each alone or with its series, in the order in which they detect further mutants.

    Example: run 0 detects mutant a, run 1 detects a and b, run 2 detects c: the order is 1, 2, 0.
    """
    ends = [0, *accumulate(case.lengths or (1,) * case.runs)]
    left = [tuple(range(first, last)) for first, last in pairwise(ends)]
    detected: list[set[str]] = [
        {flag.mistake for flag in case.flags if not set(flag.runs).isdisjoint(runs)} for runs in left
    ]
    order, known = [], set[str]()
    while left:
        best = max(range(len(left)), key=lambda n: len(detected[n] - known))
        order.append(left.pop(best))
        known |= detected.pop(best)
    return tuple(order)


def planned_runs(cases: Sequence[CaseEntry], inferences: int) -> dict[str, Runs]:
    """Return the runs of each case within a budget of inferences, valid models first; cases without runs are omitted.

    Each round gives one more run to every case.
    """
    turns = {case.name: rank_runs(case) for case in by_turns(cases)}
    chosen: dict[str, Runs] = {}
    for number in range(max(map(len, turns.values()), default=0)):
        for name, units in turns.items():
            unit = units[number] if number < len(units) else ()
            if unit and len(unit) <= inferences:
                chosen[name] = tuple(sorted((*chosen.get(name, ()), *unit)))
                inferences -= len(unit)
    return chosen


def by_turns(cases: Sequence[CaseEntry]) -> Iterator[CaseEntry]:
    """Yield the first case of every operator, then the second, ...; invalid models after all valid ones."""
    for several in ([c for c in cases if not c.broken], [c for c in cases if c.broken]):
        groups = list(by_operator(several).values())
        for number in range(max(map(len, groups), default=0)):
            yield from (group[number] for group in groups if number < len(group))


def mutation_coverage(cases: Iterable[CaseEntry], ran: Mapping[str, Runs]) -> tuple[int, int]:
    """Return (mutants that the runs of a part detect, mutants that all runs detect).

    ``ran`` has the runs of each case with a result, empty for all. A mutant is counted for each operator and type.
    """
    part, whole = set[tuple[str, str, str]](), set[tuple[str, str, str]]()
    for case in cases:
        for flag in case.flags:
            mutant = (case.opcode, case.kind, flag.mistake)
            whole.add(mutant)
            if case.name in ran and (not ran[case.name] or not set(flag.runs).isdisjoint(ran[case.name])):
                part.add(mutant)
    return len(part), len(whole)

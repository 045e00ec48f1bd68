"""A suite restricted to the runs that a device made, so that a part of a case gets a verdict like a whole case."""

from __future__ import annotations

from dataclasses import replace

from litecheck.suite.budget import Runs
from litecheck.suite.manifest import ArrayEntry, CaseEntry, Suite
from litecheck.suite.results import SuiteResults


def restrict_suite(suite: Suite, results: SuiteResults) -> Suite:
    """Return the suite with the runs of each case that have a result."""
    parts = {name: result.runs for name, result in results.cases.items() if result.runs}
    if not parts:
        return suite
    found: dict[str, tuple[tuple[int, ...], Runs]] = {}
    cases = []
    for case in suite.manifest.cases:
        runs = tuple(n for n in parts.get(case.name, ()) if n < case.runs)
        if runs:
            found |= {entry.file: (entry.shape, runs) for entry in case.arrays}
        cases.append(_part(case, runs) if runs else case)
    return replace(suite, manifest=replace(suite.manifest, cases=tuple(cases)), parts=found)


def _part(case: CaseEntry, runs: Runs) -> CaseEntry:
    answers = (
        replace(answer, outputs=tuple(_fewer(entry, runs) for entry in answer.outputs))
        for answer in case.answers
    )
    return replace(
        case,
        inputs=tuple(_fewer(entry, runs) for entry in case.inputs),
        answers=tuple(answers),
        lengths=lengths_of(case, runs),
    )


def _fewer(entry: ArrayEntry, runs: Runs) -> ArrayEntry:
    return replace(entry, shape=(len(runs), *entry.shape[1:]))


def lengths_of(case: CaseEntry, runs: Runs) -> tuple[int, ...]:
    """Return the lengths of the series that some runs of a case form.

    Example: series of 3, 2 and 4 runs, of which runs 0 to 2 and 5 to 8 were made, give (3, 4).
    """
    lengths, first = [], 0
    for length in case.lengths:
        made = sum(first <= number < first + length for number in runs)
        lengths += [made] if made else []
        first += length
    return tuple(lengths)

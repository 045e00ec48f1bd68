"""Counts of a run of a suite: cases with a result, computed cases, and the endings of the remaining valid cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from litecheck.suite.manifest import Suite
from litecheck.suite.results import SuiteResults


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Counts of a run. ``outcomes`` counts the valid cases without outputs; ``message`` is the first of their texts."""

    cases: int
    results: int
    valid: int
    """Valid cases with a result."""
    computed: int
    outcomes: Mapping[str, int]
    message: str = ""

    @property
    def idle(self) -> bool:
        """True if the device computed no valid case that it was given."""
        return self.valid > 0 and not self.computed


def summarize(suite: Suite, results: SuiteResults) -> RunSummary:
    """Return the counts of a run, in the order of the suite's cases."""
    cases = suite.manifest.cases
    valid = [results.cases[one.name] for one in cases if one.name in results.cases and not one.broken]
    others = [one for one in valid if not one.answered]
    return RunSummary(
        len(cases),
        sum(case.name in results.cases for case in cases),
        len(valid),
        len(valid) - len(others),
        Counter(one.outcome for one in others),
        next((one.message for one in others if one.message), ""),
    )

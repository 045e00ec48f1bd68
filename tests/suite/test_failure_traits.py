"""Traits of failing cases: planted by size, and silent where chance suffices."""

from __future__ import annotations

from math import prod

import pytest

from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.failure_traits import failure_traits
from litecheck.suite.manifest import CaseEntry, Suite
from litecheck.suite.verdict import CaseVerdict


def size(case: CaseEntry) -> int:
    """Return the number of output elements of one inference."""
    return prod(case.answers[0].outputs[0].shape[1:])


def verdict(case: CaseEntry, ending: CaseOutcome) -> CaseVerdict:
    return CaseVerdict(
        case.name, case.opcode, case.kind, case.granularity, case.title, ending, broken=case.broken
    )


@pytest.mark.parametrize("failing", [0, 2, 3, 4])
def test_the_largest_cases_fail(suite: Suite, failing: int) -> None:
    cases = sorted(
        (c for c in suite.manifest.cases if c.opcode == "TRANSPOSE_CONV" and not c.broken), key=size
    )
    assert len({size(case) for case in cases}) > 4
    limit = sorted({size(case) for case in cases})[-failing] if failing else 1 << 40
    ends = [CaseOutcome.FAILED if size(case) >= limit else CaseOutcome.PASSED for case in cases]
    found = failure_traits(suite, cases, list(map(verdict, cases, ends)))
    bounds = {(t.property, t.relation, t.value) for shared in found for t in shared.traits}
    several = ends.count(CaseOutcome.FAILED) >= 3
    assert (("output elements", "at least", limit) in bounds) == several
    assert bool(found) == several
    nothing = failure_traits(suite, cases, [verdict(case, CaseOutcome.FAILED) for case in cases])
    assert nothing == ()

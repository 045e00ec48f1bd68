"""End of ``suite run``: number of results, computed cases, and the reason of the first case without outputs."""

from __future__ import annotations

from litecheck.rendering.wording.outcomes import one_line
from litecheck.suite.run_summary import RunSummary


def sentence(summary: RunSummary) -> str:
    """Return ``results of 52 of 52 cases; 1 of 3 valid cases computed, 2 refused: exit status 3; no memory``."""
    told = f"results of {summary.results:,} of {summary.cases:,} cases"
    if not summary.outcomes:
        return told
    ends = ", ".join(f"{number:,} {outcome}" for outcome, number in summary.outcomes.items())
    computed = f"{summary.computed:,} of {summary.valid:,} valid cases computed"
    return "; ".join((told, ": ".join(filter(None, (f"{computed}, {ends}", one_line(summary.message))))))

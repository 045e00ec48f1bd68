"""Operators for which a target's compiler would reject the whole model. They stay unconverted."""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.finding import Finding
from litecheck.placement import Place
from litecheck.report import ModelReport

#: Placements of an operator for which the compiler gives no model.
_NOWHERE: tuple[Place, ...] = ("refused", "crashes")
#: Words in the impact of these placements.
_WORDS = ("rejects", "crashes")


def find_rejected_operators(report: ModelReport, origins: Sequence[int]) -> dict[int, str]:
    """Return the source operators for which the target's compiler would reject the first subgraph, with the reason.

    ``origins`` has the source operator of each new operator.
    """
    found: dict[int, str] = {}
    for target in report.targets:
        for one in target.operators:
            origin = origins[one.index] if one.place in _NOWHERE and not one.subgraph else -1
            if origin >= 0:
                found[origin] = _rejection_reason(report.findings, target.target, one.index)
    return found


def _rejection_reason(findings: Sequence[Finding], target: str, index: int) -> str:
    own = (
        f for f in findings
        if f.demanded_by.profile == target and (f.where.subgraph, f.where.operator) == (0, index)
    )  # fmt: skip
    return next(
        (f"{target}: {f.path}: {f.found}; {f.effect}" for f in own if any(w in f.effect for w in _WORDS)),
        target,
    )

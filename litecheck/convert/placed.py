"""What a target's compiler would refuse a whole model for: such operators stay as they are."""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.finding import Finding
from litecheck.placement import Place
from litecheck.report import ModelReport

#: Where no model with such an operator comes to run.
_NOWHERE: tuple[Place, ...] = ("refused", "crashes")
#: What the words of an effect say of such a place.
_WORDS = ("rejects", "crashes")


def nowhere(report: ModelReport, origins: Sequence[int]) -> dict[int, str]:
    """The operators of the source, by number, for which the target's compiler would refuse the first subgraph of what was
    made of it, each with the reason; ``origins`` says where the new operators come from."""
    found: dict[int, str] = {}
    for target in report.targets:
        for one in target.operators:
            origin = origins[one.index] if one.place in _NOWHERE and not one.subgraph else -1
            if origin >= 0:
                found[origin] = _why(report.findings, target.target, one.index)
    return found


def _why(findings: Sequence[Finding], target: str, index: int) -> str:
    own = (
        f for f in findings
        if f.demanded_by.profile == target and (f.where.subgraph, f.where.operator) == (0, index)
    )  # fmt: skip
    return next(
        (f"{target}: {f.path}: {f.found}; {f.effect}" for f in own if any(w in f.effect for w in _WORDS)),
        target,
    )

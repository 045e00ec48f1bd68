"""Shares of culprits: the order of culprits, and the share of the outputs' error that they have together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from litecheck.tracing.error_shares import ErrorShares
from litecheck.tracing.trace_result import Culprit

#: Culprits whose share of the outputs' error is tried.
_SHARED = 8
#: Share from which a culprit has nearly all of the error.
_NEARLY_ALL = 0.9


def ranked(named: Sequence[Culprit], shares: Mapping[int, ErrorShares]) -> list[Culprit]:
    """Return the culprits with their shares of the outputs' error, those with the largest shares first.

    The share of an operator in a called subgraph is not known; it ranks by its avoidable loss.
    """
    worst = sorted(named, key=lambda one: -one.avoidable_db)
    known = [replace(one, share=_share(one, shares.get(one.subgraph))) for one in worst[:_SHARED]]
    return [*sorted(known, key=_rounded_share, reverse=True), *worst[_SHARED:]]


def _rounded_share(one: Culprit) -> float:
    """Return the share of a culprit in one significant digit: 0.88 and 1 are equal (nearly all), 0.03 is more than 0.02."""
    return _NEARLY_ALL if one.share is None else min(_NEARLY_ALL, float(f"{one.share:.0e}"))


def _share(one: Culprit, outputs: ErrorShares | None) -> float | None:
    return None if outputs is None else outputs.of_culprits((one,))


def explained(named: Sequence[Culprit], outputs: ErrorShares | None) -> float | None:
    """Return the share of the outputs' error that culprits of the main subgraph have together; None for fewer than two."""
    harmful = [one for one in named if one.share is not None and one.reaches_outputs and not one.subgraph]
    return None if outputs is None or len(harmful) < 2 else outputs.of_culprits(harmful)

"""Order of culprits by their shares, and their share together."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from litecheck.tracing.culprit_shares import explained, ranked
from litecheck.tracing.error_shares import ErrorShares
from litecheck.tracing.trace_result import Culprit


class KnownShares(ErrorShares):
    """Shares by operator, which add up for several culprits."""

    def __init__(self, shares: dict[int, float | None]) -> None:
        self._shares = shares

    def of_culprits(self, named: Sequence[Culprit]) -> float | None:
        known = [self._shares[one.operator] for one in named]
        return None if None in known else sum(share or 0.0 for share in known)


@pytest.mark.parametrize(
    ("shares", "order"),
    [
        ({0: 0.02, 1: 0.6, 2: 0.3}, [1, 2, 0]),
        ({0: 0.58, 1: 0.6, 2: 0.62}, [0, 1, 2]),
        ({0: 0.91, 1: 1.0, 2: 0.3}, [0, 1, 2]),
        ({0: 0.02, 1: None, 2: 0.3}, [1, 2, 0]),
        ({0: 0.002, 1: 0.03, 2: 0.02}, [1, 2, 0]),
    ],
    ids=["share", "alike: loss", "nearly all: loss", "unknown", "small"],
)
def test_the_largest_share_is_first(shares: dict[int, float | None], order: list[int]) -> None:
    every = [Culprit(0, n, "ADD", "", "weights", 30.0 - n, "") for n in range(3)]
    assert [one.operator for one in ranked(every, {0: KnownShares(shares)})] == order


def test_the_share_of_an_operator_in_a_called_subgraph_is_unknown() -> None:
    every = [Culprit(n, n, "ADD", "", "weights", 9.0 - n, "") for n in range(2)]
    assert {one.operator: one.share for one in ranked(every, {0: KnownShares({0: 0.4})})} == {0: 0.4, 1: None}


@pytest.mark.parametrize(
    ("shares", "together"),
    [
        ((0.5, 0.25), 0.75),
        ((0.5, 0.001), None),
        ((0.5, None), None),
        ((0.5,), None),
    ],
    ids=["two", "one reaches the outputs", "one known", "one"],
)
def test_the_share_of_all_culprits(shares: tuple[float | None, ...], together: float | None) -> None:
    every = [Culprit(0, n, "ADD", "", "weights", 9.0, "", share=share) for n, share in enumerate(shares)]
    assert explained(every, KnownShares(dict(enumerate(shares)))) == together

"""The order of invocations under a budget."""

from __future__ import annotations

import pytest

from litecheck.verification.ranking import Ranking, Share, shares

#: Stimulus 4 detects three faults, stimulus 2 one more, stimuli 0 and 1 none.
TELLING = Ranking("a", "ADD int8", (4, 2, 0, 1), (3, 1, 0, 0))
PLAIN = Ranking("b", "ADD int8", (0, 1), (0, 0))
OTHER = Ranking("c", "MUL int8", (0, 1), (1, 0))


@pytest.mark.parametrize(
    ("ranking", "repeat", "expected"),
    [
        (TELLING, 1, [(1, 0, 4), (2, 1, 2), (5, 0, 0), (5, 0, 1)]),
        (
            TELLING, 2,
            [(1, 0, 4), (2, 1, 2), (4, 0, 4), (5, 0, 0), (5, 0, 1), (6, 0, 1), (6, 0, 0), (6, 0, 2)],
        ),
        (PLAIN, 1, [(1, 0, 0), (3, 0, 1)]),
        (PLAIN, 2, [(1, 0, 0), (3, 0, 1), (4, 0, 0), (6, 0, 1)]),
        (OTHER, 3, [(1, 0, 0), (3, 0, 1), (4, 0, 0), (6, 0, 1), (6, 0, 1), (6, 0, 0)]),
        (Ranking("d", "", (), ()), 3, []),
    ],
)  # fmt: skip
def test_visits(ranking: Ranking, repeat: int, expected: list[tuple[int, int, int]]) -> None:
    """Order: (1) the case, (2) faults, (3) another input, (4) the first again, (5) the remaining inputs, (6) all
    again."""
    assert list(ranking.visits(repeat)) == expected


@pytest.mark.parametrize(
    ("invocations", "expected"),
    [
        (0, [Share((), ()), Share((), ()), Share((), ())]),
        (1, [Share((4,), ()), Share((), ()), Share((), ())]),
        (2, [Share((4,), ()), Share((), ()), Share((0,), ())]),  # a case of each kind of operator first
        (3, [Share((4,), ()), Share((0,), ()), Share((0,), ())]),
        (4, [Share((4, 2), ()), Share((0,), ()), Share((0,), ())]),
        (6, [Share((4, 2), ()), Share((0, 1), ()), Share((0, 1), ())]),
        (9, [Share((4, 2), (4,)), Share((0, 1), (0,)), Share((0, 1), (0,))]),
    ],
)
def test_shares_of_a_budget(invocations: int, expected: list[Share]) -> None:
    found = shares((TELLING, PLAIN, OTHER), invocations, 2)
    assert list(found) == expected
    assert sum(share.invocations for share in found) == invocations


def test_a_budget_beyond_all_visits_is_left_over() -> None:
    found = shares((PLAIN,), 100, 2)
    assert found == (Share((0, 1), (0, 1)),)


def test_no_case_has_no_share() -> None:
    assert shares((), 5, 1) == ()

"""Order of culprits by their shares, and their share together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.tracing.culprit_shares import (
    drop_harmless_ranges,
    explained_share,
    merge_culprits,
    rank_culprits,
)
from litecheck.tracing.error_shares import ErrorShares
from litecheck.tracing.trace_result import Cause, Culprit


class KnownShares(ErrorShares):
    """Shares by operator, which are added for several culprits."""

    def __init__(self, shares: dict[int, float | None]) -> None:
        self._shares = shares

    def joint_share(self, named: Sequence[Culprit]) -> float | None:
        known = [self._shares[one.operator] for one in named]
        return None if None in known else sum(share or 0.0 for share in known)

    def channel_share(self, culprit: Culprit) -> float | None:
        return self._shares[culprit.operator]


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
    assert [one.operator for one in rank_culprits(every, {0: KnownShares(shares)})] == order


def test_the_share_of_an_operator_in_a_called_subgraph_is_unknown() -> None:
    every = [Culprit(n, n, "ADD", "", "weights", 9.0 - n, "") for n in range(2)]
    assert {one.operator: one.share for one in rank_culprits(every, {0: KnownShares({0: 0.4})})} == {
        0: 0.4,
        1: None,
    }


@pytest.mark.parametrize(
    ("cause", "share", "kept", "note"),
    [
        ("shared_range", 0.5, True, ""),
        ("shared_range", None, True, ""),
        ("shared_range", 0.45, False, "at most 45 %"),
        ("shared_range", 0.005, False, "less than 1 %"),
        ("weights", 0.005, True, ""),
    ],
)
def test_a_shared_range_is_a_culprit_if_it_costs_a_channel_3_db(
    cause: Cause, share: float | None, kept: bool, note: str
) -> None:
    one = Culprit(0, 3, "CONCATENATION", "", cause, 19.4, "5 of 8 bits")
    found, notes = drop_harmless_ranges([one], {0: KnownShares({3: share})})
    assert found == [one] * kept
    assert notes == (
        [f"CONCATENATION #3: 5 of 8 bits; {note} of the error of any channel of the outputs"] if note else []
    )


@pytest.mark.parametrize(
    ("shares", "together"),
    [
        ((0.5, 0.25), 0.75),
        ((0.5, 0.001), None),
        ((0.5, None), None),
        ((0.5,), None),
        ((0.001, 0.002), 0.003),
    ],
    ids=["two", "one reaches the outputs", "one known", "one", "none reaches the outputs"],
)
def test_the_share_of_all_culprits(shares: tuple[float | None, ...], together: float | None) -> None:
    every = [Culprit(0, n, "ADD", "", "weights", 9.0, "", share=share) for n, share in enumerate(shares)]
    assert explained_share(every, KnownShares(dict(enumerate(shares)))) == together


def steps(*weights: int) -> Model:
    """Return an unrolled loop of a layer; each step reads weights by their number, and 0 and 1 are equal."""
    main = (builder := ModelBuilder()).subgraph()
    held = [main.constant(f"w{n}", np.eye(2, dtype="i1") * max(n, 1), qparams(0.1)) for n in range(3)]
    tensors = [main.tensor(f"x{n}", (1, 2), "int8", qparams(0.1)) for n in range(len(weights) + 1)]
    for number, (source, made) in zip(weights, pairwise(tensors), strict=True):
        main.add("FULLY_CONNECTED", [source, held[number]], [made])
    main.inputs(tensors[0])
    main.outputs(tensors[-1])
    return builder.finish()


def wrong(number: int, loss: float, detail: str = "its weights have 2 levels") -> Culprit:
    return Culprit(0, number, "FULLY_CONNECTED", "", "weights", loss, detail)


def test_a_fault_of_weights_that_several_operators_read_is_one_culprit() -> None:
    (one,) = merge_culprits([wrong(0, 9.0), wrong(1, 12.0), wrong(2, 4.0)], steps(0, 0, 1).subgraphs)
    assert (one.operator, one.others, one.avoidable_db) == (1, (0, 2), 12.0)
    assert one.detail == "its weights have 2 levels; 2 other operators read the same constants"


def test_other_weights_and_other_faults_are_other_culprits() -> None:
    every = [wrong(0, 9.0), wrong(1, 8.0), wrong(2, 7.0, "1 of 2 channels is 0")]
    assert merge_culprits(every, steps(0, 2, 0).subgraphs) == every
    ranges = [Culprit(0, n, "FULLY_CONNECTED", "", "output_range", 9.0 - n, "too wide") for n in range(2)]
    assert merge_culprits(ranges, steps(0, 0).subgraphs) == ranges

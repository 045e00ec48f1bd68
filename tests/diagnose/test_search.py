"""The search for fitting computations among probes whose outcomes are stated."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from litecheck.diagnose import search
from litecheck.diagnose.result import Excluded, Hypothesis
from litecheck.reference.operands import RunError

A, B, C = (Hypothesis((("round", name),)) for name in "abc")


@dataclass
class Named:
    name: str


@dataclass
class Stated:
    """A probe of which each way differs in a stated number of elements; -1: the way cannot be computed."""

    probe: Named
    differing: dict[Hypothesis, int]
    size: int = 10
    asked: list[Hypothesis] = field(default_factory=list)

    def against(self, way: Hypothesis) -> Excluded | None:
        self.asked.append(way)
        count = self.differing.get(way, 0)
        if count < 0:
            raise RunError("no kernel")
        return Excluded(way, self.probe.name, 0, (), 0.0, 1.0, count, self.size) if count else None


def probe(name: str, *differing: int) -> Any:
    return Stated(Named(name), dict(zip((A, B, C), differing, strict=False)))


def test_a_way_fits_if_it_fits_every_probe() -> None:
    fits, excluded = search.fitting([A, B, C], [probe("p", 0, 1, 0), probe("q", 0, 0, 2)])
    assert fits == [A]
    assert [(one.way, one.probe, one.differing) for one in excluded] == [(B, "p", 1), (C, "q", 2)]


def test_a_way_that_cannot_be_computed_neither_fits_nor_is_excluded() -> None:
    assert search.fitting([A], [probe("p", -1)]) == ([], [])


def test_the_probe_that_excluded_a_way_is_tried_first_on_the_next() -> None:
    first, last = probe("p", 0, 0), probe("q", 1, 1)
    search.fitting([A, B], [first, last])
    assert (first.asked, last.asked) == ([A], [A, B])


@pytest.mark.parametrize(
    ("differing", "best", "count"),
    [
        ([(3, 2, 4), (0, 2, 0)], A, 3),
        ([(3, 1, 4), (0, 1, 0)], B, 2),
        ([(-1, 2, 1), (0, 2, 1)], C, 2),
        ([(2, 2, 2), (1, 1, 1)], A, 3),
    ],
)
def test_the_nearest_way_has_the_fewest_differences(
    differing: list[tuple[int, ...]], best: Hypothesis, count: int
) -> None:
    probes = [probe(name, *counts) for name, counts in zip("pq", differing, strict=True)]
    found = search._least([A, B, C], probes, None)
    assert found is not None
    assert (found.example.way, found.differing, found.size) == (best, count, 20)
    assert found.example.probe == "p"


def test_without_a_computable_way_nothing_is_near() -> None:
    assert search._least([A], [probe("p", -1)], None) is None
    assert search.nearest("ADD", [A], [probe("p", -1)]) is None


def test_differences_add_up_over_probes() -> None:
    assert search._differing(A, [probe("p", 2), probe("q", 3), probe("r", 0)]) == 5
    assert search._differing(A, [probe("p", 2), probe("q", -1)]) == float("inf")


def test_the_same_defects_in_another_order_are_one_way() -> None:
    pair, turned = (Hypothesis(A.stages, defect) for defect in ("x+y", "y+x"))
    other = Hypothesis(B.stages, "y+x")
    assert search.once([pair, turned, other]) == [pair, other]

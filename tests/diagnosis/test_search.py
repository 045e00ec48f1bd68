"""The search for matching arithmetics among probes with stated outcomes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from litecheck.diagnosis import search
from litecheck.diagnosis.result import ExcludedCandidate, Hypothesis
from litecheck.reference.runtime_tensors import RunError

A, B, C = (Hypothesis((("round", name),)) for name in "abc")


@dataclass
class Named:
    name: str


@dataclass
class Stated:
    """Probe with a stated number of differences for each hypothesis; -1 for a hypothesis that cannot be computed."""

    probe: Named
    differing: dict[Hypothesis, int]
    size: int = 10
    asked: list[Hypothesis] = field(default_factory=list)

    def against(self, way: Hypothesis) -> ExcludedCandidate | None:
        self.asked.append(way)
        count = self.differing.get(way, 0)
        if count < 0:
            raise RunError("no kernel")
        return ExcludedCandidate(way, self.probe.name, 0, (), 0.0, 1.0, count, self.size) if count else None


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
    found = search._keep_better([A, B, C], probes, None)
    assert found is not None
    assert (found.example.way, found.differing, found.size) == (best, count, 20)
    assert found.example.probe == "p"


def test_without_a_computable_hypothesis_no_nearest_exists() -> None:
    assert search._keep_better([A], [probe("p", -1)], None) is None
    assert search.nearest("ADD", [A], [probe("p", -1)]) is None


def test_differences_add_up_over_probes() -> None:
    assert search._count_differing(A, [probe("p", 2), probe("q", 3), probe("r", 0)]) == 5
    assert search._count_differing(A, [probe("p", 2), probe("q", -1)]) == float("inf")


@dataclass
class Scored:
    """Probe with one output: each defect adds a stated number to the sum of all differences.

    ``far`` is the distance without a defect. A hypothesis matches if the distance is 0; it is ``near`` if the
    distance is at most 2.
    """

    far: float
    effects: dict[str, float]
    size: int = 10
    probe: Named = field(default_factory=lambda: Named("p"))

    def _defects(self, way: Hypothesis) -> list[str]:
        return way.defect.split("+") if way.defect else []

    def distance(self, way: Hypothesis) -> float:
        return max(self.far + sum(self.effects.get(name, 0) for name in self._defects(way)), 0)

    def differ(self, one: Hypothesis, other: Hypothesis) -> bool:
        return self.distance(one) != self.distance(other)

    def near(self, way: Hypothesis, steps: int, share: float) -> bool:
        assert (steps, share) == (2, 0.9)
        return self.distance(way) <= steps

    def against(self, way: Hypothesis) -> ExcludedCandidate | None:
        count = int(self.distance(way))
        return ExcludedCandidate(way, "p", 0, (), 0.0, 1.0, count, self.size) if count else None


def pairs(monkeypatch: pytest.MonkeyPatch, *probes: Scored) -> list[str]:
    """Return each pair of defects that is tried with two hypotheses."""
    monkeypatch.setattr(search, "defects_of", lambda opcode: tuple("wxyz") if opcode == "ADD" else ())
    near = Hypothesis(A.stages, "w", ("published",))
    possible = [Hypothesis(A.stages, "w", ("published",)), B]
    given: Any = probes
    found = list(search.in_pairs(near, possible, given, "ADD"))
    assert [one.stages for one in found] == [A.stages, B.stages] * (len(found) // 2)
    assert all(one.published == () for one in found)
    return [one.defect for one in found[::2]]


@pytest.mark.parametrize(
    ("probes", "tried"),
    [
        # x and y reduce the distance, z has no effect, w increases it
        ([Scored(10, {"w": 4, "x": -5, "y": -4})], ["x+y", "y+x"]),
        # x alone reduces the distance, and w with x leaves no difference
        ([Scored(10, {"w": 4, "x": -14})], ["w+x", "x+w"]),
        # alone, neither reduces the distance
        ([Scored(10, {"w": 4, "x": 5})], []),
        # together they are not near
        ([Scored(10, {"x": -3, "y": -4})], []),
        ([Scored(10, {"x": -4, "y": -4})], ["x+y", "y+x"]),
        # near, but not less wrong than without a defect
        ([Scored(1, {"x": -1, "y": 2})], []),
        ([Scored(1, {"x": -1, "y": 1})], []),
        # a probe that fits without a defect counts, too
        ([Scored(10, {"x": -5, "y": -5}), Scored(0, {"x": 3})], []),
        ([Scored(10, {"x": -5, "y": -5}), Scored(0, {"x": 2})], ["x+y", "y+x"]),
        # a defect that acts on the fitting probe alone is not a candidate
        ([Scored(10, {"x": -10}), Scored(0, {"y": 1})], []),
        ([Scored(10, {"x": -8}), Scored(10, {"y": -8})], ["x+y", "y+x"]),
        ([Scored(10, {"x": -7}), Scored(10, {"y": -8})], []),
        ([Scored(10, {"x": -8, "y": -1}), Scored(10, {"x": -1, "y": -8})], ["x+y", "y+x"]),
        # no probe fails
        ([Scored(0, {"x": -5, "y": -5})], []),
    ],
)
def test_pairs_of_defects(monkeypatch: pytest.MonkeyPatch, probes: list[Scored], tried: list[str]) -> None:
    assert pairs(monkeypatch, *probes) == tried


def test_pairs_are_tried_on_the_four_smallest_failing_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    small = [Scored(10, {"x": -5, "y": -5}, size=size) for size in (1, 2, 3, 4)]
    failing = Scored(10, {"x": 9, "y": 9}, size=5)
    assert pairs(monkeypatch, failing, *small) == ["x+y", "y+x"]
    assert pairs(monkeypatch, Scored(10, {"x": 9, "y": 9}, size=3), *small) == []


class Uncomputable(Scored):
    """Probe that cannot be computed with the defect ``y``."""

    def against(self, way: Hypothesis) -> ExcludedCandidate | None:
        if "y" in way.defect:
            raise RunError("no kernel")
        return super().against(way)


def test_pairs_that_cannot_be_computed_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pairs(monkeypatch, Uncomputable(10, {"x": -5, "y": -4})) == []


def test_a_defect_of_the_nearest_way_is_better(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a defect, A differs in 3 elements and B in 4; A with the defect x differs in 1."""
    with_x = Hypothesis(A.stages, "x")
    monkeypatch.setattr(search, "defective", lambda way, opcode: [with_x] if way == A else [])
    given: Any = Stated(Named("p"), {A: 3, B: 4, with_x: 1})
    found = search.nearest("ADD", [A, B], [given])
    assert found is not None
    assert (found.example.way, found.differing, found.size) == (with_x, 1, 10)


def test_a_worse_way_is_given_up_early() -> None:
    """In the first probe, B already differs in as many elements as A in both, so the second probe is not computed."""
    first, last = probe("p", 1, 2), probe("q", 1, 0)
    search._keep_better([A, B], [first, last], None)
    assert (first.asked, last.asked) == ([A, B], [A])


def test_the_probe_that_excluded_a_hypothesis_is_computed_first() -> None:
    first, last = probe("p", 1, 0, 0), probe("q", 1, 5, 5)
    search._keep_better([A, B, C], [first, last], None)
    assert (first.asked, last.asked) == ([A, B], [A, B, C])


def test_the_same_defects_in_another_order_are_one_way() -> None:
    pair, turned = (Hypothesis(A.stages, defect) for defect in ("x+y", "y+x"))
    other = Hypothesis(B.stages, "y+x")
    assert search.once([pair, turned, other]) == [pair, other]
